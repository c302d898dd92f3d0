import { describe, expect, it } from "vitest";
import { emptyView, reduce, withoutNotice, withSettings, type View } from "../src/store/reduce";
import type { AppEvent, SessionView, Summary } from "../src/wire";
import { sense, snapshot } from "./wire-samples";

const session: SessionView = {
  id: "s1",
  kind: "check-in",
  format: "short",
  language: "ru",
  turns: [{ who: "calm", text: "Как ты?" }],
  asks_scale: false,
  ended: null,
};

const summary: Summary = {
  chips: [
    { key: "readiness", value: "8" },
    { key: "sleep", value: "poor" },
  ],
  next_action: "proceed_to_trade",
  text: "Ровно.",
  deltas: [],
};

function after(...events: AppEvent[]): View {
  return events.reduce(reduce, emptyView);
}

const started: AppEvent[] = [snapshot(), { type: "session_started", session }];

describe("a session, from the first event to the last", () => {
  it("shows nothing before the snapshot, whatever arrives", () => {
    expect(after({ type: "session_started", session }, { type: "level", value: 40 })).toEqual(
      emptyView,
    );
  });

  it("keeps every turn in order and asks for a number only while it is asked", () => {
    const asked = after(
      ...started,
      { type: "user_turn", text: "спал мало", voice: null },
      { type: "reply", text: "Сколько из десяти?", guard: [], asks_scale: true, practice: null },
    );
    expect(asked.live?.session?.turns.map(({ who }) => who)).toEqual(["calm", "user", "calm"]);
    expect(asked.live?.session?.asks_scale).toBe(true);

    const answered = reduce(asked, { type: "user_turn", text: "8", voice: null });
    expect(answered.live?.session?.asks_scale).toBe(false);
    expect(answered.live?.session?.turns.at(-1)).toEqual({ who: "user", text: "8" });
  });

  it("shows a reply while it is written, and keeps it once", () => {
    const words: AppEvent[] = [
      ...started,
      { type: "user_turn", text: "спал мало", voice: null },
      { type: "reply_part", text: "Слышу тебя." },
      { type: "reply_part", text: "Как сейчас?" },
    ];
    const turns = (view: View) => view.live?.session?.turns.map(({ text }) => text);
    expect(turns(after(...words))).toEqual(["Как ты?", "спал мало", "Слышу тебя. Как сейчас?"]);
    const whole = "Слышу тебя. Как сейчас? Можно коротко.";
    const said = after(...words, {
      type: "reply",
      text: whole,
      guard: [],
      asks_scale: false,
      practice: null,
    });
    expect(turns(said)).toEqual(["Как ты?", "спал мало", whole]);
  });

  it("leaves the word about a hand-over to be read beside the guide's reply", () => {
    const view = after(
      ...started,
      { type: "error", code: "handed_over", detail: "server_silent" },
      { type: "reply", text: "Слышу.", guard: [], asks_scale: false, practice: null },
    );
    expect(view.notice?.code).toBe("handed_over");
    expect(reduce(view, { type: "user_turn", text: "да", voice: null }).notice).toBeNull();
  });

  it("ends with the summary, and the day's line knows about it at once", () => {
    const ended = after(
      ...started,
      { type: "listening", state: "listening" },
      { type: "session_ended", forced: true, summary },
    );
    expect(ended.live?.session?.ended).toEqual(summary);
    expect(ended.live?.forced).toBe(true);
    expect(ended.live?.listening).toBe("off");
    expect(ended.live?.today.check_in).toEqual({ id: "s1", done: true, readiness: 8 });
    expect(ended.live?.today.check_out).toBeNull();
  });

  it("never shows a readiness that is not on the scale", () => {
    const odd = { ...summary, chips: [{ key: "readiness", value: "80%" }] };
    const ended = after(...started, { type: "session_ended", forced: false, summary: odd });
    expect(ended.live?.today.check_in?.readiness).toBeNull();
  });

  it("ignores turns that belong to no session", () => {
    const view = after(snapshot(), {
      type: "reply",
      text: "?",
      guard: [],
      asks_scale: true,
      practice: null,
    });
    expect(view.live?.session).toBeNull();
  });

  it("starts the next session clean of the last one's practice and voice", () => {
    const view = after(
      ...started,
      {
        type: "user_turn",
        text: "так себе",
        voice: { stress: 8, energy: 3, emotion: null, calibrating: false },
      },
      {
        type: "reply",
        text: "Пауза?",
        guard: [],
        asks_scale: false,
        practice: { id: "p", name: "п", description: "", minutes: 3 },
      },
      { type: "session_started", session: { ...session, id: "s2" } },
    );
    expect(view.live?.practice).toBeNull();
    expect(view.live?.reading).toBeNull();
  });
});

