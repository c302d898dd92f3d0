/** A few practices and numbers for a rehearsal; the real ones lie in prompts/. This never ships. */
import type { BreathPhase, HelpSheet, Lang, PracticeSheet } from "../wire";

type Step = [seconds: number, text: string, breath?: BreathPhase];

function practice(
  id: string,
  kind: string,
  name: string,
  description: string,
  careful: string,
  rounds: number,
  steps: Step[],
): PracticeSheet {
  const seconds = rounds * steps.reduce((sum, [seconds]) => sum + seconds, 0);
  return {
    id,
    kind,
    name,
    description,
    careful,
    minutes: Math.max(1, Math.round(seconds / 60)),
    rounds,
    steps: steps.map(([seconds, text, breath = "none"]) => ({ seconds, text, breath })),
  };
}

export const catalogue: Record<Lang, PracticeSheet[]> = {
  ru: [
    practice(
      "long_exhale_2min",
      "breathing",
      "Длинный выдох",
      "Вдох на четыре, выдох на шесть, без задержек.",
      "Если кружится голова или не хватает воздуха, дыши как обычно.",
      12,
      [
        [4, "Вдох носом.", "in"],
        [6, "Долгий выдох, будто дуешь на горячий чай.", "out"],
      ],
    ),
    practice(
      "box_breathing_3min",
      "breathing",
      "Дыхание по квадрату",
      "Вдох, задержка, выдох, задержка — по четыре секунды.",
      "В разгар паники лучше длинный выдох без задержек. При беременности, болезнях сердца или лёгких не задерживай.",
      11,
      [
        [4, "Вдох носом.", "in"],
        [4, "Задержи, плечи мягкие.", "hold"],
        [4, "Медленный выдох.", "out"],
        [4, "Побудь без вдоха.", "hold"],
      ],
    ),
    practice(
      "feet_on_floor_1min",
      "grounding",
      "Стопы на полу",
      "Почувствовать, что пол держит.",
      "",
      1,
      [
        [10, "Поставь обе ступни на пол."],
        [15, "Прижми пятки, потом носки. Заметь, как пол держит."],
        [15, "Отдай спину стулу, опусти плечи."],
        [20, "Медленный выдох. Ноги всё ещё на полу."],
      ],
    ),
    practice("tea_15min", "pause", "Чай", "Пятнадцать минут без экрана, с чашкой.", "", 1, [
      [60, "Закрой терминал и иди на кухню."],
      [840, "Пей маленькими глотками. Больше сейчас никаких дел."],
    ]),
  ],
  en: [
    practice(
      "long_exhale_2min",
      "breathing",
      "Long breath out",
      "Four counts in, six counts out, no holding.",
      "If you feel dizzy or short of air, let the breath go back to its own pace.",
      12,
      [
        [4, "Breathe in, into the belly.", "in"],
        [6, "Let it out slowly, as if through a straw.", "out"],
      ],
    ),
    practice(
      "box_breathing_3min",
      "breathing",
      "Box breathing",
      "In, hold, out, hold, four counts each.",
      "Not in the middle of a panic: take the long breath out instead. Leave out the holds if you are pregnant or have heart or breathing trouble.",
      11,
      [
        [4, "Breathe in through the nose.", "in"],
        [4, "Hold, softly.", "hold"],
        [4, "Breathe out.", "out"],
        [4, "Rest before the next breath.", "hold"],
      ],
    ),
    practice(
      "feet_on_floor_1min",
      "grounding",
      "Feet on the floor",
      "Feel that the floor holds you.",
      "",
      1,
      [
        [10, "Put both feet on the floor."],
        [15, "Press the heels, then the toes. Notice how the floor holds."],
        [15, "Give your back to the chair, let the shoulders drop."],
        [20, "A slow breath out. Your feet are still on the floor."],
      ],
    ),
    practice("tea_15min", "pause", "Tea", "Fifteen minutes away from the screen.", "", 1, [
      [60, "Close the terminal and go to the kitchen."],
      [840, "Drink in small sips. There is nothing else to do now."],
    ]),
  ],
};

export const helplines: Record<Lang, HelpSheet> = {
  ru: {
    country: "ru",
    emergency: "112",
    lines: [
      {
        kind: "crisis",
        name: "психологическая помощь МЧС",
        number: "+7 495 989-50-50",
        hours: "круглосуточно",
        source: "EMERCOM of Russia, psi.mchs.gov.ru",
        verified: "",
        check: true,
      },
    ],
  },
  en: {
    country: "gb",
    emergency: "999",
    lines: [
      {
        kind: "crisis",
        name: "Samaritans",
        number: "116 123",
        hours: "24 hours",
        source: "Samaritans, samaritans.org",
        verified: "2026-08-01",
        check: false,
      },
      {
        kind: "gambling",
        name: "National Gambling Helpline",
        number: "0808 8020 133",
        hours: "24 hours",
        source: "GamCare, gamcare.org.uk",
        verified: "2026-08-01",
        check: false,
      },
    ],
  },
};
