/** The window's words for values of the wire, and its ways to write dates. */
import { m } from "./paraglide/messages.js";
import type { Chip, Delta, Kind, Lang, MemoryCard, MemoryLevel, NextAction } from "./wire";

type Word = () => string;

const chipNames: Record<string, Word> = {
  readiness: m.chip_readiness,
  trading_readiness: m.chip_readiness,
  stress: m.chip_stress,
  stress_level: m.chip_stress,
  energy: m.chip_energy,
  energy_level: m.chip_energy,
  emotion: m.chip_emotion,
  primary_emotion: m.chip_emotion,
  confidence: m.chip_confidence,
  sleep: m.chip_sleep,
  sleep_quality: m.chip_sleep,
  external_stressors: m.chip_external_stressors,
  planned_approach: m.chip_planned_approach,
  risk_appetite: m.chip_risk_appetite,
  session_result: m.chip_session_result,
  result_category: m.chip_result_category,
  plan_adherence: m.chip_plan_adherence,
  key_learnings: m.chip_key_learnings,
  regret_level: m.chip_regret_level,
  satisfaction: m.chip_satisfaction,
};

const sleep = {
  poor: m.value_poor,
  fair: m.value_fair,
  good: m.value_good,
  excellent: m.value_excellent,
};

/** By the names of the program: what the words said, and what the voice model says. */
const emotion = {
  calm: m.emotion_calm,
  focused: m.emotion_focused,
  confidence: m.emotion_confidence,
  joy: m.emotion_joy,
  relief: m.emotion_relief,
  excitement: m.emotion_excitement,
  anxiety: m.emotion_anxiety,
  fear: m.emotion_fear,
  frustration: m.emotion_frustration,
  anger: m.emotion_anger,
  sadness: m.emotion_sadness,
  guilt: m.emotion_guilt,
  fatigue: m.emotion_fatigue,
  boredom: m.emotion_boredom,
  neutral: m.emotion_neutral,
};

const chipValues: Record<string, Record<string, Word>> = {
  sleep,
  sleep_quality: sleep,
  emotion,
  primary_emotion: emotion,
  risk_appetite: { low: m.value_low, medium: m.value_medium, high: m.value_high },
  session_result: { win: m.value_win, loss: m.value_loss, breakeven: m.value_breakeven },
  result_category: { small: m.value_small, medium: m.value_middling, large: m.value_large },
  plan_adherence: {
    followed: m.value_followed,
    partially: m.value_partially,
    deviated: m.value_deviated,
    no_plan: m.value_no_plan,
  },
};

const outOfTen = new Set([
  "readiness",
  "trading_readiness",
  "stress",
  "stress_level",
  "energy",
  "energy_level",
  "regret_level",
  "satisfaction",
]);

/** The user's own words among the chips are long and take the whole width. */
const ownWords = new Set(["planned_approach", "key_learnings", "external_stressors"]);

/** What a talk of that kind may hold, in the order of the card. */
export function chipsOf(kind: Kind): string[] {
  return kind === "check-in"
    ? [
        "readiness",
        "stress",
        "energy",
        "emotion",
        "sleep",
        "risk_appetite",
        "planned_approach",
        "external_stressors",
      ]
    : [
        "session_result",
        "result_category",
        "plan_adherence",
        "stress",
        "energy",
        "emotion",
        "satisfaction",
        "regret_level",
        "key_learnings",
      ];
}

/** What a value can be; `null` where it is words of the user's. The first is that it was not said. */
export function valueOptions(key: string): { value: string; text: string }[] | null {
  const unsaid = { value: "", text: m.value_unsaid() };
  if (outOfTen.has(key))
    return [
      unsaid,
      ...Array.from({ length: 10 }, (_, index) => ({
        value: String(index + 1),
        text: m.of_ten({ value: index + 1 }),
      })),
    ];
  const known = chipValues[key];
  if (known === undefined) return null;
  return [
    unsaid,
    ...Object.entries(known)
      // The voice model's word; nobody says it of themselves.
      .filter(([value]) => value !== "neutral")
      .map(([value, text]) => ({ value, text: text() })),
  ];
}

