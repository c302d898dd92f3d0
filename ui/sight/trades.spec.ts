import { expect } from "@playwright/test";
import { looks, looksRight, named, open, tabTo, test } from "./window";

const file = (name: string) => ({ name, mimeType: "text/csv", buffer: Buffer.from("a,b\n") });

for (const look of looks) {
  test(`trades: ${named(look)}`, async ({ page }) => {
    await open(page, look);
    await page.getByTestId("nav-insights").click();
    await page.getByTestId("insights-trades").click();
    await page.getByTestId("trades-none").waitFor();
    await looksRight(page, look, "trades-none");

    await page.getByTestId("trades-file").setInputFiles([file("mt5-report.csv")]);
    await expect(page.getByTestId("trades-recognised")).toContainText("MetaTrader 5");
    await expect(page.getByTestId("trades-take")).toBeDisabled();
    await looksRight(page, look, "trades-zone");
    await page.getByTestId("trades-zone").selectOption("ny+7");
    await expect(page.getByTestId("trades-preview")).toContainText(
      look.lang === "ru" ? "−120,50 USD" : "−120.50 USD",
    );
    await expect(page.getByTestId("trades-refused")).toContainText("14");
    await looksRight(page, look, "trades-preview");
    await page.getByTestId("trades-columns").click();
    await looksRight(page, look, "trades-columns");
    await page.getByTestId("trades-take").click();
    await expect(page.getByTestId("trades-says")).toContainText("10");
    await looksRight(page, look, "trades-taken");
  });
}

const look = looks[0]!;

test("a table of one's own is read once its columns are named", async ({ page }) => {
  await open(page, look);
  await page.getByTestId("nav-insights").click();
  await page.getByTestId("insights-trades").click();
  await page.getByTestId("trades-file").setInputFiles([file("own.csv")]);
  await page.getByTestId("trades-column-closed_at").selectOption("When");
  await expect(page.getByTestId("trades-zone")).toHaveCount(0);
  await page.getByTestId("trades-column-profit").selectOption("Money");
  await page.getByTestId("trades-zone").selectOption("Europe/Moscow");
  await expect(page.getByTestId("trades-preview")).toBeVisible();
});

test("twice adds nothing and says so; an import is taken back", async ({ page }) => {
  await open(page, look);
  await page.getByTestId("nav-insights").click();
  await page.getByTestId("insights-trades").click();
  await page.getByTestId("trades-file").setInputFiles([file("report.csv")]);
  await page.getByTestId("trades-take").click();
  await expect(page.getByTestId("trades-import-1")).toBeVisible();
  await page.getByTestId("trades-file").setInputFiles([file("report.csv")]);
  await expect(page.getByTestId("trades-known")).toContainText("10");
  await page.getByTestId("trades-take").click();
  await expect(page.getByTestId("trades-says")).toContainText("Нового в файле нет");
  await page.getByTestId("trades-import-1").click();
  await page.getByTestId("trades-import-1-yes").click();
  await expect(page.getByTestId("trades-says")).toContainText("Убрано сделок: 10");
  await expect(page.getByTestId("trades-none")).toBeVisible();
});

test("a spreadsheet is refused kindly, and nothing is left of it", async ({ page }) => {
  await open(page, look);
  await page.getByTestId("nav-insights").click();
  await page.getByTestId("insights-trades").click();
  await page.getByTestId("trades-file").setInputFiles([file("table.xls")]);
  await expect(page.getByTestId("notice")).toContainText("CSV");
  await expect(page.getByTestId("trades-sheet")).toHaveCount(0);
});

test("with the keyboard alone: taken, and undone at once", async ({ page }) => {
  await open(page, look);
  await tabTo(page, "nav-insights");
  await page.keyboard.press("Enter");
  await tabTo(page, "insights-trades");
  await page.keyboard.press("Enter");
  await page.getByTestId("trades-file").setInputFiles([file("report.csv")]);
  await expect(page.getByTestId("trades-sheet")).toBeFocused();
  await tabTo(page, "trades-take");
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("trades-add")).toBeFocused();
  await tabTo(page, "trades-undo");
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("trades-says")).toContainText("Убрано сделок: 10");
});
