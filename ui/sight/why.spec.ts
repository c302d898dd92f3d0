import { expect } from "@playwright/test";
import { looks, looksRight, named, open, said, tabTo, test, type } from "./window";

for (const look of looks) {
  test(`why a reply: ${named(look)}`, async ({ page }) => {
    await open(page, look);
    await page.getByTestId("start-checkout").click();
    await type(page, said[look.lang].loss);
    await page.getByTestId("why-2").waitFor();
    await looksRight(page, look, "why-closed");

    await page.getByTestId("why-2").click();
    await expect(page.getByTestId("why")).toBeInViewport();
    await expect(page.getByTestId("why-2")).toBeInViewport();
    await expect(page.getByRole("meter")).toHaveCount(4);
    await looksRight(page, look, "why-open");
    await page.getByTestId("rate-bad").click();
    await expect(page.getByTestId("rate-bad")).toHaveAttribute("aria-pressed", "true");
    await page.getByTestId("ban-open").click();
    await page.getByTestId("ban-term").fill(look.lang === "ru" ? "неприятно" : "unpleasant");
    await page.getByTestId("why-memory").scrollIntoViewIfNeeded();
    await looksRight(page, look, "why-open-end");
    await page.getByTestId("ban-save").click();
    await expect(page.getByTestId("rate-says")).toContainText(
      look.lang === "ru" ? "«неприятно» больше не прозвучит" : "“unpleasant” will not be",
    );

    await page.getByTestId("why-2").click();
    await type(page, said[look.lang].loss);
    await page.getByTestId("why-4").waitFor();
    await page.getByTestId("why-2").click();
    await expect(page.getByTestId("why-2")).toBeInViewport();
    await looksRight(page, look, "why-older");
  });

  test(`a crisis: ${named(look)}`, async ({ page }) => {
    await open(page, look);
    await page.getByTestId("start-checkin").click();
    await type(page, said[look.lang].crisis);
    await page.getByTestId("why-2").click();
    await expect(page.getByTestId("why")).not.toContainText(/\d/);
    await expect(page.getByRole("meter")).toHaveCount(0);
    await expect(page.getByTestId("rate-bad")).toHaveCount(0);
    await looksRight(page, look, "why-crisis");
  });
}

test("with the keyboard alone: opened, followed to the letter and back, closed with Esc", async ({
  page,
}) => {
  await open(page, looks[0]!);
  await tabTo(page, "start-checkin");
  await page.keyboard.press("Enter");
  await tabTo(page, "type-open");
  await page.keyboard.press("Enter");
  await page.keyboard.type(said.ru.night);
  await page.keyboard.press("Enter");
  await page.getByTestId("why-2").waitFor();
  await tabTo(page, "why-2", true);
  await page.keyboard.press("Enter");
  await tabTo(page, "recalled-E7");
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("letter")).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(page.getByTestId("why")).toBeVisible();
  await tabTo(page, "recalled-E7");
  await page.keyboard.press("Escape");
  await expect(page.getByTestId("why")).toHaveCount(0);
  await expect(page.getByTestId("why-2")).toBeFocused();
  await expect(page.getByTestId("calm-says")).toBeVisible();
});

test("in the tray's small window there are words and no doors to rooms that it has not", async ({
  page,
}) => {
  const look = { ...looks[0]!, width: 360, height: 480 };
  await page.setViewportSize(look);
  await page.goto("/?lang=ru&theme=light&pace=0#/tray");
  await type(page, said.ru.night);
  await page.getByTestId("why-2").click();
  await expect(page.getByTestId("why")).toBeInViewport();
  await expect(page.getByTestId("why-memory")).toHaveCount(0);
  await expect(page.getByTestId("recalled-E7")).toHaveCount(0);
  await looksRight(page, look, "why-tray");
});
