/**
 * The only door between the window and the program: commands out, ordered events in.
 *
 * Inside the app it is Tauri's IPC. In a plain browser (`npm run dev`, tests) it is a scripted
 * stand-in, which a production build leaves out.
 */
import { Channel, invoke } from "@tauri-apps/api/core";
import { getCurrentWindow } from "@tauri-apps/api/window";
import type {
  AppEvent,
  FeltHeard,
  Format,
  Kind,
  MemoryCard,
  MemoryChange,
  MemoryLevel,
  MemorySheet,
  SessionLine,
  SessionPage,
  Settings,
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
  finish(): Promise<void>;
  feltHeard(answer: FeltHeard): Promise<void>;
  history(): Promise<SessionLine[]>;
  session(id: string): Promise<SessionPage>;
  /** The newest first; with a query, those in which all its words begin a word. */
  memories(level: MemoryLevel | null, query: string | null): Promise<MemoryCard[]>;
  memory(id: string): Promise<MemorySheet>;
  correctMemory(id: string, text: string): Promise<void>;
  changeMemory(id: string, change: MemoryChange): Promise<void>;
  saveSettings(settings: Settings): Promise<void>;
  /** Puts the tray window away; the session behind it stays as it is. */
  hideWindow(): Promise<void>;
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
    finish: () => invoke("finish"),
    feltHeard: (answer) => invoke("felt_heard", { answer }),
    history: () => invoke("history"),
    session: (id) => invoke("session", { id }),
    memories: (level, query) => invoke("memories", { level, query }),
    memory: (id) => invoke("memory", { id }),
    correctMemory: (id, text) => invoke("correct_memory", { id, text }),
    changeMemory: (id, change) => invoke("change_memory", { id, change }),
    saveSettings: (settings) => invoke("save_settings", { settings }),
    hideWindow: () => getCurrentWindow().hide(),
  };
}

export async function openBackend(): Promise<Backend> {
  if ("__TAURI_INTERNALS__" in window) return tauri();
  if (import.meta.env.DEV) {
    const { Rehearsal, sceneFrom } = await import("./rehearsal/rehearsal");
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
