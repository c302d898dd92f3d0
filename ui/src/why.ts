/**
 * What a reply rests on, in words. Everything here is a guess of Calm's and is worded as one.
 *
 * The program sends codes; one that this window does not know becomes a neutral sentence.
 */
import { m } from "./paraglide/messages.js";
import type { Verdict, Why } from "./store/reduce";
import type { Sense } from "./wire";

type Word = () => string;

const moods: Record<string, Word> = {
  neutral: m.why_mood_neutral,
  calm: m.why_mood_calm,
  bright: m.why_mood_bright,
  anxious: m.why_mood_anxious,
  angry: m.why_mood_angry,
  low: m.why_mood_low,
  tired: m.why_mood_tired,
};

const methods: Record<string, Word> = {
  dialogue: m.why_method_dialogue,
  "check-in": m.why_method_check_in,
  "check-out": m.why_method_check_out,
  plan: m.why_method_plan,
  review: m.why_method_review,
  practice: m.why_method_practice,
  risk: m.why_method_risk,
};

/** Whether to speak with care; `MEDIUM` is how it usually is and needs no words. */
const confidence: Record<string, Word> = {
  LOW: m.why_confidence_low,
  HIGH: m.why_confidence_high,
};

const rules: Record<string, Word> = {
  advice: m.guard_advice,
  promise: m.guard_promise,
  diagnosis: m.guard_diagnosis,
  minimising: m.guard_minimising,
  voice: m.guard_voice,
  human_claim: m.guard_human_claim,
  pressure: m.guard_pressure,
  leak: m.guard_leak,
  shame: m.guard_shame,
  cheer: m.guard_cheer,
  self_harm: m.guard_self_harm,
  therapy_claim: m.guard_therapy_claim,
};

const reasons: Record<string, Word> = {
  boundary: m.reason_boundary,
  wrong_language: m.reason_wrong_language,
  empty: m.reason_empty,
  too_long: m.reason_too_long,
  too_curt: m.reason_too_curt,
  too_many_questions: m.reason_too_many_questions,
  echo: m.reason_echo,
  lecture: m.reason_lecture,
  cheerful: m.reason_cheerful,
};

/** In a crisis nothing is explained and nothing is scored. */
export function isCrisis({ sense }: Why): boolean {
  return sense !== null && (sense.method === "distress" || sense.mood === "distressed");
}

/** What Calm took the words for, a sentence each. */
export function impressionWords(sense: Sense): string[] {
  const mood = (moods[sense.mood] ?? m.why_mood_other)();
  const method = (methods[sense.method] ?? m.why_method_other)();
  const care = label(sense, "УВЕР", "CONF");
  const risk = label(sense, "РИСК", "RISK");
  const words = [mood, method];
  const careful = care === null ? undefined : confidence[care]?.();
  if (careful !== undefined) words.push(careful);
  if (risk !== null) words.push(m.why_risk_topic({ topic: risk.toLowerCase() }));
  return words;
}

/** `[РИСК: СОН]` is "СОН"; labels come in the language of the session, whatever the window speaks. */
function label({ labels }: Sense, ...names: string[]): string | null {
  for (const text of labels) {
    const [, name, value] = /^\[([^:\]]+):\s*(.+)\]$/.exec(text.trim()) ?? [];
    if (name !== undefined && value !== undefined && names.includes(name)) return value;
  }
  return null;
}

export interface Measure {
  key: "familiarity" | "criticality" | "complexity" | "trust";
  name: string;
  words: string;
  /** 0–100. */
  value: number;
}

/** The words change where the program itself begins to treat a message differently. */
const scales: { key: Measure["key"]; name: Word; steps: [below: number, words: Word][] }[] = [
  {
    key: "familiarity",
    name: m.why_familiarity,
    steps: [
      [40, m.why_familiarity_low],
      [60, m.why_familiarity_middle],
      [90, m.why_familiarity_high],
      [Infinity, m.why_familiarity_full],
    ],
  },
  {
    key: "criticality",
    name: m.why_criticality,
    steps: [
      [1, m.why_criticality_low],
      [40, m.why_criticality_middle],
      [Infinity, m.why_criticality_high],
    ],
  },
  {
    key: "complexity",
    name: m.why_complexity,
    steps: [
      [1, m.why_complexity_low],
      [50, m.why_complexity_middle],
      [Infinity, m.why_complexity_high],
    ],
  },
  {
    key: "trust",
    name: m.why_trust,
    steps: [
      [30, m.why_trust_low],
      [71, m.why_trust_middle],
      [Infinity, m.why_trust_high],
    ],
  },
];

export function measures(sense: Sense): Measure[] {
  return scales.map(({ key, name, steps }) => {
    const value = Math.min(100, Math.max(0, sense[key]));
    const words = steps.find(([below]) => value < below)?.[1] ?? name;
    return { key, name: name(), words: words(), value };
  });
}

/** What was not said, and why; several unknown rules are one sentence. */
export function guardWords(codes: readonly string[]): string[] {
  return each(codes, rules, m.guard_other);
}

export function verdictWords({ score, reasons: codes }: Verdict): {
  score: string;
  reasons: string[];
} {
  const value = Math.min(5, Math.max(1, Math.round(score)));
  return { score: m.why_score({ score: value }), reasons: each(codes, reasons, m.reason_other) };
}

function each(codes: readonly string[], known: Record<string, Word>, other: Word): string[] {
  return [...new Set(codes.map((code) => (known[code] ?? other)()))];
}
