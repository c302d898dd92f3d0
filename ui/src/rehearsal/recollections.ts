/** What Calm remembers and senses in a rehearsal; like the rest of it, this never ships. */
import type { Kind, Lang, MemoryCard, MemorySheet, NoteCard, RecalledCard, Sense } from "../wire";

/** A day that long ago, and the rehearsed session of it. */
type Source = [days: number, session: string, words: string | null];

interface Recollection {
  card: Omit<MemoryCard, "at" | "words">;
  words: Record<Lang, string>;
  sources: Record<Lang, Source[]>;
}

const plain = { pinned: false, corrected: false, told: false, state: "active" } as const;

const recollections: Recollection[] = [
  {
    card: { ...plain, id: "E7", level: "experiences", n: 3, pinned: true },
    words: {
      ru: "нормально, только спал мало, соседи шумели",
      en: "all right, just short on sleep, the neighbours were loud",
    },
    sources: {
      ru: [
        [1, "earlier-1", "спал мало, соседи шумели"],
        [5, "earlier-4", "почти не спал, голова тяжёлая"],
        [34, "earlier-5", "соседи опять до двух"],
      ],
      en: [
        [1, "earlier-1", "short on sleep, the neighbours were loud"],
        [5, "earlier-4", "hardly slept, my head is heavy"],
        [34, "earlier-5", "the neighbours again, until two"],
      ],
    },
  },
  {
    card: { ...plain, id: "E4", level: "experiences", n: 1 },
    words: {
      ru: "сначала злился, потом отпустило",
      en: "angry at first, then it let go",
    },
    sources: {
      ru: [[1, "earlier-0", "сначала злился, потом отпустило"]],
      en: [[1, "earlier-0", "angry at first, then it let go"]],
    },
  },
  {
    card: { ...plain, id: "E2", level: "experiences", n: 2, corrected: true },
    words: {
      ru: "после минуса хочется войти ещё раз, но это проходит минут за десять, если встать из-за стола",
      en: "after a loss I want to get back in, but it passes in ten minutes if I leave the desk",
    },
    sources: {
      ru: [
        [2, "earlier-2", "руки сами тянутся войти обратно"],
        [34, "earlier-5", null],
      ],
      en: [
        [2, "earlier-2", "my hands want to get back in"],
        [34, "earlier-5", null],
      ],
    },
  },
  {
    card: { ...plain, id: "P9", level: "patterns", n: 1, told: true, pinned: true },
    words: {
      ru: "После двух сделок я закрываю терминал.",
      en: "After two trades I close the terminal.",
    },
    sources: {
      ru: [[5, "earlier-4", "запомни: после двух сделок я закрываю терминал"]],
      en: [[5, "earlier-4", "remember: after two trades I close the terminal"]],
    },
  },
  {
    card: { ...plain, id: "P3", level: "patterns", n: 24 },
    words: {
      ru: "После так себе ночи план оставался в стороне: 6 из 9. После хорошей: 2 из 15.",
      en: "After a so-so night the plan was left in 6 of 9; after a good one in 2 of 15.",
    },
    sources: {
      ru: [
        [1, "earlier-0", null],
        [2, "earlier-2", null],
        [5, "earlier-3", null],
      ],
      en: [
        [1, "earlier-0", null],
        [2, "earlier-2", null],
        [5, "earlier-3", null],
      ],
    },
  },
  {
    card: { ...plain, id: "P5", level: "patterns", n: 31, state: "fading" },
    words: {
      ru: "После минуса аппетит к риску высокий: 7 из 11. В остальное время: 4 из 20. В последнее время это не подтверждается.",
      en: "After a loss your appetite for risk was high in 7 of 11; otherwise in 4 of 20. Lately it has not looked that way.",
    },
    sources: { ru: [[34, "earlier-5", null]], en: [[34, "earlier-5", null]] },
  },
  {
    card: { ...plain, id: "P6", level: "patterns", n: 18, state: "dismissed" },
    words: {
      ru: "По понедельникам итог в минус: 5 из 6. В другие дни: 4 из 12.",
      en: "On Mondays it closed in the red in 5 of 6; on other days in 4 of 12.",
    },
    sources: { ru: [[34, "earlier-5", null]], en: [[34, "earlier-5", null]] },
  },
  {
    card: { ...plain, id: "L1", level: "lessons", n: 4 },
    words: {
      ru: "Ответы про «результат» бывали мимо: тут Calm осторожнее.",
      en: "Replies about the result have missed before: Calm is more careful here.",
    },
    sources: {
      ru: [
        [2, "earlier-2", "не надо меня утешать"],
        [5, "earlier-3", "ну, плюс и плюс"],
      ],
      en: [
        [2, "earlier-2", "don't console me"],
        [5, "earlier-3", "a win is a win"],
      ],
    },
  },
];

function ago(now: Date, days: number): string {
  const at = new Date(now);
  at.setDate(at.getDate() - days);
  at.setHours(9, 5, 0, 0);
  return at.toISOString();
}

/** As the journal keeps them: changed in place by what the user does. */
export function remembered(language: Lang, now: Date): MemorySheet[] {
  return recollections.map(({ card, words, sources }) => ({
    card: { ...card, words: words[language], at: ago(now, sources[language][0]?.[0] ?? 0) },
    sources: sources[language].map(([days, session_id, said]) => ({
      session_id,
      at: ago(now, days),
      words: said,
    })),
  }));
}

