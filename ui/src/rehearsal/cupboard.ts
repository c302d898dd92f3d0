/** What is kept and reached in a rehearsal; like the rest of it, this never ships. */
import type {
  AppEvent,
  BannedCard,
  DocumentCard,
  ExportPlace,
  FactsSheet,
  FoundServer,
  HelpSheet,
  Lang,
  MicrophoneCard,
  ModelCard,
  PlanAction,
  PlanCard,
  PracticeSheet,
  ReminderCard,
  ReminderWhen,
  Retention,
  SentCard,
  ServerCard,
  ServerKeyPlace,
  ServerTried,
  Settings,
  SpeechSpeed,
  TradeAnswers,
} from "../wire";
import { Bench } from "./bench";
import { catalogue, helplines } from "./catalogue";
import { Desktop } from "./desktop";
import { Files, insightsOf } from "./figures";
import type { Scene } from "./scene";
import { Vault } from "./vault";
import { Workbench } from "./workbench";

/** The models of a house that lacks none. */
const everything = [
  "whisper-base-onnx",
  "whisper-base",
  "silero-vad",
  "emotion",
  "onnxruntime",
  "sentence-encoder",
];

function gone(): never {
  throw { code: "not_found", detail: "" };
}

export abstract class Cupboard extends Workbench {
  protected settings: Settings;
  protected tell: (event: AppEvent) => void = () => undefined;
  readonly #now: Date;
  readonly #bare: boolean;
  readonly #here: Set<string>;
  #plans: PlanCard[];
  #facts: string;
  #documents: DocumentCard[];
  #reminders: ReminderCard[];
  #banned: BannedCard[];
  #servers: ServerCard[] = [];
  #count = 100;
  readonly #files: Files;
  protected readonly vault: Vault;
  readonly desktop = new Desktop();
  protected readonly bench: Bench;
  #level: ReturnType<typeof setInterval> | null = null;

