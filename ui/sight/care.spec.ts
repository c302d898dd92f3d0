import { expect } from "@playwright/test";
import { looks, looksRight, named, open, said, tabTo, test, type } from "./window";

for (const look of looks) {
  test(`help in a hard hour: ${named(look)}`, async ({ page }) => {
    await open(page, look);
    await page.getByTestId("nav-care").click();
    await expect(page.getByTestId("care-emergency")).toHaveText(look.lang === "ru" ? "112" : "999");
    await expect(page.getByTestId("helpline-crisis")).toContainText(
      look.lang === "ru" ? "989-50-50" : "116 123",
    );
    await looksRight(page, look, "care");

    await page.getByTestId("contact-edit").click();
    await page.getByTestId("contact-name").fill(look.lang === "ru" ? "Аня" : "Ann");
    await page.getByTestId("contact-how").fill("+7 900 000-00-00");
    await looksRight(page, look, "care-contact");
    await page.getByTestId("contact-save").click();
    await expect(page.getByTestId("contact-shown")).toContainText("+7 900");

    await page.getByTestId("plan-edit").click();
    await page.getByTestId("plan-steps").fill("один\n\n  два ");
    await looksRight(page, look, "care-plan");
    await page.getByTestId("plan-save").click();
    await expect(page.getByTestId("plan-shown").locator("li")).toHaveText(["один", "два"]);
    await page.locator("#care-protocol").scrollIntoViewIfNeeded();
    await looksRight(page, look, "care-end");
  });
}

test("a number that was not compared for long says so", async ({ page }) => {
  await open(page, looks[0]!);
  await page.getByTestId("nav-care").click();
  await expect(page.getByTestId("helpline-crisis")).toContainText("стоит проверить");
});

test("from a talk it is one step away, and the talk is one step back", async ({ page }) => {
  await open(page, looks[0]!);
  await page.getByTestId("start-checkin").click();
  await type(page, said.ru.crisis);
  await tabTo(page, "talk-care", true);
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("care")).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(page.getByTestId("calm-says")).toContainText("живой человек");
});

test("the tray's small window has it too", async ({ page }) => {
  const look = { ...looks[0]!, width: 360, height: 480 };
  await page.setViewportSize(look);
  await page.goto("/?lang=ru&theme=light&pace=0#/tray");
  await page.getByTestId("talk-care").click();
  await looksRight(page, look, "care-tray");
  await page.getByTestId("care-back").click();
  await expect(page.getByTestId("calm-says")).toBeVisible();
});
