import { describe, expect, it } from "vitest";
import { breathes, clockOf, fill, momentAt, total } from "../src/features/practice/timing";
import { catalogue } from "../src/rehearsal/catalogue";
import type { PracticeSheet } from "../src/wire";

const [longExhale, box, feet] = catalogue.ru as [PracticeSheet, PracticeSheet, PracticeSheet];
const sigh: PracticeSheet = {
  ...longExhale,
  rounds: 6,
  steps: [
    { seconds: 2, text: "", breath: "in" },
    { seconds: 1, text: "", breath: "in" },
    { seconds: 7, text: "", breath: "out" },
  ],
};
const full = (practice: PracticeSheet, at: number) => fill(practice, momentAt(practice, at));

describe("where a practice is", () => {
  it.each([
    [0, 0, 1, 4],
    [3.9, 0, 1, 0.1],
    [4, 1, 1, 6],
    [10, 0, 2, 4],
    [119.5, 1, 12, 0.5],
  ])("after %d s", (elapsed, step, round, left) => {
    const moment = momentAt(longExhale, elapsed);
    expect(moment).toMatchObject({ step, round, done: false });
    expect(moment.left).toBeCloseTo(left);
  });

  it("ends with its last second, and a computer that slept has not gone beyond", () => {
    expect(total(longExhale)).toBe(120);
    for (const elapsed of [120, 100_000])
      expect(momentAt(longExhale, elapsed)).toMatchObject({ step: 1, round: 12, rest: 0, done: true });
  });
});

describe("how full the lungs are", () => {
  it("rises over the breath in, stays over a hold, falls over the breath out", () => {
    expect(full(box, 0)).toBeCloseTo(0);
    expect(full(box, 2)).toBeCloseTo(0.5);
    expect(full(box, 6)).toBe(1);
    expect(full(box, 8)).toBeCloseTo(1);
    expect(full(box, 12)).toBe(0);
    expect(full(box, 15.9)).toBe(0);
  });

  it("a second sip of air goes on where the first one stopped", () => {
    expect(full(sigh, 1.999)).toBeCloseTo(full(sigh, 2), 2);
    expect(full(sigh, 1.999)).toBeGreaterThan(0.5);
    expect(full(sigh, 2.999)).toBeCloseTo(1, 2);
  });

  it("never jumps, from the first second to the last", () => {
    for (const practice of [longExhale, box, sigh])
      for (let at = 0; at < total(practice) - 0.02; at += 0.02)
        expect(Math.abs(full(practice, at + 0.02) - full(practice, at))).toBeLessThan(0.03);
  });

  it("a practice that leaves the breath alone moves nothing", () => {
    expect(breathes(feet)).toBe(false);
    expect(full(feet, 20)).toBe(0.5);
    expect(breathes(box)).toBe(true);
  });
});

it.each([
  [59.2, "1:00"],
  [5, "0:05"],
  [-1, "0:00"],
  [899, "14:59"],
])("%d s reads %s", (seconds, words) => expect(clockOf(seconds)).toBe(words));
