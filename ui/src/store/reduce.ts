/**
 * From what the program said to what the window shows: a pure function over events.
 *
 * The window invents nothing. An event that makes no sense where it arrives
 * (a reply without a session) leaves the view as it was.
 */
import type {
  AppEvent,
  Listening,
  PracticeCard,
  PracticeSheet,
  Sense,
  SessionView,
  Settings,
  Today,
  TodaySession,
  Turn,
  VoiceReading,
  VoiceState,
} from "../wire";

export interface Notice {
  code: string;
  detail: string;
}

/** What a reply of Calm rests on, as far as it was told; it comes in pieces. */
export interface Why {
  /** The first impression of the words that it answers. */
  sense: Sense | null;
  /** Rules that stopped a sentence of it, each once. */
  guard: string[];
  verdict: Verdict | null;
}

export interface Verdict {
  /** 1–5. */
  score: number;
  reasons: string[];
}

export type Fetching = Omit<Extract<AppEvent, { type: "fetching" }>, "type">;

export interface Said extends Turn {
  why?: Why;
}

/** A session with what its replies rest on. The program does not tell that again, so it is kept here. */
export interface Talk extends SessionView {
  turns: Said[];
}

export interface Live {
  settings: Settings;
  session: Talk | null;
  today: Today;
  voice: VoiceState;
  listening: Listening;
  /** 0–100. */
  level: number;
  partial: string;
  practice: PracticeCard | null;
  /** The practice that the user has agreed to in this talk. */
  begins: PracticeSheet | null;
  /** The model that is on its way, and how far it is. */
  fetching: Fetching | null;
  /** The microphone is being tried out; its `level` comes. */
  trying: boolean;
  /** The impression of the user's newest words, for the replies that answer them. */
  sensed: Sense | null;
  /** Calm's last turn is still being written. */
  writing: boolean;
  /** The newest reading of this session's voice. */
  reading: VoiceReading | null;
  forced: boolean;
}

export interface View {
  /** `null` until the first snapshot. */
  live: Live | null;
  /** Apart from `live`: the program may refuse before it can send a snapshot. */
  notice: Notice | null;
}

export const emptyView: View = { live: null, notice: null };

const quiet = { listening: "off", level: 0, partial: "" } as const;

export function reduce(view: View, event: AppEvent): View {
  if (event.type === "error") {
    return {
      live: view.live,
      notice: { code: event.code, detail: event.detail },
    };
  }
  // The workshop's own.
  if (event.type === "scenario_ran" || event.type === "sandbox_over") return view;
  if (event.type === "reminder") {
    return { live: view.live, notice: withReminder(view.notice, event.text) };
  }
  if (event.type === "snapshot") {
    const { settings, today, voice } = event;
    const before = view.live;
    // The card of a talk that has ended stays until it is put away.
    const told = event.session ?? (before?.session?.ended ? before.session : null);
    const same = told !== null && before?.session?.id === told.id ? before : null;
    const session = told && withWhys(told, same?.session?.turns ?? []);
    return {
      live: {
        settings,
        session,
        today,
        voice,
        // Only the microphone's own events tell what it does.
        listening: before?.listening ?? quiet.listening,
        level: before?.level ?? quiet.level,
        partial: before?.partial ?? quiet.partial,
        practice: same?.practice ?? null,
        begins: same?.begins ?? null,
        fetching: before?.fetching ?? null,
        trying: before?.trying ?? false,
        sensed: same?.sensed ?? null,
        // A snapshot holds whole replies only.
        writing: false,
        reading: same?.reading ?? null,
        forced: same?.forced ?? false,
      },
      notice: waitsToBeRead(view.notice) ? view.notice : null,
    };
  }
  if (view.live === null) return view;
  const live = step(view.live, event);
  if (live === view.live) return view;
  return { live, notice: answersNotice(event, view.notice) ? null : view.notice };
}

/** A reminder, or what is left of something deleted, is told once: it stays until it has been read. */
function waitsToBeRead(notice: Notice | null): boolean {
  return notice?.code === "reminder" || notice?.code === "traces_left";
}

/** Of several that ring together all are read. */
function withReminder(notice: Notice | null, text: string): Notice {
  const before = notice?.code === "reminder" ? `${notice.detail}\n` : "";
  return { code: "reminder", detail: before + text };
}

/** The conversation went on, so what stood in its way is over. */
function answersNotice(event: AppEvent, notice: Notice | null): boolean {
  // What was heard until the microphone went away becomes a turn; that it went is still to be read.
  if (waitsToBeRead(notice)) return false;
  if (notice?.code === "microphone_lost" && event.type !== "listening") return false;
  // The guide's own reply comes right behind it.
  if (notice?.code === "handed_over")
    return event.type === "user_turn" || event.type === "session_started";
  return (
    event.type === "session_started" ||
    event.type === "user_turn" ||
    event.type === "reply" ||
    event.type === "session_ended" ||
    (event.type === "listening" && event.state === "listening")
  );
}

