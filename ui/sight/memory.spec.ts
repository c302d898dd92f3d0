import { expect } from "@playwright/test";
import { looks, looksRight, named, open, tabTo, test } from "./window";

for (const look of looks) {
  test(`memory: ${named(look)}`, async ({ page }) => {
    await open(page, look);
    await page.getByTestId("nav-memory").click();
    await page.getByTestId("memory-E7").waitFor();
    await looksRight(page, look, "memory");
    await page.getByTestId("memory-L1").scrollIntoViewIfNeeded();
    await looksRight(page, look, "memory-end");

    await page.getByTestId("memory-P5").click();
    await page.getByTestId("memory-sheet").waitFor();
    await looksRight(page, look, "memory-sheet");
    await page.getByTestId("memory-dismiss").click();
    await expect(page.getByTestId("memory-sheet")).toContainText(
      look.lang === "ru" ? "не опирается" : "no longer rests",
    );
    await looksRight(page, look, "memory-dismissed");
    await page.getByTestId("memory-back").click();
    await expect(page.getByTestId("memory-P5")).toBeFocused();

    await page.getByTestId("memory-E7").click();
    await page.getByTestId("memory-correct").click();
    await looksRight(page, look, "memory-correct");
    await page.getByTestId("memory-cancel").click();
    await page.getByTestId("memory-forget").click();
    await expect(page.getByTestId("undo")).toBeInViewport();
    await expect(page.getByTestId("memory-E7")).toHaveCount(0);
    await looksRight(page, look, "memory-undo");
    await page.getByTestId("undo-forget").click();
    await expect(page.getByTestId("memory-E7")).toBeVisible();

    await page.getByTestId("memory-search").fill("qq");
    await page.getByTestId("memory-none").waitFor();
    await looksRight(page, look, "memory-none");
  });

  test(`an empty memory: ${named(look)}`, async ({ page }) => {
    await open(page, look, "&memory=empty");
    await page.getByTestId("nav-memory").click();
    await page.getByTestId("memory-empty").waitFor();
    await looksRight(page, look, "memory-empty");
    await page.getByTestId("memory-level-patterns").check({ force: true });
    await looksRight(page, look, "memory-empty-patterns");
  });
}

test("with the keyboard alone: found, put right, forgotten, and brought back with Ctrl+Z", async ({
  page,
}) => {
  await open(page, looks[0]!);
  await tabTo(page, "nav-memory");
  await page.keyboard.press("Enter");
  await tabTo(page, "memory-search");
  await page.keyboard.type("план сторон");
  await expect(page.getByTestId("memory-E7")).toHaveCount(0);
  await tabTo(page, "memory-P3");
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("memory-sheet")).toBeFocused();

  await tabTo(page, "memory-correct");
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("memory-words")).toBeFocused();
  await page.keyboard.type("Мало сплю — план в стороне");
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("memory-correct")).toBeFocused();
  await expect(page.getByTestId("memory-sheet")).toContainText("твоими словами");

  await page.keyboard.press("Escape");
  await expect(page.getByTestId("memory-P3")).toBeFocused();
  await page.keyboard.press("Enter");
  await tabTo(page, "memory-forget");
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("memory-P3")).toHaveCount(0);
  await page.keyboard.press("Control+z");
  await expect(page.getByTestId("memory-P3")).toBeVisible();
  await expect(page.getByTestId("undo")).toHaveCount(0);
});

test("what is forgotten is gone after a while and stays gone", async ({ page }) => {
  await page.clock.install();
  await open(page, looks[0]!);
  await page.getByTestId("nav-memory").click();
  await page.getByTestId("memory-E4").click();
  await page.getByTestId("memory-forget").click();
  await page.mouse.move(0, 0);
  await expect(page.getByTestId("undo")).toBeVisible();
  await page.clock.fastForward(7000);
  await expect(page.getByTestId("undo")).toHaveCount(0);
  await page.getByTestId("nav-today").click();
  await page.getByTestId("nav-memory").click();
  await page.getByTestId("memory-E7").waitFor();
  await expect(page.getByTestId("memory-E4")).toHaveCount(0);
});
