/**
 * A scripted stand-in for the program, so that the screens can be seen in a browser and tested
 * without one. It answers in order, understands only digits and yes or no, and never ships.
 *
 * The address chooses the scene: `?lang=ru&theme=dark&first&models=missing&refuse=disk_full&memory=empty&traces&clock=ahead&pace=0`.
 */
import type { Backend } from "../backend";
import type {
  AppEvent,
  DayCalendar,
  DayDot,
  FeltHeard,
  Format,
  FoundTurn,
  Kind,
  MemoryCard,
  MemoryChange,
  MemoryLevel,
  MemorySheet,
  NoteCard,
  SessionPage,
  SessionView,
  Settings,
  Summary,
  Today,
  VoiceReading,
} from "../wire";
import { Cupboard } from "./cupboard";
import { catalogue } from "./catalogue";
import { fits, inCrisis, judgements, noted, refuge, remembered, sensed } from "./recollections";
import { ownZone, localDay, settingsOf, type Scene } from "./scene";
import { earlier, pauseOffer, plays } from "./script";

export class Rehearsal extends Cupboard implements Backend {
  readonly #scene: Scene;
  #session: SessionView | null = null;
  #line = 0;
  #offered = false;
  #readiness: number | null = null;
  #hearing: ReturnType<typeof setInterval> | null = null;
  #pages: SessionPage[] = [];
  #count = 0;
  #turns = 0;
  #memories: MemorySheet[] | null = null;
  #notes: NoteCard[];
  readonly #corrected = new Map<string, SessionPage>();
  readonly #deleted = new Set<string>();
  readonly answers: FeltHeard[] = [];
  readonly rated: boolean[] = [];
  hushed = 0;

  constructor(scene: Scene) {
    super(settingsOf(scene), scene.now, scene.firstRun, scene.models === "ready", scene);
    this.desktop.wayland = scene.wayland;
    this.#scene = scene;
    this.#notes = scene.forgetful ? [] : noted(this.settings.language, scene.now);
  }

  async subscribe(onEvent: (event: AppEvent) => void): Promise<void> {
    // Copies, as over a real wire: the window must not see what happens later.
    if (this.vault.locked) throw { code: "locked", detail: "" };
    this.tell = (event) => onEvent(structuredClone(event));
    this.snapshot();
  }

