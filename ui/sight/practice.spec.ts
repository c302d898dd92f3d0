import { expect } from "@playwright/test";
import { looks, looksRight, named, open, tabTo, test, type } from "./window";

for (const look of looks) {
  test(`practices: ${named(look)}`, async ({ page }) => {
    await open(page, look);
    await page.getByTestId("nav-practice").click();
    await page.getByTestId("practice-box_breathing_3min").waitFor();
    await looksRight(page, look, "practice");
    await page.getByTestId("practice-box_breathing_3min").click();
    await looksRight(page, look, "practice-ready");
    await page.getByTestId("player-start").click();
    await page.getByTestId("player-step").waitFor();
    await looksRight(page, look, "practice-running");
    await page.getByTestId("player-close").click();
    await expect(page.getByTestId("practice-box_breathing_3min")).toBeFocused();
  });
}

test("it goes by its own seconds, waits while it is paused, and ends quietly", async ({ page }) => {
  await page.clock.install();
  await open(page, looks[0]!);
  await page.getByTestId("nav-practice").click();
  await page.getByTestId("practice-feet_on_floor_1min").click();
  await page.getByTestId("player-start").click();
  await page.clock.runFor(11_000);
  await expect(page.getByTestId("player-step")).toContainText("Прижми пятки");
  await page.getByTestId("player-pause").click();
  await page.clock.runFor(60_000);
  await expect(page.getByTestId("player-step")).toContainText("Прижми пятки");
  await page.getByTestId("player-resume").click();
  await page.clock.runFor(50_000);
  await expect(page.getByTestId("player-done")).toBeVisible();
  await looksRight(page, looks[0]!, "practice-done");
});

test("with the keyboard alone: begun, paused with Space, left with Esc", async ({ page }) => {
  await open(page, looks[0]!);
  await tabTo(page, "nav-practice");
  await page.keyboard.press("Enter");
  await tabTo(page, "practice-long_exhale_2min");
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("player")).toBeFocused();
  await page.keyboard.press("Space");
  await page.getByTestId("player-pause").waitFor();
  await page.keyboard.press("Space");
  await page.getByTestId("player-resume").waitFor();
  await page.keyboard.press("Escape");
  await expect(page.getByTestId("practice-long_exhale_2min")).toBeFocused();
});

test("the circle breathes, and rests where movement is not wanted", async ({ page }) => {
  const width = () =>
    page.locator(".circle i").evaluate((circle) => circle.getBoundingClientRect().width);
  for (const [motion, moves] of [
    ["no-preference", true],
    ["reduce", false],
  ] as const) {
    await page.emulateMedia({ reducedMotion: motion });
    await open(page, looks[0]!);
    await page.getByTestId("nav-practice").click();
    await page.getByTestId("practice-long_exhale_2min").click();
    await page.getByTestId("player-start").click();
    const before = await width();
    await page.waitForTimeout(1500);
    expect(Math.abs((await width()) - before) > 2).toBe(moves);
  }
});

test("one that was agreed to in a talk opens in place and gives the stage back", async ({ page }) => {
  await open(page, looks[0]!);
  await page.getByTestId("start-checkin").click();
  await type(page, "спал мало");
  await page.getByTestId("scale-3").click();
  await page.getByTestId("practice-yes").click();
  await page.getByTestId("begin-practice").click();
  await expect(page.getByTestId("player")).toContainText("Длинный выдох");
  await page.keyboard.press("Escape");
  await expect(page.getByTestId("player")).toHaveCount(0);
  await expect(page.getByTestId("calm-says")).toBeVisible();
});
