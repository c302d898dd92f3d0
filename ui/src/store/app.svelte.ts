/**
 * The window's one store. It keeps what the program said (`view`), and the few things that are
 * the window's own: which screen is open, whether the text field is.
 */
import { refusal, type Backend } from "../backend";
import { speak } from "../locale.svelte";
import type {
  ErasedSheet,
  FeltHeard,
  Kind,
  Lang,
  MemoryChange,
  MemoryLevel,
  PracticeSheet,
  Settings,
} from "../wire";
import { Forgetting } from "./forgetting.svelte";
import { Workshop } from "./workshop.svelte";
import {
  emptyView,
  reduce,
  withLive,
  withoutNotice,
  withSettings,
  type View,
} from "./reduce";

export type Screen =
  | "today"
  | "talk"
  | "practice"
  | "history"
  | "insights"
  | "trades"
  | "memory"
  | "prompts"
  | "care"
  | "settings";

/** The pages of the settings, in their order. */
export const settingsPages = [
  "you",
  "day",
  "voice",
  "answers",
  "models",
  "plans",
  "facts",
  "knowledge",
  "reminders",
  "words",
  "privacy",
  "data",
  "plain",
  "window",
  "look",
] as const;
export type SettingsPage = (typeof settingsPages)[number];

export class App {
  view: View = $state.raw(emptyView);
  screen: Screen = $state("today");
  typing = $state(false);
  /** Survives closing the text field: half a thought is not thrown away. */
  draft = $state("");
  /** The notice about the voice stands on the stage until it is answered. */
  askingVoice = $state(false);
  welcomeSkipped = $state(false);
  heard: FeltHeard | null = $state(null);
  /** The turn whose grounds are open on the stage. */
  explained: number | null = $state(null);
  /** The session that is open as a letter, the screen that it was opened from, and the turn to show (1 is the first). */
  letter: { id: string; from: Screen; turn?: number } | null = $state.raw(null);
  /** The day (`YYYY-MM-DD`) whose sessions the history shows, and what is looked for in it. */
  historyDay: string | null = $state(null);
  historyQuery = $state("");
  settingsPage: SettingsPage | null = $state(null);
  /** The page that was left last: its row has the focus again. */
  settingsLeft: SettingsPage | null = $state(null);
  /** The practice that is being played, wherever it was begun. */
  playing: PracticeSheet | null = $state.raw(null);
  /** The one that was played last: its card has the focus again. */
  played: string | null = null;
  /** Everything was erased: what went, until the user begins anew. */
  erased: ErasedSheet | null = $state.raw(null);
  memoryLevel: MemoryLevel | null = $state(null);
  memoryQuery = $state("");
  /** The memory whose sheet is open. */
  sheet: string | null = $state(null);
  /** Its words are being put right. */
  correcting = $state(false);
  readonly forgetting = new Forgetting((id) => this.changeMemory(id, "delete"));
  /** Milliseconds from this web view's clock to the program's. */
  skew = $state(0);
  /** The tray window has no talk to show yet. */
  opening = $state(false);
  /** The tray window was put away by the user and opens anew when it is next looked at. */
  away = false;

  /** One answer at a time: a key pressed twice is not two turns. */
  #saying = false;
  readonly #backend: Backend;
  readonly tray: boolean;
  readonly workshop: Workshop;
  /** For pages that only read and keep something; what becomes of it is theirs to show. */
  readonly ask: Backend;

  constructor(backend: Backend, tray = false) {
    this.#backend = backend;
    this.ask = backend;
    this.workshop = new Workshop(backend, (asked) => this.attempt(asked));
    this.tray = tray;
    if (tray) this.screen = "talk";
    this.opening = tray;
  }

  get live() {
    return this.view.live;
  }

  /** A session that can still be talked in. */
  get open() {
    const session = this.live?.session;
    return session && !session.ended ? session : null;
  }

  get canListen() {
    const voice = this.live?.voice;
    return voice !== undefined && voice.models === "ready" && voice.microphone;
  }

  get needsWelcome() {
    return this.live !== null && !this.live.settings.adult_confirmed && !this.welcomeSkipped;
  }

