/** The files of the prompts as a tree: what belongs to a language, by what it is for. */
import type { PromptFileCard } from "../../wire";

/** A language of the prompts, or what all of them share and what only the envelopes have. */
export type Shelf = "ru" | "en" | "other";

/** What a file is for, in the order of the tree. */
export const purposes = [
  "base",
  "envelope",
  "guide",
  "practices",
  "knowledge",
  "patterns",
  "variants",
  "shared",
] as const;
export type Purpose = (typeof purposes)[number];

export interface Row {
  /** Unique in the tree: a path inside it. */
  id: string;
  /** From 1. */
  level: number;
  /** Its place among its neighbours, from 1, and how many they are. */
  place: number;
  of: number;
  /** `null` for a file. */
  folder: Purpose | string | null;
  name: string;
  file: PromptFileCard | null;
}

const isLanguage = (part: string | undefined): part is string => /^[a-z]{2}(\.toml)?$/.test(part ?? "");

export function shelfOf(path: string): Shelf {
  const parts = path.split("/").slice(0, -1);
  const of = [...parts, ...(path.startsWith("patterns/") ? [path.slice(9).replace(".toml", "")] : [])];
  if (of.includes("ru")) return "ru";
  return of.includes("en") ? "en" : "other";
}

/** What a path is for, and the rest of it below that. */
function sorted(path: string): { purpose: Purpose; rest: string[] } {
  const parts = path.split("/");
  const [first = "", second] = parts;
  if (parts.length === 1) return { purpose: "shared", rest: parts };
  if (isLanguage(first)) return { purpose: "base", rest: parts.slice(1) };
  const purpose = purposes.find((known) => known === first) ?? "shared";
  if (purpose === "shared") return { purpose, rest: parts };
  const shared = shelfOf(path) === "other" || parts.length === 2;
  return { purpose, rest: isLanguage(second) && !shared ? parts.slice(2) : parts.slice(1) };
}

interface Folder {
  folders: Map<string, Folder>;
  files: Map<string, PromptFileCard>;
}

const empty = (): Folder => ({ folders: new Map(), files: new Map() });

/** The rows that are seen while `open` says which folders are; every folder's id ends in a slash. */
export function rows(
  files: PromptFileCard[],
  shelf: Shelf,
  open: (id: string) => boolean,
): Row[] {
  const top = empty();
  for (const file of files) {
    if (shelfOf(file.path) !== shelf) continue;
    const { purpose, rest } = sorted(file.path);
    let at = top;
    for (const part of [purpose, ...rest.slice(0, -1)]) {
      const below = at.folders.get(part) ?? empty();
      at.folders.set(part, below);
      at = below;
    }
    at.files.set(rest.at(-1) ?? file.path, file);
  }
  const order = (name: string) => purposes.findIndex((purpose) => purpose === name);
  const all: Row[] = [];
  const lay = (folder: Folder, above: string, level: number) => {
    const folders = [...folder.folders.entries()].sort(([a], [b]) =>
      level === 1 ? order(a) - order(b) : a.localeCompare(b),
    );
    const own = [...folder.files.entries()].sort(([a], [b]) => a.localeCompare(b));
    const of = folders.length + own.length;
    let place = 0;
    // A prompt's root stands before what it includes.
    for (const [name, file] of own) {
      all.push({ id: above + name, level, place: (place += 1), of, folder: null, name, file });
    }
    for (const [name, below] of folders) {
      const id = `${above}${name}/`;
      all.push({ id, level, place: (place += 1), of, folder: name, name, file: null });
      if (open(id)) lay(below, id, level + 1);
    }
  };
  lay(top, "", 1);
  return all;
}

/** The folders that must be open for a file to be seen. */
export function above(path: string): string[] {
  const { purpose, rest } = sorted(path);
  const parts = [purpose, ...rest.slice(0, -1)];
  return parts.map((_, index) => `${parts.slice(0, index + 1).join("/")}/`);
}

/** Where an arrow key leads from a row of the tree; `null` stays. */
export function step(
  all: Row[],
  at: number,
  key: string,
  isOpen: (id: string) => boolean,
): { to: number } | { turn: string } | null {
  const row = all[at];
  if (!row) return null;
  if (key === "ArrowDown") return at + 1 < all.length ? { to: at + 1 } : null;
  if (key === "ArrowUp") return at > 0 ? { to: at - 1 } : null;
  if (key === "Home") return { to: 0 };
  if (key === "End") return { to: all.length - 1 };
  if (key === "ArrowRight" && row.folder !== null) {
    if (!isOpen(row.id)) return { turn: row.id };
    return all[at + 1]?.level === row.level + 1 ? { to: at + 1 } : null;
  }
  if (key === "ArrowLeft") {
    if (row.folder !== null && isOpen(row.id)) return { turn: row.id };
    const parent = all.slice(0, at).findLastIndex(({ level }) => level < row.level);
    return parent < 0 ? null : { to: parent };
  }
  return null;
}