/** What a plan has written down, twice. */
export function noted(language: Lang, now: Date): NoteCard[] {
  const text = language === "ru" ? "почему именно сейчас" : "why just now";
  return [2, 9].map((days) => ({ id: String(10 - days), at: ago(now, days), text }));
}

/** Whether each word of the query begins a word. */
export function fits(card: MemoryCard, query: string): boolean {
  const words = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const said = words(card.words);
  return words(query).every((asked) => said.some((word) => word.startsWith(asked)));
}

type Impression = Omit<Sense, "recalled"> & { recalls: string[] };

const even = { criticality: 0, complexity: 0, trust: 62 };

/** By the user's turns of a talk, in order. */
const impressions: Record<Kind, Record<Lang, Impression>[]> = {
  "check-in": [
    {
      ru: {
        ...even,
        labels: ["[УВЕР: MEDIUM]", "[ЖАНР: CHECK-IN]", "[МООД: устал]"],
        familiarity: 84,
        mood: "tired",
        method: "check-in",
        recalls: ["E7", "E2"],
      },
      en: {
        ...even,
        labels: ["[CONF: MEDIUM]", "[GENRE: CHECK-IN]", "[MOOD: tired]"],
        familiarity: 84,
        mood: "tired",
        method: "check-in",
        recalls: ["E7", "E2"],
      },
    },
    {
      ru: {
        ...even,
        labels: ["[УВЕР: MEDIUM]", "[ЖАНР: CHECK-IN]"],
        familiarity: 36,
        complexity: 30,
        mood: "neutral",
        method: "check-in",
        recalls: [],
      },
      en: {
        ...even,
        labels: ["[CONF: MEDIUM]", "[GENRE: CHECK-IN]"],
        familiarity: 36,
        complexity: 30,
        mood: "neutral",
        method: "check-in",
        recalls: [],
      },
    },
  ],
  "check-out": [
    {
      ru: {
        labels: ["[УВЕР: LOW]", "[ЖАНР: CHECK-OUT]", "[МООД: подавлен]", "[РИСК: РЕЗУЛЬТАТ]"],
        familiarity: 55,
        criticality: 40,
        complexity: 60,
        trust: 27,
        mood: "low",
        method: "check-out",
        recalls: ["E4"],
      },
      en: {
        labels: ["[CONF: LOW]", "[GENRE: CHECK-OUT]", "[MOOD: low]", "[RISK: RESULT]"],
        familiarity: 55,
        criticality: 40,
        complexity: 60,
        trust: 27,
        mood: "low",
        method: "check-out",
        recalls: ["E4"],
      },
    },
    {
      ru: {
        ...even,
        labels: ["[УВЕР: HIGH]", "[ЖАНР: CHECK-OUT]", "[МООД: злится]"],
        familiarity: 93,
        trust: 74,
        mood: "angry",
        method: "check-out",
        recalls: ["E4", "E2"],
      },
      en: {
        ...even,
        labels: ["[CONF: HIGH]", "[GENRE: CHECK-OUT]", "[MOOD: angry]"],
        familiarity: 93,
        trust: 74,
        mood: "angry",
        method: "check-out",
        recalls: ["E4", "E2"],
      },
    },
    {
      ru: {
        ...even,
        labels: ["[УВЕР: MEDIUM]", "[ЖАНР: РАЗБОР]"],
        familiarity: 20,
        mood: "neutral",
        method: "review",
        recalls: [],
      },
      en: {
        ...even,
        labels: ["[CONF: MEDIUM]", "[GENRE: REVIEW]"],
        familiarity: 20,
        mood: "neutral",
        method: "review",
        recalls: [],
      },
    },
  ],
};

const crisis: Impression = {
  labels: [],
  familiarity: 50,
  criticality: 100,
  complexity: 0,
  trust: 50,
  mood: "distressed",
  method: "distress",
  recalls: [],
};

export function inCrisis(text: string): boolean {
  return /не хочу жить|want to live/i.test(text);
}

export function sensed(kind: Kind, lang: Lang, turn: number, text: string, now: Date): Sense {
  const all = impressions[kind];
  const found = all[Math.min(turn, all.length - 1)]?.[lang];
  const { recalls, ...sense } = inCrisis(text) || !found ? crisis : found;
  const recalled = remembered(lang, now)
    .filter(({ card }) => recalls.includes(card.id))
    .map(({ card, sources }): RecalledCard => ({
      id: card.id,
      session_id: sources[0]?.session_id ?? null,
      at: card.at,
      words: card.words,
    }));
  return { ...sense, recalled };
}

/** What the guard and the judge made of the reply to each turn. */
export const judgements: Record<Kind, { guard: string[]; score: number; reasons: string[] }[]> = {
  "check-in": [
    { guard: [], score: 5, reasons: [] },
    { guard: [], score: 5, reasons: [] },
  ],
  "check-out": [
    { guard: ["advice", "advice"], score: 4, reasons: ["too_long"] },
    { guard: [], score: 5, reasons: [] },
    { guard: [], score: 3, reasons: ["echo"] },
  ],
};

/** Said to somebody in a crisis, before everything else. */
export const refuge: Record<Lang, string> = {
  ru: "Слышу, как тяжело. Сейчас важно, чтобы рядом был живой человек.\nТелефон доверия, бесплатно: 8-800-2000-122",
  en: "I hear how heavy this is. What matters now is a person beside you.\nCall or text 988, at any hour.",
};
