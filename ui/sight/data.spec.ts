import { expect, type Page } from "@playwright/test";
import { looks, looksRight, named, open, tabTo, test } from "./window";

const file = (name: string) => ({ name, mimeType: "application/zip", buffer: Buffer.from("PK") });

async function openData(page: Page): Promise<void> {
  await page.getByTestId("nav-settings").click();
  await page.getByTestId("settings-data").click();
  await page.getByTestId("export-take").waitFor();
}

for (const look of looks) {
  test(`data: ${named(look)}`, async ({ page }) => {
    await open(page, look);
    await openData(page);
    await looksRight(page, look, "data");
    await page.getByTestId("import-file").setInputFiles([file("calm-export-2026-10-30.zip")]);
    await expect(page.getByTestId("import-sheet")).toContainText("42");
    await looksRight(page, look, "data-import");
    await page.getByTestId("keep-talks").selectOption("30 days");
    await expect(page.getByTestId("keep-would")).toContainText("3");
    await page.getByTestId("passphrase-set").click();
    await page.getByTestId("passphrase-save").scrollIntoViewIfNeeded();
    await looksRight(page, look, "data-keep");
    await page.getByTestId("erase-ask").click();
    await page.getByTestId("erase-no").scrollIntoViewIfNeeded();
    await looksRight(page, look, "data-erase");
    await page.getByTestId("erase-typed").fill(look.lang === "ru" ? "Стереть" : "erase");
    await page.getByTestId("erase-yes").click();
    await expect(page.getByTestId("erased")).toBeFocused();
    await looksRight(page, look, "data-erased");
    await page.getByTestId("begin-anew").click();
    await page.getByTestId("first-run-skip").waitFor();
  });

  test(`locked: ${named(look)}`, async ({ page }) => {
    await page.emulateMedia({ colorScheme: look.theme });
    await page.addInitScript(
      (language) => Object.defineProperty(navigator, "language", { value: language }),
      look.lang,
    );
    await open(page, look, "&words=quiet+morning", false);
    await expect(page.getByTestId("lock-words")).toBeFocused();
    await expect(page.getByTestId("lock-open")).toHaveText(
      look.lang === "ru" ? "Открыть" : "Open",
    );
    await looksRight(page, look, "lock");
    await page.keyboard.type("loud morning");
    await page.keyboard.press("Enter");
    await expect(page.getByTestId("lock-wrong")).not.toBeEmpty();
    await looksRight(page, look, "lock-wrong");
    await expect(page.getByTestId("lock-words")).toHaveValue("");
    await page.keyboard.type("quiet morning");
    await page.keyboard.press("Enter");
    await expect(page.getByTestId("nav-today")).toBeVisible();
  });

  test(`a talk deleted: ${named(look)}`, async ({ page }) => {
    await open(page, look);
    await page.getByTestId("nav-history").click();
    await page.getByTestId("session-earlier-1").click();
    await page.getByTestId("talk-delete").click();
    await expect(page.getByTestId("talk-keep")).toBeFocused();
    await looksRight(page, look, "talk-would");
    await page.getByTestId("talk-delete-yes").click();
    await expect(page.getByTestId("session-earlier-2")).toBeVisible();
    await expect(page.getByTestId("session-earlier-1")).toHaveCount(0);
  });
}

for (const look of [looks[0]!, looks[6]!]) {
  test(`a talk deleted that left traces: ${named(look)}`, async ({ page }) => {
    await open(page, look, "&traces");
    await page.getByTestId("nav-history").click();
    await page.getByTestId("session-earlier-1").click();
    await page.getByTestId("talk-delete").click();
    await page.getByTestId("talk-delete-yes").click();
    await expect(page.getByTestId("session-earlier-1")).toHaveCount(0);
    await expect(page.getByTestId("notice")).toContainText(
      look.lang === "ru" ? "или в его копии" : "or in a copy of it",
    );
    await looksRight(page, look, "talk-traces");
    await page.getByTestId("notice").getByRole("button").click();
    await expect(page.getByTestId("notice")).toHaveCount(0);
  });
}

const look = looks[0]!;

test("everything goes out, and a foreign file is refused kindly", async ({ page }) => {
  await open(page, look);
  await openData(page);
  await page.getByTestId("export-place").selectOption("documents");
  await page.getByTestId("export-take").click();
  await expect(page.getByTestId("export-says")).toContainText("/Documents/calm-export");
  await expect(page.getByTestId("export-unread")).toHaveCount(0);
  await page.getByTestId("export-place").selectOption("other");
  await page.getByTestId("export-take").click();
  await expect(page.getByTestId("export-unread")).toContainText("tools.md: это не текст");
  await looksRight(page, look, "data-unread");
  await page.getByTestId("import-file").setInputFiles([file("photos.zip")]);
  await expect(page.getByTestId("notice")).toContainText("не выгрузка");
  await page.getByTestId("import-file").setInputFiles([file("calm-export.zip")]);
  await page.getByTestId("import-take").click();
  await expect(page.getByTestId("import-says")).toContainText("42");
});

test("a shorter time is chosen, thought over, then kept", async ({ page }) => {
  await open(page, look);
  await openData(page);
  await page.getByTestId("keep-talks").selectOption("30 days");
  await page.getByTestId("keep-leave").click();
  await expect(page.getByTestId("keep-talks")).toHaveValue("forever");
  await page.getByTestId("keep-talks").selectOption("30 days");
  await page.getByTestId("keep-save").click();
  await expect(page.getByTestId("keep-says")).toContainText("разговоров 3");
});

test("with the keyboard alone: a phrase that is too short, one that differs, one that is set", async ({
  page,
}) => {
  await open(page, look);
  await openData(page);
  await tabTo(page, "passphrase-set");
  await page.keyboard.press("Enter");
  await tabTo(page, "passphrase-new");
  await page.keyboard.type("тихо");
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("passphrase-wrong")).toContainText("восемь");
  await page.getByTestId("passphrase-new").fill("тихое утро");
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("passphrase-wrong")).toContainText("не совпали");
  await page.getByTestId("passphrase-new").fill("тихое утро");
  await page.getByTestId("passphrase-again").fill("тихое утро");
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("passphrase-says")).toContainText("Фраза задана");
  await expect(page.getByTestId("passphrase-change")).toBeVisible();
});
