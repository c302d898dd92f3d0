/** The wire as the program sees it: names, arguments, the order of events. */
import { clearMocks, mockIPC, mockWindows } from "@tauri-apps/api/mocks";
import type { Channel } from "@tauri-apps/api/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openBackend, refusal, type Backend } from "../src/backend";
import { App } from "../src/store/app.svelte";
import type { AppEvent } from "../src/wire";
import { snapshot } from "./wire-samples";

type Call = [string, Record<string, unknown> | undefined];

let calls: Call[] = [];
let answer: (command: string) => unknown = () => null;
let backend: Backend;

beforeEach(async () => {
  calls = [];
  answer = () => null;
  mockWindows("main");
  mockIPC((command, args) => {
    calls.push([command, args as Record<string, unknown>]);
    return answer(command);
  });
  backend = await openBackend();
});

afterEach(() => clearMocks());

describe("commands", () => {
  it.each<[string, () => Promise<unknown>, string, Record<string, unknown>]>([
    [
      "begin",
      () => backend.begin("check-out", "short"),
      "begin",
      { kind: "check-out", format: "short" },
    ],
    ["resume", () => backend.resume(), "resume", {}],
    ["a prompt", () => backend.promptFile("ru/root.md"), "prompt_file", { path: "ru/root.md" }],
    [
      "keep a prompt",
      () => backend.keepPrompt({ path: "a.md", text: "x" }),
      "keep_prompt",
      { edit: { path: "a.md", text: "x" } },
    ],
    ["lint", () => backend.lintPrompts(null), "lint_prompts", { edit: null }],
    [
      "finalize",
      () => backend.finalizePrompts("1.0", "why"),
      "finalize_prompts",
      { version: "1.0", note: "why" },
    ],
    [
      "compare",
      () => backend.comparePrompts({ side: "shipped" }, { side: "version", version: "1" }),
      "compare_prompts",
      { from: { side: "shipped" }, to: { side: "version", version: "1" } },
    ],
    ["roll back", () => backend.rollBackPrompts("1"), "roll_back_prompts", { to: "1" }],
    [
      "the sandbox",
      () => backend.tryPrompts([], "guide", true),
      "try_prompts",
      { ids: [], backend: "guide", edits: true },
    ],
    ["say", () => backend.say("да"), "say", { text: "да" }],
    ["listen", () => backend.listen(), "listen", {}],
    ["stop listening", () => backend.stopListening(), "stop_listening", {}],
    ["cancel listening", () => backend.cancelListening(), "cancel_listening", {}],
    ["finish", () => backend.finish(), "finish", {}],
    ["felt heard", () => backend.feltHeard("partly"), "felt_heard", { answer: "partly" }],
    ["history", () => backend.history(null, null), "history", { before: null, day: null }],
    [
      "a day of it",
      () => backend.history(null, "2026-11-17"),
      "history",
      { before: null, day: "2026-11-17" },
    ],
    [
      "calendar",
      () => backend.calendar("2026-10-01", "2026-11-30"),
      "calendar",
      { from: "2026-10-01", to: "2026-11-30" },
    ],
    ["search", () => backend.searchHistory("стоп"), "search_history", { words: "стоп" }],
    [
      "correct a value",
      () => backend.correctValue("7", "readiness", "6"),
      "correct_value",
      { id: "7", key: "readiness", value: "6" },
    ],
    [
      "add a plan",
      () => backend.addPlan("Два минуса", "два минуса подряд", [{ do: "pause", minutes: 20 }]),
      "add_plan",
      {
        name: "Два минуса",
        condition: "два минуса подряд",
        actions: [{ do: "pause", minutes: 20 }],
      },
    ],
    [
      "remind",
      () => backend.addReminder({ kind: "at", days_ahead: 0, time: "18:00" }, "закрыть"),
      "add_reminder",
      { when: { kind: "at", days_ahead: 0, time: "18:00" }, text: "закрыть" },
    ],
    [
      "add a server",
      () => backend.addServer("work", "https://example.org/v1", "m"),
      "add_server",
      { name: "work", baseUrl: "https://example.org/v1", model: "m" },
    ],
    [
      "keep a key",
      () => backend.keepKey("work", "тайна"),
      "keep_key",
      { name: "work", key: "тайна" },
    ],
    ["delete a model", () => backend.deleteModel("x"), "delete_model", { id: "x" }],
    ["measure a model", () => backend.speechSpeed("x"), "speech_speed", { id: "x" }],
    ["fetch models", () => backend.fetchModels([]), "fetch_models", { ids: [] }],
    ["try the microphone", () => backend.tryMicrophone(true), "try_microphone", { on: true }],
    [
      "add a document",
      () => backend.addDocument("план.md", "IyBhCg=="),
      "add_document",
      { name: "план.md", base64: "IyBhCg==" },
    ],
    [
      "rate a reply",
      () => backend.rateReply("7", "Слышу тебя.", false),
      "rate_reply",
      { id: "7", reply: "Слышу тебя.", good: false },
    ],
    ["ban", () => backend.ban("дружок"), "ban", { term: "дружок" }],
    ["help", () => backend.help(), "help", {}],
    ["session", () => backend.session("7"), "session", { id: "7" }],
    [
      "memories",
      () => backend.memories("lessons", "сон"),
      "memories",
      { level: "lessons", query: "сон" },
    ],
    ["all memories", () => backend.memories(null, null), "memories", { level: null, query: null }],
    ["memory", () => backend.memory("E7"), "memory", { id: "E7" }],
    [
      "correct a memory",
      () => backend.correctMemory("E7", "не так"),
      "correct_memory",
      { id: "E7", text: "не так" },
    ],
    [
      "change a memory",
      () => backend.changeMemory("P3", "dismiss"),
      "change_memory",
      { id: "P3", change: "dismiss" },
    ],
    [
      "save settings",
      () => backend.saveSettings(snapshot().settings, snapshot().settings),
      "save_settings",
      { shown: snapshot().settings, settings: snapshot().settings },
    ],
  ])("%s", async (_, command, name, args) => {
    await command();
    expect(calls).toEqual([[name, args]]);
  });
});

it("events reach the view in the order they were sent, through one channel", async () => {
  const events: AppEvent[] = [
    snapshot(),
    {
      type: "session_started",
      session: {
        id: "s",
        kind: "check-in",
        format: "short",
        language: "ru",
        turns: [],
        asks_scale: false,
        ended: null,
      },
    },
    { type: "reply", text: "Как ты?", guard: [], asks_scale: false, practice: null },
  ];
  const app = new App(backend);
  await app.start();
  const channel = calls[0]?.[1]?.["channel"] as Channel<AppEvent>;
  for (const event of events) channel.onmessage(event);
  expect(app.live?.session?.turns).toEqual([{ who: "calm", text: "Как ты?" }]);
  expect(document.documentElement.lang).toBe("ru");
});

it("a refused command is told to the user in its own code", async () => {
  const app = new App(backend);
  answer = () => {
    throw { code: "store_locked", detail: "" };
  };
  await app.start();
  expect(app.view.notice?.code).toBe("store_locked");
});

it.each([
  [
    { code: "disk_full", detail: "x" },
    { code: "disk_full", detail: "x" },
  ],
  [{ code: 7 }, { code: "internal", detail: "" }],
  ["boom", { code: "internal", detail: "" }],
  [undefined, { code: "internal", detail: "" }],
  [new Error("private words"), { code: "internal", detail: "" }],
])("refusal %#", (reason, expected) => {
  expect(refusal(reason)).toEqual(expected);
});
