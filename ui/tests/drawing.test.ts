import { beforeEach, describe, expect, it } from "vitest";
import { figure, rowsOf, signed } from "../src/features/insights/drawing";
import { clocks, named } from "../src/features/trades/mapping";
import { speak } from "../src/locale.svelte";

beforeEach(() => speak("ru"));

describe("a picture", () => {
  it("of two shares keeps both and their difference in points, around nothing", () => {
    const rows = rowsOf(
      "plan_result",
      { shape: "shares", first: { k: 9, n: 12 }, second: { k: 3, n: 10 }, low: 5, high: 71 },
      "ru",
    );
    expect(rows.map(({ value }) => value)).toEqual(["9 из 12", "3 из 10", "+45 п."]);
    expect(rows[2]?.range).toBe("от +5 до +71");
    expect(rows[2]?.dot).toBeCloseTo(0.725);
    expect(rows[2]?.zero).toBe(0.5);
  });

  it.each([
    ["-40.05", "-10.00", "-2.50"],
    ["2.00", "10.00", "61.00"],
    ["-40.05", "12.50", "61.00"],
    ["0.00", "0.00", "0.00"],
  ])("of money from %s over %s to %s stays on its line, nought too", (low, median, high) => {
    const [row] = rowsOf(
      "median_day",
      { shape: "money", median, low, high, currency: "USD" },
      "ru",
    );
    const [from, to] = row!.band!;
    for (const at of [from, row!.dot, to, row!.zero!]) {
      expect(at).toBeGreaterThanOrEqual(0);
      expect(at).toBeLessThanOrEqual(1);
    }
    expect(from).toBeLessThanOrEqual(row!.dot);
    expect(row!.dot).toBeLessThanOrEqual(to);
  });

  it("of levels before and after says which way it went", () => {
    const rows = rowsOf(
      "stress_change",
      {
        shape: "levels",
        first: { tenths: 60, n: 11 },
        second: { tenths: 48, n: 11 },
        difference: -12,
        low: -18,
        high: -7,
      },
      "ru",
    );
    expect(rows[2]?.value).toBe("−1,2");
    expect(rows[2]?.dot).toBeLessThan(0.5);
  });
});

it.each([
  ["-12.50", "−12,50"],
  ["0.00", "0,00"],
  ["-0.00", "0,00"],
  ["3.10", "+3,10"],
])("money %s is written %s", (text, written) => {
  expect(signed(text, "ru")).toBe(written);
  expect(signed(text, "en")).toBe(written.replace(",", "."));
});

it("a figure keeps a real minus", () => {
  expect(figure("-1.5", "en")).toBe("−1.5");
});

describe("columns", () => {
  const columns = [
    { column: "Date", field: "closed_at" },
    { column: "Net", field: "profit" },
  ];

  it("one column is one thing", () => {
    expect(named(columns, "profit", "Date")).toEqual([{ column: "Date", field: "profit" }]);
    expect(named(columns, "profit", "Gross")).toContainEqual({ column: "Gross", field: "profit" });
    expect(named(columns, "profit", "")).toEqual([columns[0]]);
  });
});

it("no clock is offered twice", () => {
  const values = clocks("Europe/Athens").map(({ value }) => value);
  expect(new Set(values).size).toBe(values.length);
  expect(values[0]).toBe("");
});
