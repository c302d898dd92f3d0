/**
 * The only door between the window and the program: commands out, ordered events in.
 *
 * Inside the app it is Tauri's IPC. In a plain browser (`npm run dev`, tests) it is a scripted
 * stand-in, which a production build leaves out.
 */
import { Channel, invoke } from "@tauri-apps/api/core";
import type {
  AppEvent,
  BannedCard,
  DayCalendar,
  DocumentCard,
  ErasedSheet,
  ExportBrought,
  ExportDone,
  ExportFolder,
  ExportLook,
  ExportPlace,
  FactsSheet,
  FeltHeard,
  Format,
  FoundServer,
  FoundTurn,
  GoneCard,
  HelpSheet,
  InsightSheet,
  Kind,
  MemoryCard,
  MemoryChange,
  MemoryLevel,
  MemorySheet,
  MicrophoneCard,
  ModelCard,
  NoteCard,
  PassphraseChange,
  PlanAction,
  PlanCard,
  PracticeSheet,
  PromptDifference,
  PromptEdit,
  PromptFinalized,
  PromptLint,
  PromptPreview,
  PromptSample,
  PromptShelf,
  PromptSide,
  PromptText,
  PromptVersions,
  ReminderCard,
  ReminderWhen,
  Retention,
  RetentionSheet,
  ScenarioCard,
  SentCard,
  ServerCard,
  ServerKeyPlace,
  ServerTried,
  SessionLine,
  SessionPage,
  Settings,
  ShellSheet,
  SpeechSpeed,
  TradeAnswers,
  TradeImport,
  TradeLook,
  TradesTaken,
} from "./wire";

