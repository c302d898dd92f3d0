import { expect } from "@playwright/test";
import { looks, looksRight, named, open, tabTo, test } from "./window";

for (const look of looks) {
  test(`history: ${named(look)}`, async ({ page }) => {
    await open(page, look);
    await page.getByTestId("nav-history").click();
    await page.getByTestId("day-2026-11-16").waitFor();
    await looksRight(page, look, "history");

    await page.getByTestId("day-2026-11-16").click();
    await expect(page.getByTestId("session-earlier-2")).toHaveCount(0);
    await looksRight(page, look, "history-day");
    await page.getByTestId("history-all").click();

    await page.getByTestId("history-search").fill(look.lang === "ru" ? "соседи" : "neighbours");
    await page.getByTestId("found-0").waitFor();
    await looksRight(page, look, "history-found");
    await page.getByTestId("found-0").click();
    await expect(page.locator(".found").first()).toBeInViewport();
    await looksRight(page, look, "history-letter-found");
    await page.getByTestId("history-back").click();
    await page.getByTestId("history-search").fill("qqqq");
    await page.getByTestId("found-none").waitFor();
    await looksRight(page, look, "history-none");
    await page.getByTestId("history-search").fill("");

    await page.getByTestId("session-earlier-1").click();
    await page.getByTestId("chip-readiness").getByRole("button").click();
    await page.getByTestId("correct-value").selectOption("4");
    await looksRight(page, look, "history-correct");
    await page.getByTestId("correct-save").click();
    await expect(page.getByTestId("chip-readiness")).toContainText("4");
    await page.getByTestId("chip-add").click();
    await looksRight(page, look, "history-missing");
  });
}

test("with the keyboard alone: a day by arrows, its letter, a value put right", async ({ page }) => {
  await open(page, looks[0]!);
  await tabTo(page, "nav-history");
  await page.keyboard.press("Enter");
  await page.getByTestId("day-2026-11-16").waitFor();
  await tabTo(page, "day-2026-11-16");
  await page.keyboard.press("ArrowLeft");
  await expect(page.getByTestId("day-2026-11-15")).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("session-earlier-1")).toHaveCount(0);
  await tabTo(page, "session-earlier-2");
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("letter")).toBeFocused();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await expect(page.getByTestId("session-earlier-1")).toBeVisible();
});

test("a value that was not said goes, one that was missed comes, Esc leaves it as it was", async ({
  page,
}) => {
  await open(page, looks[0]!);
  await page.getByTestId("nav-history").click();
  await page.getByTestId("session-earlier-1").click();
  await page.getByTestId("chip-sleep").getByRole("button").click();
  await page.getByTestId("correct-value").selectOption("");
  await page.keyboard.press("Escape");
  await expect(page.getByTestId("chip-sleep")).toContainText("плохой");
  await page.getByTestId("chip-sleep").getByRole("button").click();
  await page.getByTestId("correct-value").selectOption("");
  await page.getByTestId("correct-save").click();
  await expect(page.getByTestId("chip-sleep")).toHaveCount(0);
  await page.getByTestId("chip-add").click();
  await page.getByTestId("chip-new-energy").click();
  await page.getByTestId("correct-value").selectOption("7");
  await page.getByTestId("correct-save").click();
  await expect(page.getByTestId("chip-energy")).toContainText("7");
});