export interface ChipWords {
  key: string;
  name: string;
  value: string;
  wide: boolean;
}

export function chipWords({ key, value }: Chip): ChipWords {
  return {
    key,
    name: (chipNames[key] ?? m.chip_other)(),
    value: valueWord(key, value),
    wide: ownWords.has(key),
  };
}

function valueWord(key: string, value: string): string {
  if (outOfTen.has(key) && /^\d+$/.test(value)) return m.of_ten({ value });
  return chipValues[key]?.[value]?.() ?? value;
}

export interface DeltaWords {
  key: string;
  name: string;
  before: string;
  after: string;
}

/** `null` where one side was not said: half a comparison says nothing. */
export function deltaWords({ key, before, after }: Delta): DeltaWords {
  const side = (value: string) => chipValues[key]?.[value]?.() ?? value;
  return {
    key,
    name: (chipNames[key] ?? m.chip_other)(),
    before: side(before),
    after: side(after),
  };
}

const nextWords: Record<NextAction, Word> = {
  proceed_to_trade: m.next_proceed_to_trade,
  take_break: m.next_take_break,
  do_practice: m.next_do_practice,
  seek_support: m.next_seek_support,
  none: m.next_none,
};

export function nextActionWords(action: NextAction): string {
  return nextWords[action]();
}

export function kindWords(kind: Kind): string {
  return kind === "check-in" ? m.kind_check_in() : m.kind_check_out();
}

export function kindTitle(kind: Kind): string {
  return kind === "check-in" ? m.station_check_in() : m.station_check_out();
}

export function resultWords(result: string | null): string | null {
  return result === null ? null : valueWord("session_result", result);
}

/** The levels of memory, in the order of the screen. */
export const memoryLevels: { level: MemoryLevel; name: Word; lead: Word; empty: Word }[] = [
  {
    level: "experiences",
    name: m.memory_experiences,
    lead: m.memory_experiences_lead,
    empty: m.memory_empty_experiences,
  },
  {
    level: "patterns",
    name: m.memory_patterns,
    lead: m.memory_patterns_lead,
    empty: m.memory_empty_patterns,
  },
  {
    level: "lessons",
    name: m.memory_lessons,
    lead: m.memory_lessons_lead,
    empty: m.memory_empty_lessons,
  },
];

export function levelWords(level: MemoryLevel): string {
  return memoryLevels.find((known) => known.level === level)?.name() ?? "";
}

/** A moment is told in the user's words of then; a correction, like a pattern, speaks for itself. */
export function memoryWords({ level, corrected, words }: MemoryCard): string {
  return level === "experiences" && !corrected ? m.quoted({ text: words }) : words;
}

const grounds: Record<MemoryLevel, (inputs: { count: number }) => string> = {
  experiences: m.memory_n_experiences,
  patterns: m.memory_n_patterns,
  lessons: m.memory_n_lessons,
};

/** The n of a guess, in what it counts. */
export function restsOn({ level, n }: Pick<MemoryCard, "level" | "n">): string {
  return grounds[level]({ count: n });
}

/** What else is to be known of a memory at a glance; the pin is drawn apart. */
export function markWords({
  told,
  corrected,
  state,
}: MemoryCard): { key: string; words: string }[] {
  const marks: [string, boolean, Word][] = [
    ["told", told, m.memory_told],
    ["corrected", corrected, m.memory_corrected],
    ["fading", state === "fading", m.memory_fading],
    ["dismissed", state === "dismissed", m.memory_dismissed],
  ];
  return marks.filter(([, is]) => is).map(([key, , words]) => ({ key, words: words() }));
}

const styles: [string, Word][] = [
  ["", m.settings_style_unset],
  ["scalping", m.style_scalping],
  ["day", m.style_day],
  ["swing", m.style_swing],
  ["position", m.style_position],
  ["long_term", m.style_long_term],
];

export function styleOptions(): { value: string; text: string }[] {
  return styles.map(([value, text]) => ({ value, text: text() }));
}

