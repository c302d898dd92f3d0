import { expect, type Page } from "@playwright/test";
import { looks, looksRight, named, open, tabTo, test, type Look } from "./window";

const editor = (page: Page) => page.getByTestId("prompt-text");

async function enter(page: Page, look: Look, more = "") {
  await open(page, look, more);
  await page.getByTestId("nav-prompts").click();
  await editor(page).waitFor();
}

/** At the end of the text. */
async function write(page: Page, text: string) {
  await editor(page).click();
  await page.keyboard.press("Control+End");
  await page.keyboard.insertText(text);
}

for (const look of looks) {
  test(`prompts: ${named(look)}`, async ({ page }) => {
    await enter(page, look);
    await expect(page.getByTestId("prompt-path")).toHaveText(`${look.lang}/root.md`);
    await looksRight(page, look, "prompts-files");

    await write(page, "\n{{usr.name}} We value your feedback\n");
    await expect(page.getByTestId("prompts-finding-0")).toContainText("usr.name");
    await expect(page.getByTestId("prompts-finding-1")).toContainText(
      look.lang === "ru" ? "по-казённому" : "form letter",
    );
    await looksRight(page, look, "prompts-findings");

    await page.getByTestId("prompt-save").click();
    await page.getByTestId("prompts-finalize").click();
    await page.getByTestId("prompts-finalize-do").click();
    await expect(page.getByTestId("prompts-finalize-refusal")).not.toBeEmpty();
    await looksRight(page, look, "prompts-refused");
    await page.getByTestId("prompts-finalize-leave").click();

    await page.getByTestId("prompts-tab-preview").click();
    await expect(page.getByTestId("preview-problem")).toContainText("usr.name");
    await looksRight(page, look, "prompts-problem");
    await page.getByTestId("preview-set-in_use").check({ force: true });
    await page.getByTestId("preview-more").click();
    await expect(page.getByTestId("preview-message-0")).toContainText("Calm");
    await looksRight(page, look, "prompts-preview");

    await page.getByTestId("prompts-tab-versions").click();
    await expect(page.getByTestId("version-0.2.0-mine.1")).toBeVisible();
    await expect(page.getByTestId("prompts-difference")).toBeVisible();
    await looksRight(page, look, "prompts-versions");

    await page.getByTestId("prompts-tab-coverage").click();
    await expect(page.getByTestId("coverage-empty")).toBeVisible();
    await page.getByTestId("coverage-run").click();
    await expect(page.getByTestId("coverage-gaps")).toBeVisible();
    await looksRight(page, look, "prompts-coverage");

    await page.getByTestId("prompts-tab-sandbox").click();
    await page.getByTestId("sandbox-run").click();
    await expect(page.getByTestId("sandbox-sum")).toContainText("3");
    await looksRight(page, look, "prompts-sandbox");
  });
}

const look = looks[0]!;

test("what was written outlives leaving the room, and the page", async ({ page }) => {
  await enter(page, look);
  await write(page, "полмысли");
  await page.getByTestId("nav-today").click();
  await page.getByTestId("nav-prompts").click();
  await expect(editor(page)).toContainText("полмысли");
  await expect(page.getByTestId("prompts-row-ru/root.md")).toContainText("не сохранено");
});

test("an edit is kept with Ctrl+S, taken back with a second word, and Ctrl+Z is the editor's", async ({
  page,
}) => {
  await enter(page, look);
  await write(page, "Короче.");
  await page.keyboard.press("Control+z");
  await expect(editor(page)).not.toContainText("Короче.");
  await page.keyboard.insertText("Короче.");
  await page.keyboard.press("Control+s");
  await expect(page.getByTestId("prompt-state")).toContainText("сохранена");
  await expect(page.getByTestId("prompts-row-ru/root.md")).toContainText("правка");
  await page.getByTestId("prompt-take-back").click();
  await page.getByTestId("prompt-take-back-yes").click();
  await expect(editor(page)).not.toContainText("Короче.");
  await expect(page.getByTestId("prompts-row-ru/root.md")).not.toContainText("правка");
});

test("a finding leads to its place, in another file too", async ({ page }) => {
  await enter(page, look);
  await write(page, "\n{{usr.name}}");
  await page.getByTestId("prompt-first-finding").click();
  await page.keyboard.insertText("Y{{usr.name}}");
  await expect(editor(page)).toContainText("Y{{usr.name}}");
  await page.getByTestId("prompts-finding-0").click();
  await page.keyboard.insertText("X");
  await expect(editor(page)).not.toContainText("usr.name");
  await expect(page.getByTestId("prompts-findings-none")).toBeVisible();

  await page.keyboard.insertText("{{usr.name}}");
  await page.getByTestId("prompts-row-base/base/").click();
  await page.getByTestId("prompts-row-ru/base/tone.md").click();
  await expect(page.getByTestId("prompt-path")).toHaveText("ru/base/tone.md");
});