  async begin(kind: Kind, format: Format): Promise<void> {
    this.#line = 0;
    this.#turns = 0;
    this.#offered = false;
    this.#readiness = null;
    this.#count += 1;
    const { language } = this.settings;
    const first = plays[language][kind].lines[0];
    this.#session = {
      id: `rehearsal-${this.#count}`,
      kind,
      format,
      language,
      turns: first ? [{ who: "calm", text: first.calm }] : [],
      asks_scale: false,
      ended: null,
    };
    this.tell({ type: "session_started", session: this.#session });
  }

  async resume(): Promise<void> {
    this.snapshot();
  }

  async say(text: string): Promise<void> {
    this.#turn(text, null);
  }

  async listen(): Promise<void> {
    const { refuse, pace } = this.#scene;
    if (refuse !== null) {
      this.tell({ type: "listening", state: "opening" });
      this.tell({ type: "error", code: refuse, detail: "" });
      return;
    }
    this.tell({ type: "listening", state: "opening" });
    const words = this.#nextWords().split(" ");
    let heard = 0;
    let beat = 0;
    this.tell({ type: "listening", state: "listening" });
    this.#hearing = setInterval(() => {
      beat += 1;
      const value = Math.round(42 + 34 * Math.sin(beat * 1.7) + 16 * Math.sin(beat * 0.6));
      this.tell({ type: "level", value });
      if (beat % 2 === 1) return;
      heard += 1;
      this.tell({ type: "partial", text: words.slice(0, heard).join(" ") });
      if (heard >= words.length + 2) void this.stopListening();
    }, pace / 2);
  }

  async stopListening(): Promise<void> {
    this.#stopHearing();
    this.tell({ type: "listening", state: "transcribing" });
    await new Promise((done) => setTimeout(done, this.#scene.pace * 3));
    this.tell({ type: "listening", state: "off" });
    this.#turn(this.#nextWords(), { stress: 3, energy: 5, emotion: "neutral", calibrating: false });
  }

  async cancelListening(): Promise<void> {
    this.#stopHearing();
    this.tell({ type: "listening", state: "off" });
  }

  /** No voice here; how often it was told to be quiet is counted. */
  async hush(): Promise<void> {
    this.hushed += 1;
  }

  async finish(): Promise<void> {
    this.#end(true);
  }

  async feltHeard(answer: FeltHeard): Promise<void> {
    this.answers.push(answer);
  }

  async history(before: string | null, day: string | null) {
    const lines = this.#allPages().map(({ line }) => line);
    if (day !== null) return lines.filter((line) => this.#dayOf(line) === day);
    if (before === null) return lines;
    return lines.slice(lines.findIndex(({ id }) => id === before) + 1);
  }

  async calendar(from: string, to: string): Promise<DayCalendar> {
    const all = this.#allPages().map(({ line }) => line);
    const days = new Map<string, DayDot>();
    for (const line of all.toReversed()) {
      const day = this.#dayOf(line);
      if (day < from || day > to) continue;
      const dot = days.get(day) ?? { day, sessions: 0, readiness: null, stress: null };
      days.set(day, {
        day,
        sessions: dot.sessions + 1,
        readiness: line.readiness ?? dot.readiness,
        stress: Math.max(dot.stress ?? 0, line.stress ?? 0) || null,
      });
    }
    const last = all.at(-1);
    return {
      days: [...days.values()],
      first: last ? this.#dayOf(last) : "",
      today: localDay(this.#scene.now),
    };
  }

  async searchHistory(words: string): Promise<FoundTurn[]> {
    const wanted: string[] = words.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
    if (wanted.length === 0) return [];
    return this.#allPages().flatMap((page) => {
      let seq = 1;
      return page.turns.flatMap((turn) => {
        const own = seq;
        if (turn.who === "calm") seq += 1;
        const low = turn.text.toLowerCase();
        if (!wanted.every((word) => low.includes(word))) return [];
        const pieces = turn.text
          .split(new RegExp(`(${wanted.join("|")})`, "iu"))
          .filter((text) => text !== "")
          .map((text) => ({ text, marked: wanted.includes(text.toLowerCase()) }));
        const { id: session_id, kind, started_at: at } = page.line;
        return [{ session_id, seq: own, kind, at, who: turn.who, pieces }];
      });
    });
  }

  async correctValue(id: string, key: string, value: string): Promise<SessionPage> {
    const page = await this.session(id);
    const summary = page.summary;
    if (!summary) throw { code: "not_found", detail: "" };
    const others = summary.chips.filter((chip) => chip.key !== key);
    const at = summary.chips.findIndex((chip) => chip.key === key);
    if (value !== "") others.splice(at < 0 ? others.length : at, 0, { key, value });
    const level = /^\d+$/.test(value) ? Number(value) : null;
    const corrected: SessionPage = {
      ...page,
      line: {
        ...page.line,
        ...(key === "readiness" ? { readiness: level } : {}),
        ...(key === "stress" ? { stress: level } : {}),
      },
      summary: { ...summary, chips: others },
    };
    this.#corrected.set(id, corrected);
    return corrected;
  }

  async rateReply(id: string, reply: string, good: boolean): Promise<void> {
    if (this.#session?.id !== id || !this.#session.turns.some(({ text }) => text === reply))
      throw { code: "not_found", detail: "" };
    this.rated.push(good);
  }

  async deleteSession(id: string) {
    this.#deleted.add(id);
    this.snapshot();
    if (this.#scene.traces) this.tell({ type: "error", code: "traces_left", detail: "" });
    return { ...this.vault.wouldDelete(), traceless: !this.#scene.traces };
  }

  async beginAnew(): Promise<void> {
    this.settings = settingsOf({ ...this.#scene, firstRun: true });
    this.#session = null;
  }

  #dayOf({ started_at }: { started_at: string }): string {
    return localDay(new Date(started_at));
  }

  async session(id: string): Promise<SessionPage> {
    const page = this.#allPages().find(({ line }) => line.id === id);
    if (!page) throw { code: "no_such_session", detail: "" };
    return page;
  }

  async memories(level: MemoryLevel | null, query: string | null): Promise<MemoryCard[]> {
    return this.#remembered()
      .map(({ card }) => structuredClone(card))
      .filter((card) => level === null || card.level === level)
      .filter((card) => query === null || fits(card, query));
  }

  async notes(): Promise<NoteCard[]> {
    return structuredClone(this.#notes);
  }

  async removeNote(id: string): Promise<void> {
    this.#notes = this.#notes.filter((note) => note.id !== id);
  }

  async memory(id: string): Promise<MemorySheet> {
    return structuredClone(this.#sheet(id));
  }

  async correctMemory(id: string, text: string): Promise<void> {
    const { card } = this.#sheet(id);
    if (text.trim() === "") throw { code: "bad_input", detail: "" };
    card.words = text.trim();
    card.corrected = true;
  }

  async changeMemory(id: string, change: MemoryChange): Promise<void> {
    const sheet = this.#sheet(id);
    if (change === "delete") this.#memories = this.#remembered().filter((other) => other !== sheet);
    else if (change === "pin" || change === "unpin") sheet.card.pinned = change === "pin";
    else if (sheet.card.level !== "patterns") throw { code: "not_found", detail: "" };
    else sheet.card.state = change === "dismiss" ? "dismissed" : "active";
  }

  async saveSettings(_shown: Settings, settings: Settings): Promise<void> {
    if (settings.max_trades !== "" && !/^\d+$/.test(settings.max_trades))
      throw { code: "bad_setting", detail: "" };
    const time_zone = settings.own_zone || ownZone();
    this.settings = { ...settings, time_zone };
    if (time_zone !== settings.time_zone) this.snapshot();
  }

  async hideWindow(): Promise<void> {}

  async pictured(): Promise<void> {}

  protected snapshot(): void {
    this.tell({
      type: "snapshot",
      settings: this.settings,
      session: this.#session,
      today: this.#today(),
      voice: { microphone: true, models: this.#scene.models, advice: this.#advice() },
    });
  }

  #today(): Today {
    const of = (kind: Kind) => {
      const page = this.#pages.find(({ line }) => line.kind === kind);
      return page ? { id: page.line.id, done: true, readiness: page.line.readiness } : null;
    };
    const ru = this.settings.language === "ru";
    return {
      now_iso: this.#scene.now.toISOString(),
      check_in: of("check-in"),
      check_out: of("check-out"),
      streak: this.#scene.firstRun ? null : { type: "losing", count: 3 },
      plan: this.#scene.firstRun
        ? null
        : ru
          ? "две сделки от уровня, стоп сразу, после двух — закрываю терминал"
          : "two trades off the level, stop at once; after two I close the terminal",
    };
  }

  #advice(): string | null {
    if (this.#scene.models === "ready") return null;
    return this.settings.language === "ru"
      ? "Чтобы говорить голосом, один раз запусти «calm models fetch». А пока можно писать."
      : "To talk aloud, run “calm models fetch” once. Until then we can write.";
  }

  #allPages(): SessionPage[] {
    const before = this.#scene.firstRun
      ? []
      : earlier(this.settings.language, this.#scene.now);
    return [...this.#pages, ...before]
      .filter((page) => !this.#deleted.has(page.line.id))
      .map((page) => this.#corrected.get(page.line.id) ?? page);
  }

  #remembered(): MemorySheet[] {
    const { language } = this.settings;
    if (this.#scene.forgetful) return [];
    return (this.#memories ??= remembered(language, this.#scene.now));
  }

  #sheet(id: string): MemorySheet {
    const sheet = this.#remembered().find(({ card }) => card.id === id);
    if (!sheet) throw { code: "not_found", detail: "" };
    return sheet;
  }

  #nextWords(): string {
    if (this.#session === null) return "";
    return plays[this.#session.language][this.#session.kind].lines[this.#line]?.heard ?? "";
  }

  #turn(text: string, voice: VoiceReading | null): void {
    const session = this.#session;
    if (session === null || session.ended) throw { code: "internal", detail: "no open session" };
    const play = plays[session.language][session.kind];
    session.turns = [...session.turns, { who: "user", text }];
    this.tell({ type: "user_turn", text, voice });
    const sense = sensed(session.kind, session.language, this.#turns, text, this.#scene.now);
    if (this.#scene.forgetful) sense.recalled = [];
    this.tell({ type: "sensed", sense });
    this.#turns += 1;
    if (inCrisis(text)) {
      this.#reply(refuge[session.language], false, null);
      return;
    }
    if (this.#offered && /^(да|yes)$/i.test(text)) {
      const [practice] = catalogue[session.language];
      if (practice) this.tell({ type: "practice", practice });
    }
    const digits = /\d+/.exec(text);
    if (play.lines[this.#line]?.asksScale) {
      this.#readiness = digits ? Number(digits[0]) : 8;
      if (this.#readiness < 6 && !this.#offered) {
        this.#offered = true;
        const offer = pauseOffer[session.language];
        this.#reply(offer.calm, false, offer.practice);
        return;
      }
    }
    this.#line += 1;
    const line = play.lines[this.#line];
    if (line) {
      this.#reply(line.calm, line.asksScale ?? false, null);
      return;
    }
    this.#reply(play.closing, false, null);
    this.#end(false);
  }

  #reply(
    text: string,
    asks_scale: boolean,
    practice: Extract<AppEvent, { type: "reply" }>["practice"],
  ): void {
    const session = this.#session;
    if (session === null) return;
    session.turns = [...session.turns, { who: "calm", text }];
    session.asks_scale = asks_scale;
    const all = judgements[session.kind];
    const { guard, score, reasons } = all[this.#turns - 1] ?? { guard: [], score: 5, reasons: [] };
    this.tell({ type: "reply", text, guard, asks_scale, practice });
    this.tell({ type: "judged", score, reasons });
  }

  #end(forced: boolean): void {
    const session = this.#session;
    if (session === null || session.ended) return;
    this.#stopHearing();
    const full = plays[session.language][session.kind].summary;
    const summary: Summary = forced
      ? { chips: [], next_action: "none", text: "", deltas: [] }
      : {
          ...full,
          chips: full.chips.map((chip) =>
            chip.key === "readiness" && this.#readiness !== null
              ? { ...chip, value: String(this.#readiness) }
              : chip,
          ),
        };
    session.ended = summary;
    session.asks_scale = false;
    this.#pages.unshift({
      line: {
        id: session.id,
        kind: session.kind,
        started_at: this.#scene.now.toISOString(),
        readiness: session.kind === "check-in" ? this.#readiness : null,
        stress: forced ? null : 4,
        result: session.kind === "check-out" && !forced ? "loss" : null,
        text: summary.text,
      },
      turns: session.turns,
      summary,
    });
    this.tell({ type: "session_ended", forced, summary });
  }

  #stopHearing(): void {
    if (this.#hearing !== null) clearInterval(this.#hearing);
    this.#hearing = null;
  }
}
