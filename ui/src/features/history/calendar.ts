/** Months as a calendar lays them out: plain dates, without a clock or a zone. */

export interface Cell {
  /** `YYYY-MM-DD` */
  day: string;
  number: number;
  /** 1 is Monday. */
  weekday: number;
}

/** `YYYY-MM` → its days, in order. */
export function daysOf(month: string): Cell[] {
  const [year = 1970, number = 1] = month.split("-").map(Number);
  const count = new Date(Date.UTC(year, number, 0)).getUTCDate();
  const first = (new Date(Date.UTC(year, number - 1, 1)).getUTCDay() + 6) % 7;
  return Array.from({ length: count }, (_, index) => ({
    day: `${month}-${String(index + 1).padStart(2, "0")}`,
    number: index + 1,
    weekday: ((first + index) % 7) + 1,
  }));
}

/** The month so many after (or, below zero, before) it. */
export function shifted(month: string, by: number): string {
  const [year = 1970, number = 1] = month.split("-").map(Number);
  const at = new Date(Date.UTC(year, number - 1 + by, 1));
  return `${String(at.getUTCFullYear()).padStart(4, "0")}-${String(at.getUTCMonth() + 1).padStart(2, "0")}`;
}

export function monthOfDay(day: string): string {
  return day.slice(0, 7);
}

/** Noon of the day, for its name in words; the zone to name it in is UTC. */
export function noonOf(day: string): Date {
  return new Date(`${day.length === 7 ? `${day}-01` : day}T12:00:00Z`);
}

/** The day that an arrow leads to among those that can be chosen; the nearest one in its direction. */
export function towards(days: readonly string[], from: string, key: string): string | null {
  const at = days.indexOf(from);
  if (at < 0) return null;
  const apart = (day: string) => (Date.parse(day) - Date.parse(from)) / 86_400_000;
  switch (key) {
    case "ArrowLeft":
      return days[at - 1] ?? null;
    case "ArrowRight":
      return days[at + 1] ?? null;
    case "ArrowUp":
      return days.slice(0, at).findLast((day) => apart(day) <= -7) ?? days[0] ?? null;
    case "ArrowDown":
      return days.slice(at + 1).find((day) => apart(day) >= 7) ?? days.at(-1) ?? null;
    case "Home":
      return days[0] ?? null;
    case "End":
      return days.at(-1) ?? null;
    default:
      return null;
  }
}