type LiveEvent = Exclude<
  AppEvent,
  { type: "snapshot" | "error" | "reminder" | "scenario_ran" | "sandbox_over" }
>;

function step(live: Live, event: LiveEvent): Live {
  const { session } = live;
  switch (event.type) {
    case "session_started":
      return {
        ...live,
        ...quiet,
        session: event.session,
        practice: null,
        begins: null,
        sensed: null,
        writing: false,
        reading: null,
        forced: false,
      };
    case "listening":
      return event.state === "listening"
        ? { ...live, listening: event.state }
        : {
            ...live,
            listening: event.state,
            level: 0,
            partial: event.state === "transcribing" ? live.partial : "",
          };
    case "fetching": {
      const { model, stage, percent } = event;
      return { ...live, fetching: { model, stage, percent } };
    }
    case "trial_over":
      return live.listening === "off" ? { ...live, trying: false, level: 0 } : live;
    case "level":
      return { ...live, level: Math.min(100, Math.max(0, event.value)) };
    case "partial":
      return { ...live, partial: event.text };
    case "user_turn":
      if (session === null) return live;
      return {
        ...live,
        session: {
          ...session,
          turns: [...session.turns, { who: "user", text: event.text }],
          asks_scale: false,
        },
        partial: "",
        practice: null,
        sensed: null,
        writing: false,
        reading: event.voice ?? live.reading,
      };
    case "sensed":
      return session === null ? live : { ...live, sensed: event.sense };
    case "reply_part":
      if (session === null) return live;
      return {
        ...live,
        session: {
          ...session,
          turns: [
            ...settled(live, session),
            { who: "calm", text: begun(live, session, event.text) },
          ],
        },
        writing: true,
      };
    case "reply":
      if (session === null) return live;
      return {
        ...live,
        session: {
          ...session,
          turns: [...settled(live, session), replied(live, event.text, event.guard)],
          asks_scale: event.asks_scale,
        },
        practice: event.practice,
        writing: false,
      };
    case "practice":
      return session === null ? live : { ...live, begins: event.practice };
    case "judged": {
      const newest = session?.turns.at(-1);
      if (!session || newest?.who !== "calm" || live.writing) return live;
      const verdict = { score: event.score, reasons: event.reasons };
      const why = { ...(newest.why ?? { sense: live.sensed, guard: [] }), verdict };
      return {
        ...live,
        session: { ...session, turns: [...session.turns.slice(0, -1), { ...newest, why }] },
      };
    }
    case "session_ended":
      if (session === null) return live;
      return {
        ...live,
        ...quiet,
        session: { ...session, asks_scale: false, ended: event.summary },
        today: withEnded(live.today, session, event.summary.chips),
        practice: null,
        forced: event.forced,
      };
  }
}

/** A whole reply; one that rests on nothing told, such as a greeting, has nothing to explain. */
function replied({ sensed }: Live, text: string, guard: string[]): Said {
  const said = { who: "calm", text } as const;
  if (sensed === null && guard.length === 0) return said;
  return { ...said, why: { sense: sensed, guard: [...new Set(guard)], verdict: null } };
}

/** What was known of the same words a moment ago. */
function withWhys(session: SessionView, before: readonly Said[]): Talk {
  const turns = session.turns.map((turn, index) => {
    const why = before[index]?.text === turn.text ? before[index].why : undefined;
    return why === undefined ? turn : { ...turn, why };
  });
  return { ...session, turns };
}

/** The turns without the one that is still being written. */
function settled(live: Live, session: Talk): Said[] {
  return live.writing ? session.turns.slice(0, -1) : session.turns;
}

/** What is written so far, with one sentence more. */
function begun(live: Live, session: Talk, sentence: string): string {
  const before = live.writing ? session.turns.at(-1)?.text : undefined;
  return before === undefined ? sentence : `${before} ${sentence}`;
}

/** Today's line is told only in snapshots, so the session that just ended is entered here. */
function withEnded(
  today: Today,
  session: SessionView,
  chips: readonly { key: string; value: string }[],
): Today {
  const said = Number(chips.find((chip) => chip.key === "readiness")?.value);
  const ended: TodaySession = {
    id: session.id,
    done: true,
    readiness: Number.isInteger(said) && said >= 1 && said <= 10 ? said : null,
  };
  return session.kind === "check-in"
    ? { ...today, check_in: ended }
    : { ...today, check_out: ended };
}

/** Takes the notice away once it has been read. */
export function withoutNotice(view: View): View {
  return { ...view, notice: null };
}

/** The program accepted these settings; what else they bring about comes in a snapshot. */
export function withSettings(view: View, change: Partial<Settings>): View {
  if (view.live === null) return view;
  return { ...view, live: { ...view.live, settings: { ...view.live.settings, ...change } } };
}

/** What the window itself began or ended. */
export function withLive(view: View, change: Partial<Live>): View {
  return view.live ? { ...view, live: { ...view.live, ...change } } : view;
}