describe("what a reply rests on", () => {
  const asked: AppEvent[] = [
    ...started,
    { type: "user_turn", text: "спал мало", voice: null },
    { type: "sensed", sense: sense() },
  ];
  const reply: AppEvent = {
    type: "reply",
    text: "Слышу.",
    guard: ["advice", "advice"],
    asks_scale: false,
    practice: null,
  };
  const judged: AppEvent = { type: "judged", score: 4, reasons: ["too_long"] };
  const newest = (view: View) => view.live?.session?.turns.at(-1);

  it("is gathered from three events and kept with the reply", () => {
    expect(newest(after(...asked, reply, judged))?.why).toEqual({
      sense: sense(),
      guard: ["advice"],
      verdict: { score: 4, reasons: ["too_long"] },
    });
  });

  it("waits for the whole reply: half a sentence explains nothing", () => {
    const half = after(...asked, { type: "reply_part", text: "Слы" });
    expect(newest(half)?.why).toBeUndefined();
    expect(newest(reduce(half, judged))?.why).toBeUndefined();
    expect(newest(reduce(half, reply))?.why?.sense).toEqual(sense());
  });

  it("stays with older replies when the talk goes on, and never passes to a later one", () => {
    const view = after(
      ...asked,
      reply,
      { type: "user_turn", text: "да", voice: null },
      { type: "reply", text: "Хорошо.", guard: [], asks_scale: false, practice: null },
    );
    expect(view.live?.session?.turns.map(({ why }) => why !== undefined)).toEqual([
      false,
      false,
      true,
      false,
      false,
    ]);
  });

  it("is no more than was told: a greeting rests on nothing", () => {
    const greeted = after(...started, {
      type: "reply",
      text: "Как ты?",
      guard: [],
      asks_scale: false,
      practice: null,
    });
    expect(newest(greeted)).toEqual({ who: "calm", text: "Как ты?" });
  });

  it("serves the guide's reply too, where a model's was given up", () => {
    const view = after(...asked, { type: "error", code: "handed_over", detail: "" }, reply);
    expect(newest(view)?.why?.sense).toEqual(sense());
  });

  it("outlives a snapshot of the same words, and nothing is made up for others", () => {
    const view = after(...asked, reply, judged);
    const turns = [
      ...session.turns,
      { who: "user" as const, text: "спал мало" },
      { who: "calm" as const, text: "Слышу." },
    ];
    expect(newest(reduce(view, snapshot({ session: { ...session, turns } })))?.why).toEqual(
      newest(view)?.why,
    );
    const other = {
      ...session,
      turns: [...turns.slice(0, -1), { who: "calm" as const, text: "А." }],
    };
    expect(newest(reduce(view, snapshot({ session: other })))?.why).toBeUndefined();
    const resumed = { ...session, id: "s9", turns };
    expect(newest(reduce(view, snapshot({ session: resumed })))?.why).toBeUndefined();
  });

  it("never sticks to the user's words", () => {
    const view = after(...asked, judged);
    expect(newest(view)).toEqual({ who: "user", text: "спал мало" });
    expect(after(snapshot(), { type: "sensed", sense: sense() }, judged).live?.session).toBeNull();
  });
});

