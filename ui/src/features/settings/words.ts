/** The settings' own names for what the program calls by a code. */
import { m } from "../../paraglide/messages.js";
import type { SettingsPage } from "../../store/app.svelte";
import type { PlanAction } from "../../wire";

type Word = () => string;

export const pageWords: Record<SettingsPage, Word> = {
  you: m.settings_you,
  day: m.settings_day,
  voice: m.settings_voice,
  answers: m.settings_answers,
  models: m.settings_models,
  plans: m.settings_plans,
  facts: m.settings_facts,
  knowledge: m.settings_knowledge,
  reminders: m.settings_reminders,
  words: m.settings_words,
  privacy: m.settings_privacy,
  data: m.settings_data,
  plain: m.settings_plain,
  look: m.settings_look,
};

/** The built-in backends by words of ours, a server by its own name. */
export function backendWords(backend: string): string {
  if (backend === "guide") return m.answers_guide();
  return backend === "local" ? m.answers_local() : backend;
}

/** Those that write down what is said; the versions in fewer bits are for experiments. */
export const speechWords: Record<string, { name: string; what: Word }> = {
  "whisper-base-onnx": { name: "Whisper base", what: m.model_base_what },
  "whisper-base": { name: "Whisper base, whisper.cpp", what: m.model_base_cpp_what },
  "whisper-small": { name: "Whisper small", what: m.model_small_what },
  "whisper-medium": { name: "Whisper medium", what: m.model_medium_what },
  "whisper-large-v3-turbo": { name: "Whisper large v3 turbo", what: m.model_large_what },
};

/** The rest of what the product uses, in the order of the page. */
export const modelWords: Record<string, { name: Word; what: Word }> = {
  "silero-vad": { name: m.model_speech, what: m.model_speech_what },
  emotion: { name: m.model_voice, what: m.model_voice_what },
  onnxruntime: { name: m.model_runtime, what: m.model_runtime_what },
  "sentence-encoder": { name: m.model_meaning, what: m.model_meaning_what },
};

export const practiceKinds: [string, Word][] = [
  ["breathing", m.kind_breathing],
  ["grounding", m.kind_grounding],
  ["visualization", m.kind_visualization],
  ["journaling", m.kind_journaling],
  ["physical", m.kind_physical],
  ["pause", m.kind_pause],
];

export function practiceKindWords(kind: string): string {
  return practiceKinds.find(([known]) => known === kind)?.[1]() ?? kind;
}

/** What a plan does, in one line. */
export function actionWords(action: PlanAction): string {
  switch (action.do) {
    case "practice":
      return m.plan_does_practice({ kind: practiceKindWords(action.practice).toLowerCase() });
    case "pause":
      return m.plan_does_pause({ minutes: action.minutes });
    case "note":
      return m.plan_does_note({ text: action.text });
    case "reminder":
      return m.plan_does_reminder({ minutes: action.minutes, text: action.text });
    case "open_check_out":
      return m.plan_does_check_out();
  }
}

/** What a request held about the user, by the program's names of fields. */
export function fieldWords(fields: readonly string[]): string {
  const known: Record<string, Word> = {
    talk: m.sent_talk,
    name: m.sent_name,
    trading_style: m.sent_trading_style,
    known_patterns: m.sent_known_patterns,
    last_session_result: m.sent_last_result,
    voice_analysis: m.sent_voice,
    previous_checkin: m.sent_previous_checkin,
    memory: m.sent_memory,
  };
  return fields.map((field) => known[field]?.() ?? field).join(", ");
}
