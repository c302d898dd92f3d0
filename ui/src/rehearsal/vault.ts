/** The data in the user's hands in a rehearsal; like the rest of it, this never ships. */
import type {
  ErasedSheet,
  ExportBrought,
  ExportDone,
  ExportFolder,
  ExportLook,
  ExportPlace,
  GoneCard,
  Retention,
  RetentionSheet,
} from "../wire";

const none: GoneCard = {
  sessions: 0,
  turns: 0,
  memories: 0,
  recordings: 0,
  reminders: 0,
  requests: 0,
  pairs: 0,
  traceless: true,
};

const folders: ExportFolder[] = [
  { place: "downloads", path: "/home/calm/Downloads" },
  { place: "documents", path: "/home/calm/Documents" },
  { place: "home", path: "/home/calm" },
];

export class Vault {
  #words: string;
  #open: boolean;
  #brought = false;
  #kept: Retention = { transcripts: "forever", recordings: "never" };

  readonly #clockAhead: boolean;

  constructor(words: string, clockAhead: boolean) {
    this.#words = words;
    this.#clockAhead = clockAhead;
    this.#open = words === "";
  }

  get locked(): boolean {
    return !this.#open;
  }

  folders(): ExportFolder[] {
    return structuredClone(folders);
  }

  export(place: ExportPlace): ExportDone {
    const folder = folders.find((one) => one.place === place);
    if (!folder) throw { code: "export_failed", detail: "" };
    return { path: `${folder.path}/calm-export-2026-11-17.zip`, recordings: 0, unread: [] };
  }

  exportElsewhere(): ExportDone {
    return {
      path: "/media/stick/calm-export-2026-11-17.zip",
      recordings: 0,
      unread: [{ path: "/home/calm/.local/share/calm/prompts/ru/tools.md", why: "not_text" }],
    };
  }

  look(name: string): ExportLook {
    if (!name.startsWith("calm-export")) throw { code: "bad_export", detail: "" };
    return { made_at: "2026-10-30T18:20:00Z", sessions: 42, rows: 1310 };
  }

  bring(name: string): ExportBrought {
    const { sessions, rows } = this.look(name);
    if (this.#brought) return { sessions: 0, rows: 0, known: rows };
    this.#brought = true;
    return { sessions, rows, known: 12 };
  }

  wouldDelete(): GoneCard {
    return { ...none, sessions: 1, turns: 4, memories: 2, reminders: 1, pairs: 1 };
  }

  retention(): RetentionSheet {
    return { keep: { ...this.#kept }, clock_ahead: this.#clockAhead };
  }

  wouldExpire({ transcripts }: Retention): GoneCard {
    if (!["30 days", "never"].includes(transcripts)) return none;
    return { ...none, sessions: 3, turns: 14, memories: 2 };
  }

  keep(keep: Retention): GoneCard {
    const gone = this.wouldExpire(keep);
    this.#kept = { ...keep };
    return gone;
  }

  hasWords(): boolean {
    return this.#words !== "";
  }

  unlock(words: string): void {
    if (words !== this.#words) throw { code: "wrong_passphrase", detail: "" };
    this.#open = true;
  }

  change(old: string, words: string): void {
    if (old !== this.#words) throw { code: "wrong_passphrase", detail: "" };
    this.#words = words;
  }

  erase(models: boolean): ErasedSheet {
    const folder = "/home/calm/.local/share/calm";
    const files = ["calm.key", "calm.db", "calm.db-wal", "session.lock"];
    this.#words = "";
    return {
      files: files.map((file) => `${folder}/${file}`),
      left: models ? [] : [`${folder}/models/whisper-base/model.bin`],
      left_in_keychain: false,
    };
  }
}
