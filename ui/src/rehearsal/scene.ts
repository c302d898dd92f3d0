/** What the rehearsal begins with, as the address says; it never ships. */
import type { Lang, Settings, Theme, VoiceState } from "../wire";

export interface Scene {
  language: Lang;
  theme: Theme;
  firstRun: boolean;
  models: VoiceState["models"];
  /** The microphone answers with this error code. */
  refuse: string | null;
  /** Nothing has been remembered yet. */
  forgetful: boolean;
  /** Without these words nothing opens. */
  words: string;
  /** Something deleted leaves traces until the next start. */
  traces: boolean;
  /** The computer's clock has leapt ahead by years. */
  clockAhead: boolean;
  /** The desktop hands out no shortcuts, and shows no tray icons. */
  wayland: boolean;
  /** Milliseconds between the words heard. */
  pace: number;
  now: Date;
}

export function sceneFrom(query: URLSearchParams): Scene {
  const models = query.get("models");
  const theme = query.get("theme");
  return {
    language: query.get("lang") === "en" ? "en" : "ru",
    theme: theme === "light" || theme === "dark" ? theme : "system",
    firstRun: query.has("first"),
    models: models === "missing" || models === "damaged" ? models : "ready",
    refuse: query.get("refuse"),
    words: query.get("words") ?? "",
    traces: query.has("traces"),
    clockAhead: query.get("clock") === "ahead",
    wayland: query.has("wayland"),
    forgetful: query.has("first") || query.get("memory") === "empty",
    pace: Number(query.get("pace") ?? 180),
    now: new Date(query.get("now") ?? Date.now()),
  };
}

export const ownZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** `YYYY-MM-DD` by the clock of this browser. */
export function localDay(at: Date): string {
  const two = (number: number) => String(number).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

export function settingsOf(scene: Scene): Settings {
  const ru = scene.language === "ru";
  const known = <T>(value: T, blank: T) => (scene.firstRun ? blank : value);
  return {
    version: 1,
    language: scene.language,
    name: known(ru ? "Ира" : "Iris", ""),
    trading_style: known("day", ""),
    experience: "",
    markets: known(ru ? "нефть, индекс" : "crude, the index", ""),
    hours: known(ru ? "с 10:00 до 18:45" : "9:30 to 16:00", ""),
    market_hours: known(ru ? "10:00–18:45" : "09:30–16:00", ""),
    market_reminders: false,
    market_days: "weekdays",
    account_currency: "",
    max_trades: known("3", ""),
    daily_loss_limit: "",
    stop_rule: known(ru ? "после двух минусов подряд" : "after two losses in a row", ""),
    profile_fields: known(
      [{ name: ru ? "брокер" : "broker", value: ru ? "первый" : "the first", in_prompts: false }],
      [],
    ),
    include_profile_fields: true,
    day_start: "00:00",
    time_zone: ownZone(),
    own_zone: "",
    theme: scene.theme,
    voice_consent: known<Settings["voice_consent"]>("yes", "unasked"),
    voice_analysis: !scene.firstRun,
    microphone: "",
    end_silence_ms: 1800,
    speech_model: "whisper-base-onnx",
    adult_confirmed: !scene.firstRun,
    backend: "guide",
    offline: false,
    second_opinion: false,
    speak_replies: false,
    contact_name: "",
    contact_how: "",
    safety_plan: [],
  };
}