/** What the one button under an error does; `null` where reading it is enough. */
export type Remedy = "type" | "again" | null;

interface ErrorWords {
  text: Word;
  remedy: Remedy;
}

const errors: Record<string, ErrorWords> = {
  model_missing: { text: m.error_model_missing, remedy: "type" },
  model_damaged: { text: m.error_model_damaged, remedy: "type" },
  no_microphone: { text: m.error_no_microphone, remedy: "type" },
  microphone_denied: { text: m.error_microphone_denied, remedy: "type" },
  handed_over: { text: m.error_handed_over, remedy: null },
  microphone_lost: { text: m.error_microphone_lost, remedy: "again" },
  microphone_away: { text: m.error_microphone_away, remedy: null },
  microphone_other: { text: m.error_microphone_other, remedy: null },
  microphone_silent: { text: m.error_microphone_silent, remedy: null },
  microphone_clipping: { text: m.error_microphone_clipping, remedy: null },
  microphone_busy: { text: m.error_microphone_busy, remedy: "again" },
  microphone_failed: { text: m.error_microphone_failed, remedy: "type" },
  not_enough_speech: { text: m.error_not_enough_speech, remedy: "again" },
  nothing_heard: { text: m.error_nothing_heard, remedy: "again" },
  no_words: { text: m.error_no_words, remedy: "again" },
  disk_full: { text: m.error_disk_full, remedy: null },
  store_locked: { text: m.error_store_locked, remedy: null },
  newer_database: { text: m.error_newer_database, remedy: null },
  keychain_unavailable: { text: m.error_keychain_unavailable, remedy: null },
  session_running: { text: m.error_session_running, remedy: null },
  hearing_failed: { text: m.error_hearing_failed, remedy: "type" },
  wrong_key: { text: m.error_wrong_key, remedy: null },
  database_damaged: { text: m.error_database_damaged, remedy: null },
  folder: { text: m.error_folder, remedy: null },
  no_open_session: { text: m.error_no_open_session, remedy: null },
  model_not_fetched: { text: m.error_model_not_fetched, remedy: "type" },
  not_found: { text: m.error_not_found, remedy: null },
  bad_input: { text: m.error_bad_input, remedy: null },
  no_such_session: { text: m.error_no_such_session, remedy: null },
  offline: { text: m.error_offline, remedy: null },
  bad_plan: { text: m.error_bad_plan, remedy: null },
  bad_reminder: { text: m.error_bad_reminder, remedy: null },
  bad_setting: { text: m.error_bad_setting, remedy: null },
  bad_correction: { text: m.error_bad_correction, remedy: null },
  bad_document: { text: m.error_bad_document, remedy: null },
  document_too_large: { text: m.error_document_too_large, remedy: null },
  already_known: { text: m.error_already_known, remedy: null },
  bad_term: { text: m.error_bad_term, remedy: null },
  no_server: { text: m.error_no_server, remedy: null },
  bad_backend: { text: m.error_bad_backend, remedy: null },
  server_address: { text: m.error_server_address, remedy: null },
  server_key: { text: m.error_server_key, remedy: null },
  server_busy: { text: m.error_server_busy, remedy: null },
  server_no_model: { text: m.error_server_no_model, remedy: null },
  server_slow: { text: m.error_server_slow, remedy: null },
  server_unreachable: { text: m.error_server_unreachable, remedy: null },
  server_no_server: { text: m.error_server_no_server, remedy: null },
  server_failed: { text: m.error_server_failed, remedy: null },
  bad_trades: { text: m.error_bad_trades, remedy: null },
  trades_spreadsheet: { text: m.error_trades_spreadsheet, remedy: null },
  trades_too_large: { text: m.error_trades_too_large, remedy: null },
  bad_zone: { text: m.error_bad_zone, remedy: null },
  zone_needed: { text: m.error_zone_needed, remedy: null },
  date_order_needed: { text: m.error_date_order_needed, remedy: null },
  wrong_passphrase: { text: m.error_wrong_passphrase, remedy: null },
  bad_passphrase: { text: m.error_bad_passphrase, remedy: null },
  locked: { text: m.error_locked, remedy: null },
  in_use: { text: m.error_in_use, remedy: null },
  erased: { text: m.error_erased, remedy: null },
  export_failed: { text: m.error_export_failed, remedy: null },
  bad_export: { text: m.error_bad_export, remedy: null },
  newer_export: { text: m.error_newer_export, remedy: null },
  export_too_large: { text: m.error_export_too_large, remedy: null },
  traces_left: { text: m.gone_traces, remedy: null },
  shortcut_taken: { text: m.error_shortcut_taken, remedy: null },
  login_refused: { text: m.error_login_refused, remedy: null },
  bad_prompts: { text: m.error_bad_prompts, remedy: null },
  prompts_damaged: { text: m.error_prompts_damaged, remedy: null },
  no_earlier_prompts: { text: m.error_no_earlier_prompts, remedy: null },
  internal: { text: m.error_internal, remedy: null },
};

