import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Forgetting, SECOND_THOUGHTS } from "../src/store/forgetting.svelte";

let forgotten: string[] = [];
let accepts = true;
let forgetting: Forgetting;

beforeEach(() => {
  vi.useFakeTimers();
  forgotten = [];
  accepts = true;
  forgetting = new Forgetting(async (id) => {
    forgotten.push(id);
    return accepts;
  });
});

afterEach(() => vi.useRealTimers());

const first = { id: "E1", words: "раз" };
const second = { id: "E2", words: "два" };

it("waits before anything is forgotten, and hides it meanwhile", async () => {
  forgetting.ask(first);
  expect(forgetting.hides("E1")).toBe(true);
  await vi.advanceTimersByTimeAsync(SECOND_THOUGHTS - 1);
  expect(forgotten).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(forgotten).toEqual(["E1"]);
  expect(forgetting.pending).toBeNull();
  expect(forgetting.hides("E1")).toBe(true);
});

it("undone, nothing was ever sent", async () => {
  forgetting.ask(first);
  await vi.advanceTimersByTimeAsync(3000);
  forgetting.undo();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(forgotten).toEqual([]);
  expect(forgetting.hides("E1")).toBe(false);
});

it("a hand on the button is waited for", async () => {
  forgetting.ask(first);
  forgetting.hold();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(forgotten).toEqual([]);
  forgetting.resume();
  await vi.advanceTimersByTimeAsync(SECOND_THOUGHTS);
  expect(forgotten).toEqual(["E1"]);
});

it("a second one settles the first and can still be undone alone", async () => {
  forgetting.ask(first);
  forgetting.ask(second);
  await vi.advanceTimersByTimeAsync(0);
  expect(forgotten).toEqual(["E1"]);
  forgetting.undo();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(forgotten).toEqual(["E1"]);
});

it("what could not be forgotten is shown again", async () => {
  accepts = false;
  forgetting.ask(first);
  await vi.advanceTimersByTimeAsync(SECOND_THOUGHTS);
  expect(forgotten).toEqual(["E1"]);
  expect(forgetting.hides("E1")).toBe(false);
});