export interface Backend {
  /** The first event is always a snapshot. */
  subscribe(onEvent: (event: AppEvent) => void): Promise<void>;
  begin(kind: Kind, format: Format): Promise<void>;
  resume(): Promise<void>;
  say(text: string): Promise<void>;
  listen(): Promise<void>;
  /** Ends the utterance; its words follow as a `user_turn`. */
  stopListening(): Promise<void>;
  /** Drops the utterance. */
  cancelListening(): Promise<void>;
  /** "That's enough": the session is closed with what is known. */
  /** What is being said aloud stops. */
  hush(): Promise<void>;
  finish(): Promise<void>;
  feltHeard(answer: FeltHeard): Promise<void>;
  /** Newest first: those before a session, or those of one day (`YYYY-MM-DD`). */
  history(before: string | null, day: string | null): Promise<SessionLine[]>;
  session(id: string): Promise<SessionPage>;
  calendar(from: string, to: string): Promise<DayCalendar>;
  searchHistory(words: string): Promise<FoundTurn[]>;
  /** Empty where it was not said; gives the session as it is then. */
  correctValue(id: string, key: string, value: string): Promise<SessionPage>;
  rateReply(id: string, reply: string, good: boolean): Promise<void>;
  /** The newest first; with a query, those in which all its words begin a word. */
  memories(level: MemoryLevel | null, query: string | null): Promise<MemoryCard[]>;
  memory(id: string): Promise<MemorySheet>;
  correctMemory(id: string, text: string): Promise<void>;
  changeMemory(id: string, change: MemoryChange): Promise<void>;
  /** Keeps what differs from what was shown; the rest stays as it is stored. */
  saveSettings(shown: Settings, settings: Settings): Promise<void>;
  /** How the desktop lets Calm be reached. */
  shell(): Promise<ShellSheet>;
  /** Keys such as `Ctrl+Alt+C`; empty is none. */
  setShortcut(keys: string): Promise<ShellSheet>;
  startAtLogin(on: boolean): Promise<ShellSheet>;
  plans(): Promise<PlanCard[]>;
  addPlan(name: string, condition: string, actions: PlanAction[]): Promise<void>;
  switchPlan(id: string, on: boolean): Promise<void>;
  removePlan(id: string): Promise<void>;
  /** What plans wrote down, the newest first. */
  notes(): Promise<NoteCard[]>;
  removeNote(id: string): Promise<void>;
  facts(): Promise<FactsSheet>;
  saveFacts(markdown: string): Promise<FactsSheet>;
  documents(): Promise<DocumentCard[]>;
  addDocument(name: string, base64: string): Promise<void>;
  addAnswer(question: string, answer: string): Promise<void>;
  removeDocument(id: string): Promise<void>;
  reminders(): Promise<ReminderCard[]>;
  addReminder(when: ReminderWhen, text: string): Promise<void>;
  removeReminder(id: string): Promise<void>;
  banned(): Promise<BannedCard[]>;
  ban(term: string): Promise<void>;
  unban(id: string): Promise<void>;
  servers(): Promise<ServerCard[]>;
  addServer(name: string, baseUrl: string, model: string): Promise<void>;
  removeServer(name: string): Promise<void>;
  /** `guide`, `local` or the name of a server. */
  useBackend(name: string): Promise<void>;
  /** Says where the key is kept now. */
  keepKey(name: string, key: string): Promise<ServerKeyPlace>;
  discover(): Promise<FoundServer[]>;
  tryBackend(name: string): Promise<ServerTried>;
  models(): Promise<ModelCard[]>;
  verifyModels(): Promise<ModelCard[]>;
  /** None named is everything; how far it is comes as `fetching` events. */
  fetchModels(ids: string[]): Promise<void>;
  deleteModel(id: string): Promise<void>;
  speechSpeed(id: string): Promise<SpeechSpeed>;
  microphones(): Promise<MicrophoneCard[]>;
  /** Its `level` comes as events until it is turned off, or for half a minute. */
  tryMicrophone(on: boolean): Promise<void>;
  ledger(): Promise<SentCard[]>;
  sentText(id: string): Promise<string>;
  help(): Promise<HelpSheet>;
  practices(): Promise<PracticeSheet[]>;
  insights(): Promise<InsightSheet>;
  lookAtTrades(name: string, base64: string, answers: TradeAnswers): Promise<TradeLook>;
  importTrades(name: string, base64: string, answers: TradeAnswers): Promise<TradesTaken>;
  /** The newest first. */
  tradeImports(): Promise<TradeImport[]>;
  /** Says how many trades went with it. */
  undoTradeImport(id: string): Promise<number>;
  promptFiles(): Promise<PromptShelf>;
  promptFile(path: string): Promise<PromptText>;
  /** Puts a text by that is no edit yet. */
  holdPrompt(edit: PromptEdit): Promise<void>;
  letGoPrompt(path: string): Promise<PromptShelf>;
  keepPrompt(edit: PromptEdit): Promise<PromptShelf>;
  /** The file as it came with the program. */
  takeBackPrompt(path: string): Promise<PromptShelf>;
  /** Of the whole set, with what is being written. */
  lintPrompts(edit: PromptEdit | null): Promise<PromptLint>;
  /** Both may be empty. */
  finalizePrompts(version: string, note: string): Promise<PromptFinalized>;
  previewPrompts(sample: PromptSample, edit: PromptEdit | null): Promise<PromptPreview>;
  promptVersions(): Promise<PromptVersions>;
  comparePrompts(from: PromptSide, to: PromptSide): Promise<PromptDifference[]>;
  rollBackPrompts(to: string): Promise<PromptVersions>;
  promptScenarios(): Promise<ScenarioCard[]>;
  /** None named is all; what becomes of them comes as `scenario_ran` and `sandbox_over`. */
  tryPrompts(ids: string[], backend: string, edits: boolean): Promise<void>;
  stopTryingPrompts(): Promise<void>;
  exportPlaces(): Promise<ExportFolder[]>;
  exportData(place: ExportPlace, recordings: boolean): Promise<ExportDone>;
  /** Into a folder that the user shows; `null` where they did not. */
  exportElsewhere(recordings: boolean): Promise<ExportDone | null>;
  lookAtExport(name: string, base64: string): Promise<ExportLook>;
  importExport(name: string, base64: string): Promise<ExportBrought>;
  wouldDelete(id: string): Promise<GoneCard>;
  deleteSession(id: string): Promise<GoneCard>;
  retention(): Promise<RetentionSheet>;
  wouldExpire(keep: Retention): Promise<GoneCard>;
  keepFor(keep: Retention): Promise<GoneCard>;
  hasPassphrase(): Promise<boolean>;
  /** Subscribe afterwards. */
  unlock(words: string): Promise<void>;
  /** Empty is none. */
  changePassphrase(old: string, words: string): Promise<PassphraseChange>;
  /** Nothing can be asked for after it but `beginAnew`. */
  eraseEverything(models: boolean): Promise<ErasedSheet>;
  /** Subscribe afterwards. */
  beginAnew(): Promise<void>;
  /** Puts the tray window away; the session behind it stays as it is. */
  hideWindow(): Promise<void>;
  /** The page has put a picture on the screen; a window that never says so is drawn again. */
  pictured(): Promise<void>;
}