  async start(): Promise<void> {
    // Before the settings can be read, the system's language.
    if (this.live === null) speak(navigator.language.startsWith("ru") ? "ru" : "en");
    await this.done(
      this.#backend.subscribe((event) => {
        this.view = reduce(this.view, event);
        this.workshop.hear(event);
        if (event.type === "snapshot") {
          speak(event.settings.language);
          this.skew = Date.parse(event.today.now_iso) - Date.now() || 0;
        }
        if (event.type === "session_started") this.heard = null;
        if (event.type === "session_started" || event.type === "user_turn") this.explained = null;
      }),
    );
  }

  async begin(kind: Kind): Promise<void> {
    this.typing = false;
    this.draft = "";
    this.screen = "talk";
    await this.done(this.#backend.begin(kind, "short"));
  }

  async resume(): Promise<void> {
    this.screen = "talk";
    await this.done(this.#backend.resume());
  }

  /** Opens the tray window's conversation: the one in progress, or a new one. */
  async openTray(kind: Kind): Promise<void> {
    this.away = false;
    this.opening = true;
    await (this.open ? this.resume() : this.begin(kind));
    this.opening = false;
  }

  /** True when the words went out; otherwise they are still in the field. */
  async say(text: string): Promise<boolean> {
    const words = text.trim();
    if (words === "" || this.open === null || this.#saying) return false;
    this.#saying = true;
    if (this.live?.listening === "listening") await this.done(this.#backend.cancelListening());
    const said = await this.done(this.#backend.say(words));
    this.#saying = false;
    return said;
  }

  async listen(): Promise<void> {
    if (this.open === null || !this.canListen || this.live?.listening !== "off") return;
    if (this.live.settings.voice_consent !== "yes") {
      this.askingVoice = true;
      return;
    }
    await this.done(this.#backend.listen());
  }

  async stopListening(): Promise<void> {
    if (this.live?.listening === "listening") await this.done(this.#backend.stopListening());
  }

  async cancelListening(): Promise<void> {
    await this.done(this.#backend.cancelListening());
  }

  /** One gesture for the microphone, the space bar and the tray: talk, or I have said it. */
  async talkOrStop(): Promise<void> {
    await (this.live?.listening === "listening" ? this.stopListening() : this.listen());
  }

  /** Answers the voice notice; where listening was allowed, it begins at once. */
  async answerVoice(answer: "all" | "words" | "type"): Promise<void> {
    this.askingVoice = false;
    const saved = await this.save(voiceChoice(answer));
    if (answer === "type") this.typing = true;
    else if (saved) await this.listen();
  }

  async hush(): Promise<void> {
    await this.done(this.#backend.hush());
  }

  async finish(): Promise<void> {
    await this.done(this.#backend.finish());
  }

  async feltHeard(answer: FeltHeard): Promise<void> {
    if (await this.done(this.#backend.feltHeard(answer))) this.heard = answer;
  }

  async save(change: Partial<Settings>): Promise<boolean> {
    if (this.live === null) return false;
    const saved = await this.done(
      this.#backend.saveSettings(this.live.settings, { ...this.live.settings, ...change }),
    );
    if (saved) {
      this.view = withSettings(this.view, change);
      if (change.language) speak(change.language);
    }
    return saved;
  }

  /** The journal waits for its passphrase. */
  get locked() {
    return this.live === null && this.view.notice?.code === "locked";
  }

  /** Throws where the words are not the right ones. */
  async unlock(words: string): Promise<void> {
    await this.#backend.unlock(words);
    this.dismiss();
    await this.start();
  }

  async eraseEverything(models: boolean): Promise<void> {
    this.erased = (await this.attempt(this.#backend.eraseEverything(models))) ?? null;
    if (this.erased) this.workshop.forget();
  }

  async beginAnew(): Promise<void> {
    if (!(await this.done(this.#backend.beginAnew()))) return;
    this.welcomeSkipped = false;
    this.show("today");
    await this.start();
    this.erased = null;
  }

  /** By the program's clock. */
  now(): Date {
    return new Date(Date.now() + this.skew);
  }

  /** Tries the microphone out: its level comes until it is turned off. */
  async tryMicrophone(on: boolean): Promise<void> {
    this.view = withLive(this.view, { trying: on, level: 0 });
    await this.done(this.#backend.tryMicrophone(on));
  }

  /** Brings models to this machine; how far it is stands in `live.fetching`. */
  async fetchModels(ids: string[]): Promise<boolean> {
    if (this.live?.fetching) return false;
    const fetched = await this.done(this.#backend.fetchModels(ids));
    this.view = withLive(this.view, { fetching: null });
    return fetched;
  }

  /** Puts a value of a session right, in the card of a talk that has just ended too. */
  async correctValue(id: string, key: string, value: string) {
    const page = await this.attempt(this.#backend.correctValue(id, key, value));
    const session = this.live?.session;
    if (page?.summary && session?.id === id && session.ended)
      this.view = withLive(this.view, { session: { ...session, ended: page.summary } });
    return page;
  }

  play(practice: PracticeSheet): void {
    this.playing = practice;
    this.played = practice.id;
  }

  session(id: string) {
    return this.#backend.session(id);
  }

  memories(level: MemoryLevel | null, query: string | null) {
    return this.#backend.memories(level, query);
  }

  memory(id: string) {
    return this.#backend.memory(id);
  }

  correctMemory(id: string, text: string): Promise<boolean> {
    return this.done(this.#backend.correctMemory(id, text));
  }

  changeMemory(id: string, change: MemoryChange): Promise<boolean> {
    return this.done(this.#backend.changeMemory(id, change));
  }

  /** A room entered by its name is entered at its door: no letter or sheet is left open in it. */
  show(screen: Screen): void {
    this.screen = screen;
    this.letter = null;
    this.playing = this.played = null;
    this.settingsPage = this.settingsLeft = null;
    this.historyDay = null;
    this.historyQuery = "";
    this.memoryLevel = null;
    this.memoryQuery = "";
    this.closeSheet();
  }

  /** A session as a letter, from wherever it was named. */
  openLetter(id: string, turn?: number): void {
    this.letter = { id, from: this.screen, ...(turn === undefined ? {} : { turn }) };
    this.screen = "history";
  }

  /** Back to the list of pages. */
  leaveSettings(): void {
    this.settingsLeft = this.settingsPage;
    this.settingsPage = null;
  }

  openSettings(page: SettingsPage): void {
    this.show("settings");
    this.settingsPage = page;
  }

  /** Back to where the letter was opened from, with everything there as it was left. */
  closeLetter(): void {
    if (this.letter === null) return;
    this.screen = this.letter.from;
    this.letter = null;
  }

  openSheet(id: string): void {
    this.screen = "memory";
    this.sheet = id;
    this.correcting = false;
  }

  closeSheet(): void {
    this.sheet = null;
    this.correcting = false;
  }

  dismiss(): void {
    this.view = withoutNotice(this.view);
  }

  /** A refusal met outside a command of the conversation, such as a page that would not open. */
  refused(reason: unknown): void {
    this.view = reduce(this.view, { type: "error", ...refusal(reason) });
  }

  /**
   * Esc closes the nearest open thing, and nothing is thrown away: words half spoken are written
   * down, words half typed stay in the field. The tray window closes at the first press.
   */
  async escape(): Promise<void> {
    if (!this.tray) {
      if (this.view.notice !== null && this.live !== null) return this.dismiss();
      if (this.askingVoice) {
        this.askingVoice = false;
        return;
      }
    }
    if (this.#closeNearest()) return;
    if (!this.tray) {
      if (this.typing && this.canListen) {
        this.typing = false;
        return;
      }
    }
    await this.leave();
  }

  #closeNearest(): boolean {
    if (this.playing !== null) this.playing = null;
    else if (this.screen === "trades") this.show("insights");
    else if (this.screen === "settings" && this.settingsPage !== null) this.leaveSettings();
    else if (this.screen === "care" && this.open !== null) this.screen = "talk";
    else if (this.screen === "history" && this.letter === null && this.historyQuery !== "")
      this.historyQuery = "";
    else if (this.screen === "history" && this.letter === null && this.historyDay !== null)
      this.historyDay = null;
    else if (this.screen === "talk" && !this.tray && this.explained !== null) this.explained = null;
    else if (this.screen === "history" && this.letter !== null) this.closeLetter();
    else if (this.screen === "memory" && this.correcting) this.correcting = false;
    else if (this.screen === "memory" && this.sheet !== null) this.closeSheet();
    else return false;
    return true;
  }

  /** Puts the conversation away as it is. */
  async leave(): Promise<void> {
    const listening = this.live?.listening;
    if (listening === "listening" || listening === "opening") {
      await this.done(this.#backend.stopListening());
    }
    if (this.tray) {
      this.away = true;
      await this.done(this.#backend.hideWindow());
    } else if (this.screen === "talk") this.show("today");
  }

  /** The answer, or `undefined` where it was refused; the refusal is shown. */
  async attempt<T>(asked: Promise<T>): Promise<T | undefined> {
    try {
      return await asked;
    } catch (reason) {
      this.refused(reason);
      return undefined;
    }
  }

  /** Whether it was done; a refusal is shown. */
  async done(command: Promise<unknown>): Promise<boolean> {
    try {
      await command;
      return true;
    } catch (reason) {
      this.refused(reason);
      return false;
    }
  }
}

export function voiceChoice(answer: "all" | "words" | "type"): Partial<Settings> {
  return { voice_consent: answer === "type" ? "no" : "yes", voice_analysis: answer === "all" };
}

/** Words of the practice card's buttons go out as ordinary speech, in the session's language. */
export function consentWord(accept: boolean, language: Lang): string {
  if (language === "ru") return accept ? "да" : "нет";
  return accept ? "yes" : "no";
}