  constructor(
    settings: Settings,
    now: Date,
    bare: boolean,
    whole: boolean,
    { words, clockAhead }: Pick<Scene, "words" | "clockAhead">,
  ) {
    super();
    this.settings = settings;
    this.#now = now;
    this.#bare = bare;
    this.#here = new Set(whole ? everything : []);
    this.#files = new Files(now);
    this.vault = new Vault(words, clockAhead);
    this.bench = new Bench(now, bare, () => this.settings.language, (event) => this.tell(event));
    const ru = settings.language === "ru";
    const at = (hours: number) => new Date(now.getTime() + hours * 3_600_000).toISOString();
    this.#plans = bare
      ? []
      : [
          {
            id: "1",
            name: ru ? "Два минуса" : "Two losses",
            condition: ru ? "два минуса подряд" : "two losses in a row",
            actions: [{ do: "pause", minutes: 20 }],
            enabled: true,
          },
          {
            id: "2",
            name: ru ? "Руки чешутся" : "Itchy hands",
            condition: ru ? "хочется войти без плана" : "I want to enter without a plan",
            actions: [
              { do: "practice", practice: "breathing" },
              { do: "note", text: ru ? "почему сейчас" : "why now" },
            ],
            enabled: false,
          },
        ];
    this.#facts = bare
      ? ""
      : ru
        ? "## Активные факты\n\n- торгую только утром\n- после минуса мне нужно пройтись\n"
        : "## Active facts\n\n- I only trade in the morning\n- after a loss I need a walk\n";
    this.#documents = [
      {
        id: "1",
        kind: "note",
        title: ru ? "О паузах" : "On pauses",
        characters: 900,
        added_at: at(-900),
        own: false,
      },
      ...(bare
        ? []
        : ([
            {
              id: "2",
              kind: "document",
              title: ru ? "Мой торговый план.pdf" : "My trading plan.pdf",
              characters: 12_400,
              added_at: at(-200),
              own: true,
            },
          ] as const)),
    ];
    this.#reminders = bare
      ? []
      : [
          {
            id: "1",
            at: at(5),
            text: ru ? "закрыть терминал" : "close the terminal",
            done: false,
          },
          { id: "2", at: at(-20), text: ru ? "выпить воды" : "drink some water", done: true },
        ];
    this.#banned = bare
      ? []
      : [{ id: "1", term: ru ? "всё будет хорошо" : "it will all be fine" }];
  }

  get #lang(): Lang {
    return this.settings.language;
  }

  #next(): string {
    this.#count += 1;
    return String(this.#count);
  }

  async shell() {
    return this.desktop.sheet();
  }

  async setShortcut(keys: string) {
    return this.desktop.setShortcut(keys);
  }

  async startAtLogin(on: boolean) {
    return this.desktop.startAtLogin(on);
  }

  async plans(): Promise<PlanCard[]> {
    return structuredClone(this.#plans);
  }

  async addPlan(name: string, condition: string, actions: PlanAction[]): Promise<void> {
    const minutes = actions.flatMap((action) => ("minutes" in action ? [action.minutes] : []));
    if (minutes.some((count) => count > 10_080)) throw { code: "bad_plan", detail: "" };
    this.#plans.push({ id: this.#next(), name, condition, actions, enabled: true });
  }

  async switchPlan(id: string, on: boolean): Promise<void> {
    (this.#plans.find((plan) => plan.id === id) ?? gone()).enabled = on;
  }

  async removePlan(id: string): Promise<void> {
    this.#plans = this.#plans.filter((plan) => plan.id !== id);
  }

  async facts(): Promise<FactsSheet> {
    const section = /^## (Active facts|Активные факты)\n([\s\S]*)/m.exec(this.#facts)?.[2]?.trim();
    const characters = section?.length ?? 0;
    return {
      markdown: this.#facts,
      active: characters > 0,
      characters,
      too_many: characters > 8000,
    };
  }

  async saveFacts(markdown: string): Promise<FactsSheet> {
    this.#facts = markdown;
    return this.facts();
  }

  async documents(): Promise<DocumentCard[]> {
    return structuredClone(this.#documents);
  }

  async addDocument(name: string, base64: string): Promise<void> {
    if (!/\.(md|txt|csv|pdf)$/i.test(name)) throw { code: "bad_document", detail: "" };
    if (this.#documents.some(({ title }) => title === name))
      throw { code: "already_known", detail: "" };
    this.#keep("document", name, atob(base64).length);
  }

  async addAnswer(question: string, answer: string): Promise<void> {
    this.#keep("answers", question, question.length + answer.length);
  }

  #keep(kind: DocumentCard["kind"], title: string, characters: number): void {
    const added_at = this.#now.toISOString();
    this.#documents.push({ id: this.#next(), kind, title, characters, added_at, own: true });
  }

  async removeDocument(id: string): Promise<void> {
    this.#documents = this.#documents.filter((document) => document.id !== id);
  }

  async reminders(): Promise<ReminderCard[]> {
    return structuredClone(this.#reminders);
  }

  async addReminder(when: ReminderWhen, text: string): Promise<void> {
    const at = new Date(this.#now);
    if (when.kind === "in") at.setMinutes(at.getMinutes() + when.minutes);
    else {
      const [hour = 0, minute = 0] = when.time.split(":").map(Number);
      at.setDate(at.getDate() + when.days_ahead);
      at.setHours(hour, minute, 0, 0);
      if (at <= this.#now) at.setDate(at.getDate() + 1);
    }
    this.#reminders.unshift({ id: this.#next(), at: at.toISOString(), text, done: false });
  }

  async removeReminder(id: string): Promise<void> {
    this.#reminders = this.#reminders.filter((reminder) => reminder.id !== id);
  }

  async banned(): Promise<BannedCard[]> {
    return structuredClone(this.#banned);
  }

  async ban(term: string): Promise<void> {
    if (term.length > 200) throw { code: "bad_term", detail: "" };
    this.#banned.push({ id: this.#next(), term });
  }

  async unban(id: string): Promise<void> {
    this.#banned = this.#banned.filter((banned) => banned.id !== id);
  }

  async servers(): Promise<ServerCard[]> {
    return structuredClone(this.#servers);
  }

  async addServer(name: string, base_url: string, model: string): Promise<void> {
    if (!/^[\w.-]+$/.test(name) || this.#servers.some((known) => known.name === name))
      throw { code: "bad_backend", detail: "" };
    this.#servers.push({ name, base_url, model, key: false });
  }

  async removeServer(name: string): Promise<void> {
    this.#servers = this.#servers.filter((server) => server.name !== name);
    if (this.settings.backend === name) await this.useBackend("guide");
  }

  async useBackend(name: string): Promise<void> {
    this.settings = { ...this.settings, backend: name };
    this.snapshot();
  }

  async keepKey(name: string, key: string): Promise<ServerKeyPlace> {
    (this.#servers.find((server) => server.name === name) ?? gone()).key = true;
    // A rehearsal of both places: there is no keychain for this one.
    if (key === "filed") return { place: "file", path: "/home/calm/.local/share/calm/calm.api-keys" };
    return { place: "keychain" };
  }

  async discover(): Promise<FoundServer[]> {
    if (this.#bare) return [];
    return [
      { name: "ollama", base_url: "http://127.0.0.1:11434/v1", models: ["qwen2.5:7b", "gemma3:4b"] },
    ];
  }

  async tryBackend(name: string): Promise<ServerTried> {
    if (this.settings.offline) throw { code: "offline", detail: "" };
    if (name === "local") return { model: "qwen2.5:7b", first_token: 800, total: 1400 };
    throw { code: "server_key", detail: "" };
  }

  async models(): Promise<ModelCard[]> {
    const model = (id: string, megabytes: number, required = true): ModelCard => ({
      id,
      state: this.#here.has(id) ? "ready" : "missing",
      megabytes,
      licence: "MIT",
      required,
      writes: id.startsWith("whisper"),
    });
    return [
      model("whisper-base-onnx", 82),
      model("whisper-base", 82),
      model("silero-vad", 3),
      model("emotion", 17),
      model("onnxruntime", 30),
      model("sentence-encoder", 33, false),
      model("whisper-small", 488, false),
      model("whisper-large-v3-turbo", 1624, false),
    ];
  }

  async verifyModels(): Promise<ModelCard[]> {
    return this.models();
  }

  async fetchModels(ids: string[]): Promise<void> {
    for (const model of ids)
      for (const percent of [0, 40, 80, 100]) {
        this.tell({ type: "fetching", model, stage: "downloading", percent });
        await new Promise((done) => setTimeout(done, 20));
      }
    for (const model of ids) this.#here.add(model);
    this.snapshot();
  }

  async deleteModel(id: string): Promise<void> {
    this.#here.delete(id);
    this.snapshot();
  }

  async speechSpeed(id: string): Promise<SpeechSpeed> {
    return { sample: 12_000, took: id === "whisper-base-onnx" ? 600 : 1800 };
  }

  async microphones(): Promise<MicrophoneCard[]> {
    return [
      { id: "alsa:default", name: "Built-in Audio Analog Stereo", chosen: true },
      { id: "alsa:hw:CARD=Headset", name: "USB Headset", chosen: false },
    ];
  }

  async tryMicrophone(on: boolean): Promise<void> {
    if (this.#level !== null) clearInterval(this.#level);
    this.#level = null;
    if (!on) return this.tell({ type: "trial_over" });
    let beat = 0;
    const step = () => {
      beat += 1;
      this.tell({ type: "level", value: Math.round(30 + 28 * Math.abs(Math.sin(beat))) });
    };
    step();
    this.#level = setInterval(step, 80);
  }

  async ledger(): Promise<SentCard[]> {
    if (this.#bare) return [];
    const at = new Date(this.#now.getTime() - 86_400_000).toISOString();
    return [
      {
        id: "2",
        at,
        method: "POST",
        url: "http://127.0.0.1:11434/v1/chat/completions",
        fields: ["talk", "name", "memory"],
        bytes: 14_212,
        status: 200,
      },
      {
        id: "1",
        at,
        method: "GET",
        url: "http://127.0.0.1:11434/v1/models",
        fields: [],
        bytes: 0,
        status: 0,
      },
    ];
  }

  async sentText(id: string): Promise<string> {
    return id === "2" ? '{"model":"qwen2.5:7b","messages":[{"role":"system","content":"…"}]}' : "";
  }

  async help(): Promise<HelpSheet> {
    return helplines[this.#lang];
  }

  async practices(): Promise<PracticeSheet[]> {
    return catalogue[this.#lang];
  }

  /** Every window hears of what has changed. */
  protected abstract snapshot(): void;

  async insights() {
    return insightsOf(this.settings.language, this.#bare);
  }

  lookAtTrades(name: string, _base64: string, answers: TradeAnswers) {
    return this.#files.look(name, answers);
  }

  importTrades(name: string, _base64: string, answers: TradeAnswers) {
    return this.#files.take(name, answers);
  }

  async tradeImports() {
    return this.#files.list();
  }

  async undoTradeImport(id: string) {
    return this.#files.undo(id);
  }

  async exportPlaces() {
    return this.vault.folders();
  }

  async exportElsewhere() {
    return this.vault.exportElsewhere();
  }

  async exportData(place: ExportPlace) {
    return this.vault.export(place);
  }

  async lookAtExport(name: string) {
    return this.vault.look(name);
  }

  async importExport(name: string) {
    return this.vault.bring(name);
  }

  async wouldDelete(_id: string) {
    return this.vault.wouldDelete();
  }

  async retention() {
    return this.vault.retention();
  }

  async wouldExpire(keep: Retention) {
    return this.vault.wouldExpire(keep);
  }

  async keepFor(keep: Retention) {
    return this.vault.keep(keep);
  }

  async hasPassphrase() {
    return this.vault.hasWords();
  }

  async unlock(words: string) {
    this.vault.unlock(words);
  }

  async changePassphrase(old: string, words: string) {
    this.vault.change(old, words);
    return { tidy: true };
  }

  async eraseEverything(models: boolean) {
    return this.vault.erase(models);
  }
}
