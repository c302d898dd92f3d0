/** A picture as rows on a line: where the dot is, how far the truth may be from it, and both in words. */
import { m } from "../../paraglide/messages.js";
import type { InsightKind, Lang, Picture } from "../../wire";

export interface Row {
  name: string;
  /** As it is written. */
  value: string;
  /** The interval as it is written; empty where the row has none. */
  range: string;
  /** 0–1 along the line. */
  dot: number;
  band: [number, number] | null;
  /** Where nothing changes, on a line that has two sides. */
  zero: number | null;
}

const names: Record<string, [() => string, () => string]> = {
  stress_change: [m.insight_before, m.insight_after],
  readiness_result: [m.insight_ready, m.insight_unready],
  plan_result: [m.insight_by_plan, m.insight_off_plan],
  sleep_readiness: [m.insight_slept, m.insight_unslept],
};

export const titles: Record<InsightKind, () => string> = {
  stress_change: m.insight_stress_change,
  readiness_result: m.insight_readiness_result,
  plan_kept: m.insight_plan_kept,
  plan_result: m.insight_plan_result,
  sleep_readiness: m.insight_sleep_readiness,
  plus_days: m.insight_plus_days,
  losing_run: m.insight_losing_run,
  median_day: m.insight_median_day,
};

/** With a real minus, and the language's own decimal mark. */
export function figure(text: string, language: Lang): string {
  const minus = text.replace("-", "−");
  return language === "ru" ? minus.replace(".", ",") : minus;
}

/** With its sign; nought has none. */
export function signed(text: string, language: Lang): string {
  if (/^-?[0.]*$/.test(text)) return figure(text.replace("-", ""), language);
  return text.startsWith("-") ? figure(text, language) : `+${figure(text, language)}`;
}

/** How far apart two shares may lie, in percentage points. */
export function apart([low, high]: [number, number], language: Lang): string {
  const points = (value: number) =>
    m.insight_points({ value: signed(String(value), language) });
  const range = m.insight_between({ low: signed(String(low), language), high: points(high) });
  return `${m.insight_difference()} ${range}`;
}

const within = (value: number) => Math.min(1, Math.max(0, value));

export function rowsOf(kind: InsightKind, picture: Picture, language: Lang): Row[] {
  const [one, other] = names[kind] ?? [m.insight_share, m.insight_share];
  const between = (low: string, high: string) => m.insight_between({ low, high });
  const whole = (value: number) => signed(String(value), language);
  const level = (tenths: number) => figure((tenths / 10).toFixed(1), language);
  const change = (tenths: number) => signed((tenths / 10).toFixed(1), language);

  if (picture.shape === "share") {
    const { of, low, high } = picture;
    return [
      {
        name: m.insight_share(),
        value: m.insight_part({ k: of.k, n: of.n }),
        range: between(m.insight_percent({ value: low }), m.insight_percent({ value: high })),
        dot: of.k / of.n,
        band: [low / 100, high / 100],
        zero: null,
      },
    ];
  }
  if (picture.shape === "shares") {
    const { first, second, low, high } = picture;
    const part = (name: string, { k, n }: { k: number; n: number }): Row => ({
      name,
      value: m.insight_part({ k, n }),
      range: "",
      dot: k / n,
      band: null,
      zero: null,
    });
    const points = (first.k / first.n - second.k / second.n) * 100;
    return [
      part(one(), first),
      part(other(), second),
      {
        name: m.insight_difference(),
        value: m.insight_points({ value: whole(Math.round(points)) }),
        range: between(whole(low), whole(high)),
        dot: within((points + 100) / 200),
        band: [within((low + 100) / 200), within((high + 100) / 200)],
        zero: 0.5,
      },
    ];
  }
  if (picture.shape === "levels") {
    const { first, second, difference, low, high } = picture;
    const mean = (name: string, tenths: number): Row => ({
      name,
      value: level(tenths),
      range: "",
      dot: within((tenths - 10) / 90),
      band: null,
      zero: null,
    });
    const along = (tenths: number) => within((tenths + 90) / 180);
    return [
      mean(one(), first.tenths),
      mean(other(), second.tenths),
      {
        name: kind === "stress_change" ? m.insight_shift() : m.insight_difference(),
        value: change(difference),
        range: between(change(low), change(high)),
        dot: along(difference),
        band: [along(low), along(high)],
        zero: 0.5,
      },
    ];
  }
  if (picture.shape === "run") {
    const { longest, low, high } = picture;
    const most = Math.max(longest, high) + 2;
    return [
      {
        name: m.insight_longest(),
        value: String(longest),
        range: m.insight_shuffled({ low, high }),
        dot: longest / most,
        band: [low / most, high / most],
        zero: null,
      },
    ];
  }
  const { median, low, high, currency } = picture;
  const money = (text: string) => `${signed(text, language)} ${currency}`.trim();
  // Only for the drawing: money that is shown stays text.
  const [at, from, to] = [Number(median), Number(low), Number(high)];
  const least = Math.min(from, 0);
  const span = Math.max(to, 0) - least || 1;
  const along = (value: number) => 0.08 + (0.84 * (value - least)) / span;
  return [
    {
      name: m.insight_middle(),
      value: money(median),
      range: between(money(low), money(high)),
      dot: along(at),
      band: [along(from), along(to)],
      zero: along(0),
    },
  ];
}
