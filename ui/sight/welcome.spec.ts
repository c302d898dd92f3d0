import { expect } from "@playwright/test";
import { looks, looksRight, named, open, test } from "./window";

for (const look of looks) {
  test(`the first run and the day after it: ${named(look)}`, async ({ page }) => {
    await open(page, look, "&first", false);
    await page.getByTestId("first-run-continue").waitFor();
    await looksRight(page, look, "welcome");
    await page.getByTestId("first-run-more").click();
    await page.getByTestId("first-run-style").selectOption("swing");
    await page.getByTestId("meter-try").click();
    await expect(page.getByTestId("meter-says")).toHaveText(
      look.lang === "ru" ? "Тебя слышно." : "You can be heard.",
    );
    await page.getByTestId("meter-try").click();
    await looksRight(page, look, "welcome-more");
    await page.getByTestId("first-run-backend-local").check({ force: true });
    await page.getByTestId("first-run-continue").click();
    await page.getByTestId("nav-settings").click();
    await expect(page.getByTestId("settings-answers")).toContainText(
      look.lang === "ru" ? "Модель на этом компьютере" : "A model on this computer",
    );
  });

  test(`today: ${named(look)}`, async ({ page }) => {
    await open(page, look);
    await expect(page.getByTestId("today-rules")).toContainText("3");
    await expect(page.getByTestId("today-reminder")).toContainText("14:12");
    await looksRight(page, look, "today");
  });
}
