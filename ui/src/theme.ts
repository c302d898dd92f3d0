/** Puts the chosen theme on the page and follows the system where the user left it to the system. */
import type { Theme } from "./wire";

const dark = window.matchMedia("(prefers-color-scheme: dark)");

export function wear(theme: Theme): () => void {
  const dress = () => {
    const isDark = theme === "dark" || (theme === "system" && dark.matches);
    document.documentElement.dataset["theme"] = isDark ? "dark" : "light";
  };
  dress();
  dark.addEventListener("change", dress);
  return () => dark.removeEventListener("change", dress);
}
