/** Keys that are pressed, as the program names them: `Ctrl+Alt+C`. */

export interface Pressed {
  code: string;
  ctrlKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
  metaKey: boolean;
}

/** By the place of the key, as in a Russian layout it is another letter; `null` for a key that cannot be one. */
function keyName(code: string): string | null {
  const plain = /^(?:Key([A-Z])|Digit(\d))$/.exec(code);
  if (plain) return plain[1] ?? plain[2] ?? null;
  return code === "Space" || /^F(?:[1-9]|1[0-2])$/.test(code) ? code : null;
}

/** What a press in the field means: keys, too little for a shortcut, or nothing to do with it. */
export function pressedKeys(event: Pressed): { keys: string } | "weak" | "clear" | null {
  const { code, ctrlKey, altKey, shiftKey, metaKey } = event;
  const held = ctrlKey || altKey || metaKey;
  if (!held && (code === "Backspace" || code === "Delete")) return "clear";
  // Tab and Esc lead out of the field, and modifiers wait for their key.
  if (code === "Tab" || code === "Escape" || /^(Control|Alt|Shift|Meta|OS)/.test(code)) return null;
  const key = keyName(code);
  if (key === null || !held) return "weak";
  const names = [ctrlKey && "Ctrl", altKey && "Alt", shiftKey && "Shift", metaKey && "Super", key];
  return { keys: names.filter(Boolean).join("+") };
}