describe("the microphone", () => {
  it("keeps the partial words in sight until they become a turn", () => {
    const heard = after(
      ...started,
      { type: "listening", state: "listening" },
      { type: "level", value: 130 },
      { type: "partial", text: "спал мало" },
    );
    expect(heard.live).toMatchObject({ level: 100, partial: "спал мало" });

    const written = reduce(heard, { type: "listening", state: "transcribing" });
    expect(written.live).toMatchObject({ level: 0, partial: "спал мало" });

    const said = reduce(written, { type: "user_turn", text: "спал мало", voice: null });
    expect(said.live?.partial).toBe("");
  });

  it("drops the partial words when listening is called off", () => {
    const view = after(
      ...started,
      { type: "partial", text: "э-э" },
      { type: "listening", state: "off" },
    );
    expect(view.live?.partial).toBe("");
  });
});

describe("errors", () => {
  const lost: AppEvent = { type: "error", code: "microphone_lost", detail: "" };

  it("leave the conversation and the microphone as they were: only its own events move it", () => {
    const view = after(...started, { type: "listening", state: "listening" }, lost);
    expect(view.notice?.code).toBe("microphone_lost");
    expect(view.live?.listening).toBe("listening");
    expect(reduce(view, { type: "listening", state: "off" }).live?.listening).toBe("off");
    expect(view.live?.session?.turns).toEqual(session.turns);
  });

  it("go away once the conversation goes on, or when they have been read", () => {
    const view = after(...started, { type: "error", code: "nothing_heard", detail: "" });
    expect(reduce(view, { type: "level", value: 3 }).notice).not.toBeNull();
    expect(reduce(view, { type: "user_turn", text: "да", voice: null }).notice).toBeNull();
    expect(withoutNotice(view).notice).toBeNull();
  });

  it("keep telling that the microphone went, past the turn that was rescued from it", () => {
    const view = after(...started, lost, { type: "user_turn", text: "да", voice: null });
    expect(view.notice?.code).toBe("microphone_lost");
    expect(reduce(view, { type: "listening", state: "listening" }).notice).toBeNull();
  });

  it("are told even when the journal could not be opened at all", () => {
    const view = after({ type: "error", code: "newer_database", detail: "" });
    expect(view).toEqual({ live: null, notice: { code: "newer_database", detail: "" } });
  });
});

it("a second snapshot corrects the view without losing the offered practice", () => {
  const practice = { id: "p", name: "п", description: "", minutes: 3 };
  const view = after(
    ...started,
    { type: "reply", text: "Пауза?", guard: [], asks_scale: false, practice },
    snapshot({ session }),
  );
  expect(view.live?.session).toEqual(session);
  expect(view.live?.practice).toEqual(practice);
});

it("accepted settings are shown without waiting for a snapshot", () => {
  const view = after(snapshot());
  const settings = { ...snapshot().settings, theme: "dark" as const };
  expect(withSettings(view, settings).live?.settings.theme).toBe("dark");
});

it("a snapshot in the middle of an utterance leaves the microphone open", () => {
  const view = after(
    ...started,
    { type: "listening", state: "listening" },
    { type: "partial", text: "спал" },
    snapshot({ session }),
  );
  expect(view.live?.listening).toBe("listening");
  expect(view.live?.partial).toBe("спал");
});

describe("a reminder", () => {
  const rings: AppEvent = { type: "reminder", text: "выпить воды" };

  it("stays through the talk and a new snapshot until it is put away", () => {
    const view = after(
      ...started,
      rings,
      { type: "user_turn", text: "8", voice: null },
      { type: "reply", text: "Хорошо.", guard: [], asks_scale: false, practice: null },
      snapshot({ session }),
    );
    expect(view.notice).toEqual({ code: "reminder", detail: "выпить воды" });
    expect(withoutNotice(view).notice).toBeNull();
  });

  it("is read together with another that rings before it is put away", () => {
    const view = after(...started, rings, { type: "reminder", text: "план" });
    expect(view.notice?.detail).toBe("выпить воды\nплан");
  });
});

it("what is left of something deleted stays until it is put away", () => {
  const view = after(
    ...started,
    { type: "error", code: "traces_left", detail: "" },
    snapshot({ session }),
    { type: "user_turn", text: "8", voice: null },
  );
  expect(view.notice?.code).toBe("traces_left");
  expect(withoutNotice(view).notice).toBeNull();
});
