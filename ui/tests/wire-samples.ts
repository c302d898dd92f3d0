import type { AppEvent, Sense } from "../src/wire";

type Snapshot = Extract<AppEvent, { type: "snapshot" }>;

export function sense(change: Partial<Sense> = {}): Sense {
  return {
    labels: ["[УВЕР: MEDIUM]", "[ЖАНР: CHECK-IN]", "[МООД: устал]"],
    familiarity: 36,
    criticality: 0,
    complexity: 30,
    trust: 50,
    mood: "tired",
    method: "check-in",
    recalled: [],
    ...change,
  };
}

export function snapshot(change: Partial<Snapshot> = {}): Snapshot {
  return {
    type: "snapshot",
    settings: {
      version: 1,
      language: "ru",
      name: "Ира",
      trading_style: "day",
      experience: "",
      markets: "",
      hours: "",
      account_currency: "",
      max_trades: "",
      daily_loss_limit: "",
      stop_rule: "",
      profile_fields: [],
      include_profile_fields: true,
      day_start: "00:00",
      time_zone: "Europe/Moscow",
      own_zone: "",
      theme: "light",
      voice_consent: "yes",
      voice_analysis: true,
      microphone: "",
      end_silence_ms: 1800,
      speech_model: "whisper-base-onnx",
      adult_confirmed: true,
      backend: "guide",
      offline: false,
      second_opinion: false,
      speak_replies: false,
      contact_name: "",
      contact_how: "",
      safety_plan: [],
    },
    session: null,
    today: {
      now_iso: "2026-11-17T06:12:00Z",
      check_in: null,
      check_out: null,
      streak: null,
      plan: null,
    },
    voice: { microphone: true, models: "ready", advice: null },
    ...change,
  };
}