function tauri(): Backend {
  return {
    async subscribe(onEvent) {
      const channel = new Channel<AppEvent>();
      channel.onmessage = onEvent;
      await invoke("subscribe", { channel });
    },
    begin: (kind, format) => invoke("begin", { kind, format }),
    resume: () => invoke("resume"),
    say: (text) => invoke("say", { text }),
    listen: () => invoke("listen"),
    stopListening: () => invoke("stop_listening"),
    cancelListening: () => invoke("cancel_listening"),
    hush: () => invoke("hush"),
    finish: () => invoke("finish"),
    feltHeard: (answer) => invoke("felt_heard", { answer }),
    history: (before, day) => invoke("history", { before, day }),
    session: (id) => invoke("session", { id }),
    calendar: (from, to) => invoke("calendar", { from, to }),
    searchHistory: (words) => invoke("search_history", { words }),
    correctValue: (id, key, value) => invoke("correct_value", { id, key, value }),
    rateReply: (id, reply, good) => invoke("rate_reply", { id, reply, good }),
    memories: (level, query) => invoke("memories", { level, query }),
    memory: (id) => invoke("memory", { id }),
    correctMemory: (id, text) => invoke("correct_memory", { id, text }),
    changeMemory: (id, change) => invoke("change_memory", { id, change }),
    saveSettings: (shown, settings) => invoke("save_settings", { shown, settings }),
    shell: () => invoke("shell"),
    setShortcut: (keys) => invoke("set_shortcut", { keys }),
    startAtLogin: (on) => invoke("start_at_login", { on }),
    plans: () => invoke("plans"),
    addPlan: (name, condition, actions) => invoke("add_plan", { name, condition, actions }),
    switchPlan: (id, on) => invoke("switch_plan", { id, on }),
    removePlan: (id) => invoke("remove_plan", { id }),
    notes: () => invoke("notes"),
    removeNote: (id) => invoke("remove_note", { id }),
    facts: () => invoke("facts"),
    saveFacts: (markdown) => invoke("save_facts", { markdown }),
    documents: () => invoke("documents"),
    addDocument: (name, base64) => invoke("add_document", { name, base64 }),
    addAnswer: (question, answer) => invoke("add_answer", { question, answer }),
    removeDocument: (id) => invoke("remove_document", { id }),
    reminders: () => invoke("reminders"),
    addReminder: (when, text) => invoke("add_reminder", { when, text }),
    removeReminder: (id) => invoke("remove_reminder", { id }),
    banned: () => invoke("banned"),
    ban: (term) => invoke("ban", { term }),
    unban: (id) => invoke("unban", { id }),
    servers: () => invoke("servers"),
    addServer: (name, baseUrl, model) => invoke("add_server", { name, baseUrl, model }),
    removeServer: (name) => invoke("remove_server", { name }),
    useBackend: (name) => invoke("use_backend", { name }),
    keepKey: (name, key) => invoke("keep_key", { name, key }),
    discover: () => invoke("discover"),
    tryBackend: (name) => invoke("try_backend", { name }),
    models: () => invoke("models"),
    verifyModels: () => invoke("verify_models"),
    fetchModels: (ids) => invoke("fetch_models", { ids }),
    deleteModel: (id) => invoke("delete_model", { id }),
    speechSpeed: (id) => invoke("speech_speed", { id }),
    microphones: () => invoke("microphones"),
    tryMicrophone: (on) => invoke("try_microphone", { on }),
    ledger: () => invoke("ledger"),
    sentText: (id) => invoke("sent_text", { id }),
    help: () => invoke("help"),
    practices: () => invoke("practices"),
    insights: () => invoke("insights"),
    lookAtTrades: (name, base64, answers) => invoke("look_at_trades", { name, base64, answers }),
    importTrades: (name, base64, answers) => invoke("import_trades", { name, base64, answers }),
    tradeImports: () => invoke("trade_imports"),
    undoTradeImport: (id) => invoke("undo_trade_import", { id }),
    promptFiles: () => invoke("prompt_files"),
    promptFile: (path) => invoke("prompt_file", { path }),
    holdPrompt: (edit) => invoke("hold_prompt", { edit }),
    letGoPrompt: (path) => invoke("let_go_prompt", { path }),
    keepPrompt: (edit) => invoke("keep_prompt", { edit }),
    takeBackPrompt: (path) => invoke("take_back_prompt", { path }),
    lintPrompts: (edit) => invoke("lint_prompts", { edit }),
    finalizePrompts: (version, note) => invoke("finalize_prompts", { version, note }),
    previewPrompts: (sample, edit) => invoke("preview_prompts", { sample, edit }),
    promptVersions: () => invoke("prompt_versions"),
    comparePrompts: (from, to) => invoke("compare_prompts", { from, to }),
    rollBackPrompts: (to) => invoke("roll_back_prompts", { to }),
    promptScenarios: () => invoke("prompt_scenarios"),
    tryPrompts: (ids, backend, edits) => invoke("try_prompts", { ids, backend, edits }),
    stopTryingPrompts: () => invoke("stop_trying_prompts"),
    exportPlaces: () => invoke("export_places"),
    exportData: (place, recordings) => invoke("export_data", { place, recordings }),
    exportElsewhere: (recordings) => invoke("export_elsewhere", { recordings }),
    lookAtExport: (name, base64) => invoke("look_at_export", { name, base64 }),
    importExport: (name, base64) => invoke("import_export", { name, base64 }),
    wouldDelete: (id) => invoke("would_delete", { id }),
    deleteSession: (id) => invoke("delete_session", { id }),
    retention: () => invoke("retention"),
    wouldExpire: (keep) => invoke("would_expire", { keep }),
    keepFor: (keep) => invoke("keep_for", { keep }),
    hasPassphrase: () => invoke("has_passphrase"),
    unlock: (words) => invoke("unlock", { words }),
    changePassphrase: (old, words) => invoke("change_passphrase", { old, words }),
    eraseEverything: (models) => invoke("erase_everything", { models }),
    beginAnew: () => invoke("begin_anew"),
    hideWindow: () => invoke("put_away"),
    pictured: () => invoke("pictured"),
  };
}

export async function openBackend(): Promise<Backend> {
  if ("__TAURI_INTERNALS__" in window) return tauri();
  if (import.meta.env.DEV) {
    const { Rehearsal } = await import("./rehearsal/rehearsal");
    const { sceneFrom } = await import("./rehearsal/scene");
    return new Rehearsal(sceneFrom(new URLSearchParams(location.search)));
  }
  throw new Error("this page works only inside the CalmTrader window");
}

/** The code and detail of a refused command; anything unforeseen is `internal`. */
export function refusal(reason: unknown): { code: string; detail: string } {
  if (typeof reason === "object" && reason !== null && "code" in reason) {
    const { code } = reason;
    const detail = "detail" in reason ? reason.detail : "";
    if (typeof code === "string") return { code, detail: typeof detail === "string" ? detail : "" };
  }
  return { code: "internal", detail: "" };
}
