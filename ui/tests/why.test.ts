import { beforeEach, describe, expect, it } from "vitest";
import { speak } from "../src/locale.svelte";
import type { Why } from "../src/store/reduce";
import { guardWords, impressionWords, isCrisis, measures, verdictWords } from "../src/why";
import { sense } from "./wire-samples";

/** The codes of crates/calm-core: contour, guard and sufler. */
const moods = ["neutral", "calm", "bright", "anxious", "angry", "low", "tired"];
const methods = ["dialogue", "check-in", "check-out", "plan", "review", "practice", "risk"];
const rules = [
  "advice",
  "promise",
  "diagnosis",
  "minimising",
  "voice",
  "human_claim",
  "pressure",
  "leak",
  "shame",
  "cheer",
  "self_harm",
  "therapy_claim",
];
const reasons = [
  "boundary",
  "wrong_language",
  "empty",
  "too_long",
  "too_curt",
  "too_many_questions",
  "echo",
  "lecture",
  "cheerful",
];

describe.each(["ru", "en"] as const)("in %s", (language) => {
  beforeEach(() => speak(language));

  it("each code has words of its own", () => {
    const mood = (mood: string) => impressionWords(sense({ mood }))[0];
    const method = (method: string) => impressionWords(sense({ method }))[1];
    const reason = (code: string) => verdictWords({ score: 4, reasons: [code] }).reasons[0];
    for (const [codes, words] of [
      [moods, mood],
      [methods, method],
      [rules, (code: string) => guardWords([code])[0]],
      [reasons, reason],
    ] as const) {
      const said = [...codes, "quantum_flux"].map(words);
      expect(new Set(said).size).toBe(codes.length + 1);
    }
  });

  it("an impression is a guess and never a fact", () => {
    const guess =
      language === "ru" ? /похоже|кажется|скорее|угадать/i : /sounds|seems|likely|guess|give/i;
    for (const mood of [...moods, "x"]) {
      expect(impressionWords(sense({ mood }))[0]).toMatch(guess);
    }
    for (const method of [...methods, "x"]) {
      expect(impressionWords(sense({ method }))[1]).toMatch(guess);
    }
  });

  it("shows neither codes nor figures of the machinery", () => {
    const words = [
      ...impressionWords(
        sense({ labels: ["[CONF: LOW]", "[RISK: SLEEP]"], mood: "x", method: "y" }),
      ),
      ...measures(sense()).flatMap(({ name, words }) => [name, words]),
      ...guardWords(rules),
      ...verdictWords({ score: 3, reasons }).reasons,
    ];
    for (const text of words) expect(text).not.toMatch(/\d|_|LOW|MEDIUM|\[/);
  });
});

describe("labels", () => {
  beforeEach(() => speak("ru"));

  it.each([
    [["[УВЕР: LOW]"], /Уверенности мало/],
    [["[CONF: HIGH]"], /увереннее/],
    [["[УВЕР: MEDIUM]", "[РИСК: СОН]"], /бывали мимо: сон\./],
    [["[RISK: OUTSIDE PRESSURE]"], /outside pressure/],
  ])("%j", (labels, words) => {
    expect(impressionWords(sense({ labels })).join(" ")).toMatch(words);
  });

  it.each([[[]], [["[УВЕР: MEDIUM]"]], [["nonsense", "[]", "[УВЕР: ?]"]]])(
    "%j say no more",
    (labels) => {
      expect(impressionWords(sense({ labels }))).toHaveLength(2);
    },
  );
});

describe("measures", () => {
  beforeEach(() => speak("ru"));

  it.each([
    ["familiarity", 36, "Тема скорее новая"],
    ["familiarity", 50, "Что-то похожее уже было"],
    ["familiarity", 84, "Тема скорее знакомая"],
    ["familiarity", 90, "Об этом говорили не раз"],
    ["criticality", 0, "Ничего острого не слышно"],
    ["criticality", 39, "Чуть острее обычного"],
    ["criticality", 40, "Остро, лучше не спешить"],
    ["complexity", 0, "Сказано просто"],
    ["complexity", 30, "Есть подробности"],
    ["complexity", 80, "Много всего сразу"],
    ["trust", 29, "Ответы часто бывали мимо"],
    ["trust", 70, "Бывало по-разному"],
    ["trust", 71, "Обычно получается"],
  ] as const)("%s %i", (key, value, words) => {
    const found = measures(sense({ [key]: value })).find((measure) => measure.key === key);
    expect(found).toMatchObject({ words, value });
  });

  it("stay on the bar whatever comes", () => {
    const odd = measures(sense({ familiarity: -3, criticality: 400 }));
    expect(odd.map(({ value }) => value).every((value) => value >= 0 && value <= 100)).toBe(true);
  });
});

describe("a crisis", () => {
  const why = (change: Parameters<typeof sense>[0]): Why => ({
    sense: sense(change),
    guard: [],
    verdict: null,
  });

  it("is known by either name, and by nothing else", () => {
    expect(isCrisis(why({ method: "distress" }))).toBe(true);
    expect(isCrisis(why({ mood: "distressed" }))).toBe(true);
    expect(isCrisis(why({ mood: "low", criticality: 100 }))).toBe(false);
    expect(isCrisis({ sense: null, guard: [], verdict: null })).toBe(false);
  });
});

it("a rule that stopped two sentences is named once, and a score stays on its scale", () => {
  speak("en");
  expect(guardWords(["advice", "advice", "x", "y"])).toHaveLength(2);
  expect(verdictWords({ score: 9, reasons: [] })).toEqual({
    score: "The prompter rereads every reply. This one: 5 of 5.",
    reasons: [],
  });
});
