/**
 * Where a practice is after so many seconds. Pure: the player only asks, so a pause, a sleeping
 * computer or a slow screen cannot put it out of step.
 */
import type { PracticeSheet } from "../../wire";

export interface Moment {
  /** Index of the step. */
  step: number;
  /** 1 is the first. */
  round: number;
  /** Seconds into the step, and left of it. */
  into: number;
  left: number;
  /** Seconds left of all. */
  rest: number;
  done: boolean;
}

export function roundSeconds({ steps }: PracticeSheet): number {
  return steps.reduce((sum, { seconds }) => sum + seconds, 0);
}

export function total(practice: PracticeSheet): number {
  return roundSeconds(practice) * practice.rounds;
}

export function momentAt(practice: PracticeSheet, elapsed: number): Moment {
  const round = roundSeconds(practice);
  const all = round * practice.rounds;
  const last = practice.steps.length - 1;
  if (elapsed >= all || round === 0) {
    const into = practice.steps[last]?.seconds ?? 0;
    return { step: Math.max(0, last), round: practice.rounds, into, left: 0, rest: 0, done: true };
  }
  const gone = Math.max(0, elapsed);
  let into = gone % round;
  let step = 0;
  for (const { seconds } of practice.steps) {
    if (into < seconds || step === last) break;
    into -= seconds;
    step += 1;
  }
  const left = (practice.steps[step]?.seconds ?? 0) - into;
  return { step, round: Math.floor(gone / round) + 1, into, left, rest: all - gone, done: false };
}

/** Whether the breath is led by it at all. */
export function breathes({ steps }: PracticeSheet): boolean {
  return steps.some(({ breath }) => breath !== "none");
}

/**
 * How full the lungs are, 0–1. Steps that go on with one breath, such as a second sip of air,
 * are one movement; a hold keeps what there is.
 */
export function fill({ steps }: PracticeSheet, { step, into }: Moment): number {
  const phase = steps[step]?.breath ?? "none";
  if (phase === "none") return 0.5;
  if (phase === "hold") {
    const before = steps.slice(0, step).findLast(({ breath }) => breath !== "hold");
    return before?.breath === "in" ? 1 : 0;
  }
  let first = step;
  while (first > 0 && steps[first - 1]?.breath === phase) first -= 1;
  let end = step;
  while (end + 1 < steps.length && steps[end + 1]?.breath === phase) end += 1;
  const seconds = (from: number, to: number) =>
    steps.slice(from, to).reduce((sum, one) => sum + one.seconds, 0);
  const share = (seconds(first, step) + into) / seconds(first, end + 1);
  // Breath has no corners.
  const eased = (1 - Math.cos(Math.PI * Math.min(1, share))) / 2;
  return phase === "in" ? eased : 1 - eased;
}

/** `1:05` */
export function clockOf(seconds: number): string {
  const whole = Math.ceil(Math.max(0, seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
