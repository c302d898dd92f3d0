import { expect } from "@playwright/test";
import { looks, looksRight, open, test } from "./window";

const look = looks[0]!;

async function settings(page: Parameters<typeof open>[0], name: string, more = ""): Promise<void> {
  await open(page, look, more);
  await page.getByTestId("nav-settings").click();
  await page.getByTestId(`settings-${name}`).click();
}

test("another microphone is chosen while its level is looked at, and it is still chosen later", async ({
  page,
}) => {
  await settings(page, "voice");
  const device = page.getByTestId("voice-device");
  await expect(device.locator("option").first()).toContainText("Built-in Audio Analog Stereo");
  await page.getByTestId("meter-try").click();
  await expect(page.getByTestId("meter-says")).toHaveText("Тебя слышно.");
  await device.selectOption({ label: "USB Headset" });
  await expect(page.getByTestId("page")).toContainText("Сохранено");
  await expect(page.getByRole("meter")).not.toHaveAttribute("aria-valuenow", "0");
  await page.getByTestId("page-back").click();
  await page.getByTestId("settings-voice").click();
  await expect(device).toHaveValue("alsa:hw:CARD=Headset");
});

test("the silence that ends a turn is one's own choice", async ({ page }) => {
  await settings(page, "voice");
  await expect(page.getByTestId("voice-end-1800")).toBeChecked();
  await page.getByTestId("voice-end-4000").check({ force: true });
  await page.getByTestId("page-back").click();
  await page.getByTestId("settings-voice").click();
  await expect(page.getByTestId("voice-end-4000")).toBeChecked();
});

test("a speech model is brought, measured, chosen, and goes when asked twice", async ({ page }) => {
  await settings(page, "voice");
  await page.getByTestId("voice-models").click();
  const small = page.getByTestId("model-whisper-small");
  await expect(small).toContainText("ещё нет");
  await expect(page.getByTestId("model-whisper-small-speed")).toHaveCount(0);
  await page.getByTestId("model-whisper-small-fetch").click();
  await expect(small).toContainText("на месте");
  await page.getByTestId("model-whisper-small-speed").click();
  await expect(page.getByTestId("model-whisper-small-result")).toContainText(
    "12 с речи за 1,8 с, в 7 раз быстрее",
  );
  await page.getByTestId("model-whisper-base-onnx-speed").click();
  await expect(page.getByTestId("model-whisper-base-onnx-result")).toContainText("в 20 раз");
  await page.getByTestId("speech-whisper-small").check({ force: true });
  await looksRight(page, look, "settings-models-measured");

  await page.getByTestId("model-whisper-small-remove").click();
  await page.getByTestId("model-whisper-small-remove-no").click();
  await expect(small).toContainText("на месте");
  await page.getByTestId("model-whisper-small-remove").click();
  await page.getByTestId("model-whisper-small-remove-yes").click();
  await expect(small).toContainText("ещё нет");
  await expect(page.getByTestId("speech-whisper-small")).toBeChecked();
  await expect(page.getByTestId("models-fetch"), "the chosen one is missing").toContainText("488");
});
