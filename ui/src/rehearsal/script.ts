/** What Calm and the user say in a rehearsal. */
import type { Kind, Lang, PracticeCard, SessionPage, Summary } from "../wire";

export interface Line {
  calm: string;
  asksScale?: boolean;
  /** What the rehearsed microphone hears next. */
  heard: string;
}

export interface Play {
  lines: Line[];
  closing: string;
  summary: Summary;
}

export const plays: Record<Lang, Record<Kind, Play>> = {
  ru: {
    "check-in": {
      lines: [
        {
          calm: "Как ты сегодня — до того, как начнёшь?",
          heard: "нормально, только спал мало, соседи шумели",
        },
        {
          calm: "Мало сна — не мелочь, хорошо, что говоришь как есть. Какая сейчас готовность, от одного до десяти?",
          asksScale: true,
          heard: "на восьмёрку",
        },
      ],
      closing: "Восемь. Пусть день будет ровным, загляни после.",
      summary: {
        chips: [
          { key: "readiness", value: "8" },
          { key: "stress", value: "3" },
          { key: "sleep", value: "poor" },
          { key: "planned_approach", value: "две сделки от уровня, стоп сразу" },
        ],
        next_action: "proceed_to_trade",
        text: "Настрой ровный, сна было мало. Готовность восемь из десяти, план — две сделки.",
        deltas: [],
      },
    },
    "check-out": {
      lines: [
        { calm: "Как прошло?", heard: "минус двести, но всё по плану" },
        {
          calm: "Минус — это неприятно, даже когда по плану. Что было внутри, пока шла сессия?",
          heard: "сначала злился, потом отпустило",
        },
        {
          calm: "Слышу: злость пришла и ушла. Что из этого дня возьмёшь с собой?",
          heard: "вторую сделку можно было не открывать",
        },
      ],
      closing: "Это хорошая мысль, она твоя. Отдыхай.",
      summary: {
        chips: [
          { key: "session_result", value: "loss" },
          { key: "plan_adherence", value: "followed" },
          { key: "stress", value: "4" },
          { key: "emotion", value: "relieved" },
          { key: "key_learnings", value: "вторую сделку можно было не открывать" },
        ],
        next_action: "none",
        text: "Сессия в минус, по плану. Злость пришла и отпустила.",
        deltas: [
          { key: "stress", before: "6", after: "4" },
          { key: "energy", before: "5", after: "4" },
        ],
      },
    },
  },
  en: {
    "check-in": {
      lines: [
        {
          calm: "How are you today, before you start?",
          heard: "all right, just short on sleep, the neighbours were loud",
        },
        {
          calm: "Short nights weigh on a day, thank you for saying it. How ready do you feel to trade, from one to ten?",
          asksScale: true,
          heard: "about an eight",
        },
      ],
      closing: "Eight it is. May the day be an even one; look in afterwards.",
      summary: {
        chips: [
          { key: "readiness", value: "8" },
          { key: "stress", value: "3" },
          { key: "sleep", value: "poor" },
          { key: "planned_approach", value: "two trades off the level, stop at once" },
        ],
        next_action: "proceed_to_trade",
        text: "In an even mood, short on sleep. Readiness eight of ten, the plan is two trades.",
        deltas: [],
      },
    },
    "check-out": {
      lines: [
        { calm: "How did it go?", heard: "down two hundred, but by the plan" },
        {
          calm: "A loss stings even when it was by the plan. What was going on inside while you traded?",
          heard: "angry at first, then it let go",
        },
        {
          calm: "So the anger came, and it went. What would you take with you from today?",
          heard: "I could have left the second trade alone",
        },
      ],
      closing: "That is a good thought, and it is yours. Rest well.",
      summary: {
        chips: [
          { key: "session_result", value: "loss" },
          { key: "plan_adherence", value: "followed" },
          { key: "stress", value: "4" },
          { key: "emotion", value: "relieved" },
          { key: "key_learnings", value: "I could have left the second trade alone" },
        ],
        next_action: "none",
        text: "A losing session, by the plan. The anger came and let go.",
        deltas: [
          { key: "stress", before: "6", after: "4" },
          { key: "energy", before: "5", after: "4" },
        ],
      },
    },
  },
};

/** For somebody who is not ready: asked first, shown as a card. */
export const pauseOffer: Record<Lang, { calm: string; practice: PracticeCard }> = {
  ru: {
    calm: "Спасибо, что честно. Хочешь сначала пару тихих минут?",
    practice: {
      id: "breathing-long-exhale",
      name: "Длинный выдох",
      description: "Вдох на четыре, выдох на шесть. Ничего не нужно менять, только замечать.",
      minutes: 3,
    },
  },
  en: {
    calm: "Thank you for being straight about it. Would a couple of quiet minutes help first?",
    practice: {
      id: "breathing-long-exhale",
      name: "The long breath out",
      description: "In for four, out for six. Nothing to change, only to notice.",
      minutes: 3,
    },
  },
};

/** Earlier days, so that History has something to show. */
export function earlier(language: Lang, now: Date): SessionPage[] {
  const ago = (days: number, hour: number, minute: number) => {
    const at = new Date(now);
    at.setDate(at.getDate() - days);
    at.setHours(hour, minute, 0, 0);
    return at.toISOString();
  };
  return [
    [1, 19, 40, "check-out", null, 4, "loss"] as const,
    [1, 9, 5, "check-in", 6, 6, null] as const,
    [2, 9, 12, "check-in", 3, 8, null] as const,
    [5, 18, 2, "check-out", null, 2, "win"] as const,
    [5, 8, 58, "check-in", 9, 2, null] as const,
    [34, 9, 20, "check-in", 7, 4, null] as const,
  ].map(([days, hour, minute, kind, readiness, stress, result], index) => {
    const play = plays[language][kind];
    const chips = play.summary.chips.map(({ key, value }) => ({
      key,
      value:
        key === "readiness" && readiness !== null
          ? String(readiness)
          : key === "stress"
            ? String(stress)
            : key === "session_result" && result !== null
              ? result
              : value,
    }));
    const words =
      days === 2
        ? lowDay[language]
        : result === "win"
          ? winDay[language]
          : days === 1 && kind === "check-in"
            ? tightDay[language]
            : play.summary.text;
    return {
      line: {
        id: `earlier-${index}`,
        kind,
        started_at: ago(days, hour, minute),
        readiness,
        stress,
        result,
        text: words,
      },
      turns: play.lines
        .flatMap(({ calm, heard }) => [
          { who: "calm" as const, text: calm },
          { who: "user" as const, text: heard },
        ])
        .concat({ who: "calm", text: play.closing }),
      summary: { ...play.summary, chips, text: words },
    };
  });
}

const lowDay = {
  ru: "Тяжёлое утро, мысли о вчерашнем. Решение — сегодня без торговли.",
  en: "A heavy morning, yesterday still close. Decided not to trade today.",
};
const tightDay = {
  ru: "Собранность есть, внутри немного сжато. План — одна сделка.",
  en: "Collected, a little tight inside. The plan is one trade.",
};
const winDay = {
  ru: "Сессия в плюс, всё по плану. Спокойно.",
  en: "A session in profit, all by the plan. Calm.",
};
