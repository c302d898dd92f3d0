import { expect } from "@playwright/test";
import { looks, looksRight, named, open, tabTo, test } from "./window";

for (const look of looks) {
  test(`insights: ${named(look)}`, async ({ page }) => {
    await open(page, look);
    await page.getByTestId("nav-insights").click();
    await page.getByTestId("insight-median_day").waitFor();
    await looksRight(page, look, "insights");
    await page.getByTestId("insights-waiting-list").scrollIntoViewIfNeeded();
    await looksRight(page, look, "insights-end");
  });

  test(`insights of a new house: ${named(look)}`, async ({ page }) => {
    await open(page, look, "&first", false);
    await page.getByTestId("first-run-skip").click();
    await page.getByTestId("nav-insights").click();
    await expect(page.getByTestId("insights-waiting-list").getByRole("listitem")).toHaveCount(8);
    await expect(page.getByTestId("insights-told")).toHaveCount(0);
    await looksRight(page, look, "insights-new");
  });
}

test("a screen reader finds each picture as a table with its interval", async ({ page }) => {
  await open(page, looks[0]!);
  await page.getByTestId("nav-insights").click();
  const table = page.getByTestId("insight-stress_change").getByRole("table");
  await expect(table.getByRole("row")).toHaveCount(4);
  await expect(table.getByRole("row").last()).toContainText("+0,8");
  await expect(table.getByRole("row").last()).toContainText("от +0,2 до +1,4");
});

test("with the keyboard alone: to the trades and back", async ({ page }) => {
  await open(page, looks[0]!);
  await tabTo(page, "nav-insights");
  await page.keyboard.press("Enter");
  await tabTo(page, "insights-trades");
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("page")).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(page.getByTestId("insights-told")).toBeVisible();
});
