import { expect, it } from "vitest";
import { meaning, type Press } from "../src/keys";

const press: Press = { key: " ", chord: false, repeat: false, focus: "none", scaleShown: false };

it.each<[string, Partial<Press>, ReturnType<typeof meaning>]>([
  ["Space talks", {}, { does: "talk" }],
  ["Space in a text field is a space", { focus: "text" }, null],
  ["Space on a control reached with Tab presses it", { focus: "control" }, null],
  ["a held Space is one press", { repeat: true }, null],
  ["Esc closes", { key: "Escape" }, { does: "close" }],
  ["Esc closes from a text field too", { key: "Escape", focus: "text" }, { does: "close" }],
  ["a digit answers", { key: "7", scaleShown: true }, { does: "answer", value: 7 }],
  ["0 is ten", { key: "0", scaleShown: true }, { does: "answer", value: 10 }],
  [
    "a digit answers with a dot in focus",
    { key: "3", scaleShown: true, focus: "control" },
    { does: "answer", value: 3 },
  ],
  ["a digit is nothing when nothing was asked", { key: "7" }, null],
  ["a digit in a text field is a digit", { key: "7", scaleShown: true, focus: "text" }, null],
  ["Ctrl+7 is not ours", { key: "7", scaleShown: true, chord: true }, null],
])("%s", (_, change, expected) => {
  expect(meaning({ ...press, ...change })).toEqual(expected);
});