export const errorCodes = Object.keys(errors);

export function errorWords(code: string): { text: string; remedy: Remedy } {
  const known = errors[code];
  return known
    ? { text: known.text(), remedy: known.remedy }
    : { text: m.error_internal(), remedy: null };
}

const formats = new Map<string, Intl.DateTimeFormat>();

/**
 * The computer's own zone where the program named one that this web view does not know.
 *
 * Each format is made once: WebKit does not know how large one is, and lets thousands of them lie.
 */
function zoned(language: Lang, zone: string, options: Intl.DateTimeFormatOptions) {
  const locale = language === "ru" ? "ru-RU" : "en-GB";
  const key = JSON.stringify([locale, zone, options]);
  const known = formats.get(key);
  if (known) return known;
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat(locale, { ...options, ...(zone && { timeZone: zone }) });
  } catch {
    format = new Intl.DateTimeFormat(locale, options);
  }
  formats.set(key, format);
  return format;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `вторник, 17 ноября`, with a capital where it stands alone. */
export function longDay(at: Date, language: Lang, zone: string): string {
  const options = { weekday: "long", day: "numeric", month: "long" } as const;
  return capital(zoned(language, zone, options).format(at));
}

export function clock(at: Date, language: Lang, zone: string): string {
  return zoned(language, zone, { hour: "2-digit", minute: "2-digit" }).format(at);
}

/** `вт, 09:12` */
export function dayClock(at: Date, language: Lang, zone: string): string {
  const day = zoned(language, zone, { weekday: "short" }).format(at);
  return `${day}, ${clock(at, language, zone)}`;
}

export function monthOf(at: Date, language: Lang, zone: string): string {
  const name = zoned(language, zone, { month: "long" }).format(at);
  const year = zoned(language, zone, { year: "numeric" }).format(at);
  return `${capital(name)} ${year}`;
}

/** `17 ноября` */
export function dayOf(at: Date, language: Lang, zone: string): string {
  return zoned(language, zone, { day: "numeric", month: "long" }).format(at);
}

/** `17 ноября`, and with its year where that is another than now's. */
export function dayWithin(at: Date, now: Date, language: Lang, zone: string): string {
  const year = (of: Date) => zoned(language, zone, { year: "numeric" }).format(of);
  if (year(at) === year(now)) return dayOf(at, language, zone);
  return zoned(language, zone, { day: "numeric", month: "long", year: "numeric" }).format(at);
}

export function weekday(at: Date, language: Lang, zone: string): string {
  return zoned(language, zone, { weekday: "long" }).format(at);
}

/** Hello by the user's own clock. */
export function hello(at: Date, name: string, zone: string): string {
  const hour = Number(zoned("en", zone, { hour: "2-digit", hourCycle: "h23" }).format(at));
  const word =
    hour < 5
      ? m.hello_night()
      : hour < 12
        ? m.hello_morning()
        : hour < 18
          ? m.hello_day()
          : m.hello_evening();
  return name.trim() === ""
    ? m.hello_plain({ hello: word })
    : m.hello_named({ hello: word, name: name.trim() });
}
