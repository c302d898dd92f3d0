/** The desktop around a rehearsal; like the rest of it, this never ships. */
import type { ShellSheet } from "../wire";

/** What another program holds. */
const taken = "Ctrl+Alt+T";

export class Desktop {
  wayland = false;
  #shortcut = "";
  #atLogin = false;

  sheet(): ShellSheet {
    return {
      shortcut: this.#shortcut,
      shortcut_possible: !this.wayland,
      shortcut_works: this.#shortcut !== "",
      command: "/usr/bin/calmtrader --check-in",
      at_login: this.#atLogin,
      tray: !this.wayland,
    };
  }

  setShortcut(keys: string): ShellSheet {
    if (keys === taken) throw { code: "shortcut_taken", detail: "" };
    this.#shortcut = keys;
    return this.sheet();
  }

  startAtLogin(on: boolean): ShellSheet {
    this.#atLogin = on;
    return this.sheet();
  }
}
