import { describe, expect, it } from "vitest";
import { daysOf, shifted, towards } from "../src/features/history/calendar";

describe("a month", () => {
  it.each([
    ["2026-11", 30, 7],
    ["2024-02", 29, 4],
    ["2026-02", 28, 7],
    ["2027-01", 31, 5],
  ])("%s has %d days and begins on weekday %d", (month, count, weekday) => {
    const days = daysOf(month);
    expect(days).toHaveLength(count);
    expect(days[0]).toMatchObject({ day: `${month}-01`, number: 1, weekday });
    expect(days.every((day, at) => at === 0 || day.weekday === (days[at - 1]!.weekday % 7) + 1)).toBe(
      true,
    );
  });

  it.each([
    ["2026-11", -1, "2026-10"],
    ["2026-11", 2, "2027-01"],
    ["2026-01", -13, "2024-12"],
    ["2026-05", 0, "2026-05"],
  ])("%s and %d more is %s", (month, by, other) => expect(shifted(month, by)).toBe(other));
});

describe("arrows go over the days that can be chosen", () => {
  const days = ["2026-10-02", "2026-10-14", "2026-11-12", "2026-11-15", "2026-11-16"];
  it.each([
    ["2026-11-15", "ArrowLeft", "2026-11-12"],
    ["2026-11-15", "ArrowRight", "2026-11-16"],
    ["2026-11-16", "ArrowRight", null],
    ["2026-11-16", "ArrowUp", "2026-10-14"],
    ["2026-10-02", "ArrowDown", "2026-10-14"],
    ["2026-10-02", "ArrowUp", "2026-10-02"],
    ["2026-11-12", "Home", "2026-10-02"],
    ["2026-11-12", "End", "2026-11-16"],
    ["2026-11-12", "a", null],
    ["2026-01-01", "ArrowLeft", null],
  ])("from %s, %s leads to %s", (from, key, to) => expect(towards(days, from, key)).toBe(to));
});
