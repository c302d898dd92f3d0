/**
 * Which window this page is, and where in it. `#/tray` and `#/tray/check-out` are the quick window, `#/tray/later` is
 * the same before anybody has asked for it, and `#/practice` is a room of the main one.
 */
import type { Screen } from "./store/app.svelte";
import type { Kind } from "./wire";

/** The session that the tray window opens with; `null` in the main window. */
export function trayKind(hash: string): Kind | null {
  const [, place, kind] = hash.split("/");
  if (place !== "tray") return null;
  return kind === "check-out" ? "check-out" : "check-in";
}

/** Nobody has asked for the quick window yet. */
export function isForLater(hash: string): boolean {
  return hash === "#/tray/later";
}

const rooms: readonly Screen[] = ["today", "talk", "practice", "history", "memory", "prompts", "care", "settings"];

/** The room of the main window that the address names, if any. */
export function roomOf(hash: string): Screen | null {
  const [, place] = hash.split("/");
  return rooms.find((room) => room === place) ?? null;
}
