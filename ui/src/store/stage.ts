/**
 * How a session is laid on the stage: what stands alone, what stands under it,
 * and what has moved up and gone quiet.
 */
import type { Said, Talk } from "./reduce";

export interface Stage {
  /** Calm's sentence on the stage; `null` while Calm thinks. */
  calm: Said | null;
  /** The user's last words, under it. */
  user: Said | null;
  past: Said[];
}

export function stageOf(session: Talk): Stage {
  const { turns } = session;
  const last = turns.at(-1);
  if (last === undefined) return { calm: null, user: null, past: [] };
  if (last.who === "user") return { calm: null, user: last, past: turns.slice(0, -1) };
  const before = turns.at(-2);
  return before?.who === "user"
    ? { calm: last, user: before, past: turns.slice(0, -2) }
    : { calm: last, user: null, past: turns.slice(0, -1) };
}

export interface Spoken {
  /** What leads up to the last sentence; empty when all of it can stand large. */
  lead: string;
  main: string;
  size: "large" | "medium" | "text";
}

/** Longer than this, two sentences in one size compete with each other. */
const WHOLE_MAX = 44;
const LARGE_MAX = 72;
const MEDIUM_MAX = 150;
const TEXT_MIN = 260;

/**
 * A reply as it is spoken: the last sentence, usually the question, stands large and what leads up
 * to it smaller. Something long, or laid out in lines (a helpline, steps), stays one even text.
 */
export function spoken(reply: string): Spoken {
  const text = reply.trim();
  if (text.length > TEXT_MIN || text.includes("\n")) return { lead: "", main: text, size: "text" };
  if (text.length <= WHOLE_MAX) return { lead: "", main: text, size: "large" };
  const sentences = text.replace(/([.?!…])\s+(?=[«“"—\p{Lu}\d])/gu, "$1\n").split("\n");
  const main = sentences.pop() ?? text;
  const lead = sentences.join(" ");
  if (main.length <= LARGE_MAX) return { lead, main, size: "large" };
  if (main.length <= MEDIUM_MAX) return { lead, main, size: "medium" };
  return { lead: "", main: text, size: "text" };
}
