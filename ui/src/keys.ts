/**
 * What a key means on the conversation's stage. Pure, so that the rules fit a table test.
 *
 * A text field keeps all its keys but Esc; a control reached with Tab keeps Space and Enter.
 */
export type Meaning =
  { does: "talk" } | { does: "close" } | { does: "answer"; value: number } | null;

export interface Press {
  key: string;
  /** Ctrl, Alt or Meta is held: the key belongs to the system or the browser. */
  chord: boolean;
  repeat: boolean;
  focus: "text" | "control" | "none";
  scaleShown: boolean;
}

export function meaning({ key, chord, repeat, focus, scaleShown }: Press): Meaning {
  if (chord || repeat) return null;
  if (key === "Escape") return { does: "close" };
  if (focus === "text") return null;
  if (key === " ") return focus === "none" ? { does: "talk" } : null;
  if (scaleShown && /^\d$/.test(key))
    return { does: "answer", value: key === "0" ? 10 : Number(key) };
  return null;
}

/** Where the focus is, as far as keys care. A button merely clicked does not keep the space bar. */
export function focusOf(element: Element | null): Press["focus"] {
  if (element === null) return "none";
  // An editor's field lies in a root of its own; from outside only its host has the focus.
  if (element.matches("[data-editor]")) return "text";
  if (element.matches("textarea, select, input:not([type=radio], [type=checkbox])")) return "text";
  if (element.matches("button, a, input, [role=switch]") && element.matches(":focus-visible"))
    return "control";
  return "none";
}
