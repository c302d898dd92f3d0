/** What a deletion takes along, in words. */
import { m } from "../../paraglide/messages.js";
import type { GoneCard } from "../../wire";

export function goneWords(gone: GoneCard): string {
  const parts: [number, (of: { count: number }) => string][] = [
    [gone.sessions, m.gone_talks],
    [gone.turns, m.gone_turns],
    [gone.memories, m.gone_memories],
    [gone.recordings, m.gone_recordings],
    [gone.reminders, m.gone_reminders],
    [gone.requests, m.gone_requests],
  ];
  const named = parts.filter(([count]) => count > 0).map(([count, words]) => words({ count }));
  return named.join(", ");
}

export const nothing = (gone: GoneCard) => gone.sessions + gone.recordings === 0;

/** The words that are typed to erase everything, however they are written. */
export function isTheWord(typed: string, word: string): boolean {
  return typed.trim().toLocaleLowerCase() === word.toLocaleLowerCase();
}
