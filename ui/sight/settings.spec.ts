import { expect } from "@playwright/test";
import { looks, looksRight, named, open, tabTo, test } from "./window";

const pages = [
  "you",
  "day",
  "voice",
  "answers",
  "models",
  "plans",
  "facts",
  "knowledge",
  "reminders",
  "words",
  "privacy",
  "data",
  "plain",
  "window",
  "look",
] as const;

for (const look of looks) {
  test(`settings: ${named(look)}`, async ({ page }) => {
    await open(page, look);
    await page.getByTestId("nav-settings").click();
    await page.getByTestId("settings-you").waitFor();
    await looksRight(page, look, "settings");
    for (const name of pages) {
      await page.getByTestId(`settings-${name}`).click();
      await expect(page.getByTestId("page")).toBeFocused();
      await page.waitForTimeout(60);
      await looksRight(page, look, `settings-${name}`);
      await page.getByTestId("page-back").click();
      await expect(page.getByTestId(`settings-${name}`)).toBeFocused();
    }
  });

  test(`settings of a new house: ${named(look)}`, async ({ page }) => {
    await open(page, look, "&first&models=missing", false);
    await page.getByTestId("first-run-skip").click();
    await page.getByTestId("nav-settings").click();
    for (const name of ["models", "plans", "facts", "knowledge", "reminders", "words", "privacy"]) {
      await page.getByTestId(`settings-${name}`).click();
      await page.waitForTimeout(60);
      await looksRight(page, look, `settings-new-${name}`);
      await page.keyboard.press("Escape");
    }
  });
}

const look = looks[0]!;

test("a server is found, tried, taken into use, and goes only when asked twice", async ({ page }) => {
  await open(page, look);
  await page.getByTestId("nav-settings").click();
  await page.getByTestId("settings-answers").click();
  await page.getByTestId("server-look").click();
  await page.getByTestId("server-take-qwen2.5:7b").click();
  const own = page.getByTestId("backend-ollama-qwen2.5-7b");
  await own.check({ force: true });
  await page.getByTestId("server-local-try").click();
  await expect(page.getByTestId("server-local-result")).toContainText("qwen2.5:7b, 1.4");
  await page.getByTestId("server-ollama-qwen2.5-7b-try").click();
  const result = page.getByTestId("server-ollama-qwen2.5-7b-result");
  await expect(result).toContainText("ключ");
  for (const [key, says] of [
    ["тайна", "в хранилище ключей системы"],
    ["filed", "в файле, закрытом для других: /home/calm"],
  ] as const) {
    await page.getByTestId("server-ollama-qwen2.5-7b-key").click();
    await page.getByTestId("server-ollama-qwen2.5-7b-key-field").fill(key);
    await page.getByTestId("server-ollama-qwen2.5-7b-key-field").press("Enter");
    await expect(result).toContainText(says);
  }
  await looksRight(page, look, "settings-answers-tried");

  await page.getByTestId("server-ollama-qwen2.5-7b-remove").click();
  await expect(page.getByTestId("server-ollama-qwen2.5-7b-remove-no")).toBeFocused();
  await page.getByTestId("server-ollama-qwen2.5-7b-remove-no").click();
  await expect(own).toBeVisible();
  await page.getByTestId("server-ollama-qwen2.5-7b-remove").click();
  await page.getByTestId("server-ollama-qwen2.5-7b-remove-yes").click();
  await expect(own).toHaveCount(0);
  await expect(page.getByTestId("backend-guide")).toBeChecked();
});

test("missing models come with their progress", async ({ page }) => {
  await open(page, look, "&models=missing");
  await page.getByTestId("nav-settings").click();
  await page.getByTestId("settings-models").click();
  await page.getByTestId("models-fetch").click();
  await expect(page.getByTestId("models-fetch")).toHaveCount(0, { timeout: 5000 });
  await expect(page.getByTestId("model-whisper-base-onnx")).toContainText("на месте");
});

test("the exact text of what left is there on demand", async ({ page }) => {
  await open(page, look);
  await page.getByTestId("nav-settings").click();
  await page.getByTestId("settings-privacy").click();
  await expect(page.getByTestId("sent-2-text")).toHaveCount(0);
  await page.getByTestId("sent-2").click();
  await expect(page.getByTestId("sent-2-text")).toContainText("qwen2.5:7b");
  await looksRight(page, look, "settings-privacy-text");
});

test("a file becomes a document, and another kind of file is refused kindly", async ({ page }) => {
  await open(page, look);
  await page.getByTestId("nav-settings").click();
  await page.getByTestId("settings-knowledge").click();
  const file = (name: string) => ({ name, mimeType: "text/plain", buffer: Buffer.from("# План") });
  await page.getByTestId("knowledge-file").setInputFiles([file("правила.md")]);
  await expect(page.getByTestId("knowledge-list")).toContainText("правила.md");
  await page.getByTestId("knowledge-file").setInputFiles([file("table.xlsx")]);
  await expect(page.getByTestId("notice")).toContainText("PDF");
  await expect(page.getByTestId("knowledge-list")).not.toContainText("xlsx");
});

test("with the keyboard alone: a plan is written, switched off, and Esc leads back", async ({
  page,
}) => {
  await open(page, look);
  await tabTo(page, "nav-settings");
  await page.keyboard.press("Enter");
  await tabTo(page, "settings-plans");
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("page")).toBeFocused();
  await tabTo(page, "plan-name");
  await page.keyboard.type("Устал");
  await page.keyboard.press("Tab");
  await page.keyboard.type("глаза слипаются");
  await tabTo(page, "plan-add");
  await page.keyboard.press("Enter");
  const plan = page.getByTestId("plan-101-on");
  await expect(plan).toContainText("Если глаза слипаются. Тогда: пауза на 15 мин.");
  await tabTo(page, "plan-101-on", true);
  await page.keyboard.press("Space");
  await expect(plan).toHaveAttribute("aria-checked", "false");
  await page.keyboard.press("Escape");
  await expect(page.getByTestId("settings-plans")).toBeFocused();
});
