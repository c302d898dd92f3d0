/** Which window this page is: `#/tray` and `#/tray/check-out` are the small one. */
import type { Kind } from "./wire";

/** The session the tray window opens with; `null` in the main window. */
export function trayKind(hash: string): Kind | null {
  const [, place, kind] = hash.split("/");
  if (place !== "tray") return null;
  return kind === "check-out" ? "check-out" : "check-in";
}
