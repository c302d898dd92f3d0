import { describe, expect, it } from "vitest";
import { spoken, stageOf } from "../src/store/stage";
import { typeset } from "../src/typeset";
import type { SessionView, Turn } from "../src/wire";

function session(...turns: [Turn["who"], string][]): SessionView {
  return {
    id: "s",
    kind: "check-in",
    format: "short",
    language: "ru",
    turns: turns.map(([who, text]) => ({ who, text })),
    asks_scale: false,
    ended: null,
  };
}

describe("the stage", () => {
  it("has Calm's last sentence alone, the user's last words under it, the rest above", () => {
    const stage = stageOf(session(["calm", "а"], ["user", "б"], ["calm", "в"]));
    expect(stage.calm?.text).toBe("в");
    expect(stage.user?.text).toBe("б");
    expect(stage.past.map(({ text }) => text)).toEqual(["а"]);
  });

  it("waits with the user's words in sight while Calm thinks", () => {
    const stage = stageOf(session(["calm", "а"], ["user", "б"]));
    expect(stage).toMatchObject({ calm: null, user: { text: "б" }, past: [{ text: "а" }] });
  });

  it("loses no turn, however they follow each other", () => {
    const all: [Turn["who"], string][] = [
      ["calm", "1"],
      ["calm", "2"],
      ["user", "3"],
      ["user", "4"],
      ["calm", "5"],
      ["calm", "6"],
    ];
    for (let count = 0; count <= all.length; count += 1) {
      const stage = stageOf(session(...all.slice(0, count)));
      const shown = [...stage.past, stage.user, stage.calm].filter((turn) => turn !== null);
      expect(shown.map(({ text }) => text)).toEqual(all.slice(0, count).map(([, text]) => text));
    }
  });
});

describe("a reply as it is spoken", () => {
  it.each([
    ["Как прошло?", "", "Как прошло?", "large"],
    ["Понял. Как прошло?", "", "Понял. Как прошло?", "large"],
    [
      "How are you today, right before the market opens?",
      "",
      "How are you today, right before the market opens?",
      "large",
    ],
    [
      "Понял: злость пришла и ушла. Что из этого возьмёшь с собой?",
      "Понял: злость пришла и ушла.",
      "Что из этого возьмёшь с собой?",
      "large",
    ],
    [
      "Мало сна — не мелочь, хорошо, что говоришь как есть. Какая сейчас готовность, от одного до десяти?",
      "Мало сна — не мелочь, хорошо, что говоришь как есть.",
      "Какая сейчас готовность, от одного до десяти?",
      "large",
    ],
    [
      "A loss of 0.5 R is still a loss. You kept to what you had written this morning. What was going on inside?",
      "A loss of 0.5 R is still a loss. You kept to what you had written this morning.",
      "What was going on inside?",
      "large",
    ],
  ])("%s", (reply, lead, main, size) => {
    expect(spoken(reply)).toEqual({ lead, main, size });
  });

  it("keeps what is laid out in lines, such as a helpline, as it is", () => {
    const reply = "Позвони, пожалуйста:\n8-800-2000-122";
    expect(spoken(reply)).toEqual({ lead: "", main: reply, size: "text" });
  });

  it("never loses a word of a long reply", () => {
    const long = "Это долгая мысль, и она не кончается быстро, потому что так бывает. ".repeat(8);
    const { lead, main } = spoken(long);
    expect(`${lead}${main}`).toBe(long.trim());
  });
});

it("typesetting changes spaces and nothing else", () => {
  const text = "Как ты сегодня — до того, как начнёшь? I am at 3 to 5";
  expect(typeset(text)).toContain("сегодня\u00a0— до\u00a0того");
  expect(typeset(text).replaceAll("\u00a0", " ")).toBe(text);
});