test("Ctrl+F finds in the text, Enter goes on, Esc goes back to where it was found", async ({
  page,
}) => {
  await enter(page, look);
  await write(page, "\nblue turtle\nsecond turtle");
  await page.keyboard.press("Control+f");
  const search = page.locator(".cm-search");
  await expect(search.getByRole("textbox", { name: "Найти" })).toBeFocused();
  await page.keyboard.type("Turtle");
  await expect(page.locator(".cm-searchMatch")).toHaveCount(2);
  await page.keyboard.press("Enter");
  await expect(page.locator(".cm-searchMatch-selected")).toHaveCount(1);
  await looksRight(page, look, "prompts-find");

  await page.keyboard.press("Escape");
  await expect(search).toHaveCount(0);
  await page.keyboard.type("fish");
  await expect(editor(page)).toContainText("blue fish");
  await expect(editor(page)).toContainText("second turtle");
});

test("with the keyboard alone: the tree, the editor and out of it again", async ({ page }) => {
  await enter(page, look);
  await tabTo(page, "prompts-tab-files");
  await tabTo(page, "prompts-language-ru");
  await tabTo(page, "prompts-row-ru/root.md");
  await page.keyboard.press("ArrowDown");
  await expect(page.getByTestId("prompts-row-base/base/")).toBeFocused();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await expect(page.getByTestId("prompts-row-ru/base/identity.md")).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("prompt-path")).toHaveText("ru/base/identity.md");
  await tabTo(page, "prompts-add");
  await page.keyboard.press("Tab");
  await expect(editor(page)).toBeFocused();
  await page.keyboard.insertText("A");
  await page.keyboard.press("Shift+Tab");
  await tabTo(page, "prompt-save", true);
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("prompts-row-ru/base/identity.md")).toContainText("правка");
});

test("a file of a variant is added as a copy of what it varies", async ({ page }) => {
  await enter(page, look);
  await page.getByTestId("prompts-add").click();
  await page.getByTestId("prompts-add-path").fill("variants/gentle/ru/base/tone.md");
  await looksRight(page, look, "prompts-add");
  await page.getByTestId("prompts-add-do").click();
  await expect(editor(page)).toContainText("Говори коротко");
  await page.getByTestId("prompt-save").click();
  await expect(
    page.getByTestId("prompts-row-variants/gentle/ru/base/tone.md"),
  ).toContainText("новый");
});

test("Esc leaves the sheet of a new version, and nothing is made", async ({ page }) => {
  await enter(page, look);
  await write(page, "Короче.");
  await page.getByTestId("prompt-save").click();
  await page.getByTestId("prompts-finalize").click();
  await page.getByTestId("prompts-finalize-name").press("Escape");
  await expect(page.getByTestId("prompts-finalize")).toBeFocused();
  await page.keyboard.press("Enter");
  await page.getByTestId("prompts-finalize-do").click();
  await expect(page.getByTestId("prompts-says")).toContainText("в работе");
  await expect(page.getByTestId("prompts-standing")).toContainText("твоя версия");
});

test("tabs turn with the arrows", async ({ page }) => {
  await enter(page, look);
  await page.getByTestId("prompts-tab-files").focus();
  await page.keyboard.press("ArrowRight");
  await expect(page.getByTestId("prompts-tab-preview")).toBeFocused();
  await expect(page.getByTestId("preview-messages")).toBeVisible();
  await page.keyboard.press("End");
  await expect(page.getByTestId("prompts-tab-sandbox")).toHaveAttribute("aria-selected", "true");
});

test("going back is one click and one yes, and stands in the log", async ({ page }) => {
  await enter(page, look);
  await page.getByTestId("prompts-tab-versions").click();
  await page.getByTestId("version-0.2.0-mine.1-use").click();
  await page.getByTestId("version-0.2.0-mine.1-use-yes").click();
  await expect(page.getByTestId("versions-says")).toContainText("0.2.0-mine.1");
  await expect(page.getByTestId("prompts-standing")).toContainText("0.2.0-mine.1");
  await expect(page.getByTestId("versions-log").locator("li").first()).toContainText("тобой");
});

test("with nothing done yet every part says what will be there", async ({ page }) => {
  await open(page, look, "&first", false);
  await page.getByTestId("first-run-skip").click();
  await page.getByTestId("nav-prompts").click();
  await expect(page.getByTestId("prompts-findings-none")).toBeVisible();
  await page.getByTestId("prompts-tab-versions").click();
  await expect(page.getByTestId("version-0.2.0")).toContainText("Законченных разговоров пока нет");
  await expect(page.getByTestId("variants-none")).toContainText("manifest.toml");
  await expect(page.getByTestId("prompts-difference")).toContainText("Тексты одинаковы");
  await page.getByTestId("prompts-tab-coverage").click();
  await expect(page.getByTestId("coverage-empty")).toBeVisible();
  await page.getByTestId("prompts-tab-sandbox").click();
  await expect(page.getByTestId("sandbox-empty")).toBeVisible();
});

test("at twice the size nothing is cut off", async ({ page }) => {
  const small: Look = { ...look, width: 450, height: 400 };
  await enter(page, small);
  await looksRight(page, small, "prompts-200");
  for (const tab of ["preview", "versions", "coverage", "sandbox"]) {
    await page.getByTestId(`prompts-tab-${tab}`).click();
    await page.getByTestId(`prompts-panel-${tab}`).waitFor();
    await looksRight(page, small, `prompts-200-${tab}`);
  }
});
