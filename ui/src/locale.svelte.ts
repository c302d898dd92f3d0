/** The language of the window's own words; changing it re-renders them in place. */
import { overwriteGetLocale } from "./paraglide/runtime";
import type { Lang } from "./wire";

let current = $state<Lang>("en");
overwriteGetLocale(() => current);

export function speak(language: Lang): void {
  current = language;
  document.documentElement.lang = language;
}

export function language(): Lang {
  return current;
}
