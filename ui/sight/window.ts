/** The rehearsed window in a browser, and what every picture of it must be. */
import { readFileSync } from "node:fs";
import { expect, test as base, type Page } from "@playwright/test";
import type axe from "axe-core";

const rules = readFileSync("node_modules/axe-core/axe.min.js", "utf8");

export interface Look {
  lang: "ru" | "en";
  theme: "light" | "dark";
  width: number;
  height: number;
}

export const looks: Look[] = (["ru", "en"] as const).flatMap((lang) =>
  (["light", "dark"] as const).flatMap((theme) =>
    [
      { width: 900, height: 600 },
      { width: 1920, height: 1080 },
    ].map((size) => ({ lang, theme, ...size })),
  ),
);

export const named = ({ lang, theme, width, height }: Look) =>
  `${lang}, ${theme}, ${width}×${height}`;

export const said = {
  ru: { loss: "минус двести, но всё по плану", crisis: "не хочу жить", night: "спал мало" },
  en: {
    loss: "down two hundred, by the plan",
    crisis: "I don't want to live",
    night: "slept badly",
  },
};

/** A page whose script never fails unnoticed. */
export const test = base.extend({
  page: async ({ page }, use) => {
    const failures: string[] = [];
    page.on("pageerror", (error) => failures.push(error.message));
    await page.emulateMedia({ reducedMotion: "reduce" });
    await use(page);
    expect(failures).toEqual([]);
  },
});

export async function open(page: Page, look: Look, more = "", house = true): Promise<void> {
  await page.setViewportSize(look);
  const now = encodeURIComponent("2026-11-17T09:12:00+03:00");
  await page.goto(`/?lang=${look.lang}&theme=${look.theme}&pace=0&now=${now}${more}`);
  if (house) await page.getByTestId("nav-today").waitFor();
}

export async function type(page: Page, text: string): Promise<void> {
  const field = page.getByTestId("type-input");
  if (!(await field.isVisible())) await page.getByTestId("type-open").click();
  await field.fill(text);
  await field.press("Enter");
}

/** Readable by everybody, nothing cut off sideways, nothing too small to press; kept as a picture. */
export async function looksRight(page: Page, look: Look, name: string): Promise<void> {
  await page.evaluate(rules);
  const violations = await page.evaluate(async () => {
    const found = await (window as unknown as { axe: typeof axe }).axe.run();
    return found.violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map((node) => node.target).join()}`,
    );
  });
  expect(violations).toEqual([]);
  const faults = await page.evaluate(() => {
    const shown = (element: Element) => element.getClientRects().length > 0;
    const of = (element: Element) =>
      element.getAttribute("data-testid") ?? element.outerHTML.slice(0, 90);
    /** What scrolls or hides its overflow must not do so sideways; three dots are said to be there. */
    const wide = [...document.querySelectorAll("html, body, main, main *")].filter((element) => {
      const style = getComputedStyle(element);
      return (
        shown(element) &&
        element.scrollWidth > element.clientWidth + 1 &&
        (element.matches("html, body, main") || style.overflowX !== "visible") &&
        style.clipPath === "none" &&
        style.textOverflow !== "ellipsis" &&
        !element.matches("svg, input, textarea")
      );
    });
    const small = [...document.querySelectorAll("button, select, input:not([type=radio])")].filter(
      (element) => shown(element) && element.getBoundingClientRect().height < 40,
    );
    return [...wide.map((it) => `cut off: ${of(it)}`), ...small.map((it) => `small: ${of(it)}`)];
  });
  expect(faults).toEqual([]);
  const folder = process.env["CALM_PICTURES"];
  if (folder) {
    const file = `${name}-${look.lang}-${look.theme}-${look.width}.png`;
    await page.screenshot({ path: `${folder}/${file}` });
  }
}

/** With the keyboard alone: Tab until the element has the focus, and is seen to have it. */
export async function tabTo(page: Page, id: string, back = false): Promise<void> {
  for (let steps = 0; steps < 60; steps += 1) {
    await page.keyboard.press(back ? "Shift+Tab" : "Tab");
    const reached = await page.evaluate(
      () => document.activeElement?.getAttribute("data-testid") ?? "",
    );
    if (reached === id) {
      const visible = await page.evaluate(() => document.activeElement?.matches(":focus-visible"));
      expect(visible, `${id} shows its focus`).toBe(true);
      await expect(page.getByTestId(id)).toBeInViewport();
      return;
    }
  }
  throw new Error(`${id} is not reached with Tab`);
}
