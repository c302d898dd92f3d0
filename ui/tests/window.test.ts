// @vitest-environment happy-dom
/** Whole sessions in the window, against the rehearsed program: what a person would see and press. */
import { flushSync, mount, unmount } from "svelte";
import { afterEach, describe, expect, it, vi } from "vitest";
import AppWindow from "../src/App.svelte";
import { Rehearsal } from "../src/rehearsal/rehearsal";
import { sceneFrom } from "../src/rehearsal/scene";
import { App } from "../src/store/app.svelte";

let mounted: ReturnType<typeof mount> | null = null;

async function open(query = "lang=ru&pace=2", tray = false) {
  const backend = new Rehearsal(sceneFrom(new URLSearchParams(query)));
  const app = new App(backend, tray);
  await app.start();
  mounted = mount(AppWindow, { target: document.body, props: { app } });
  await settle();
  return { app, backend };
}

afterEach(async () => {
  if (mounted) await unmount(mounted);
  mounted = null;
  document.body.innerHTML = "";
});

async function settle() {
  for (let turn = 0; turn < 5; turn += 1) {
    await Promise.resolve();
    flushSync();
  }
}

function find(id: string): HTMLElement {
  const element = document.querySelector<HTMLElement>(`[data-testid="${id}"]`);
  if (!element) throw new Error(`${id} is not on the screen`);
  return element;
}

const shown = (id: string) => document.querySelector(`[data-testid="${id}"]`) !== null;
const words = (id: string) => (find(id).textContent ?? "").replaceAll("\u00a0", " ").trim();

async function press(id: string) {
  find(id).click();
  await settle();
}

async function key(name: string) {
  (document.activeElement ?? document.body).dispatchEvent(
    new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }),
  );
  await settle();
}

async function type(text: string) {
  if (!shown("type-input")) await press("type-open");
  const field = find("type-input") as HTMLInputElement;
  field.value = text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  await settle();
  find("type-send").closest("form")?.requestSubmit();
  await settle();
}

describe("a check-in", () => {
  it("is typed, scaled by a key, summed up, felt, and found in the history", async () => {
    const { backend } = await open();
    await press("start-checkin");
    expect(words("calm-says")).toContain("Как ты сегодня");

    await type("нормально, только спал мало");
    expect(words("calm-says")).toContain("от одного до десяти");
    expect(document.body.textContent).toContain("«нормально, только спал мало»");

    await press("type-open");
    await key("8");
    expect(words("chip-readiness")).toContain("8 из 10");

    await press("felt-yes");
    expect(backend.answers).toEqual(["yes"]);
    expect(shown("felt-yes")).toBe(false);

    await press("nav-history");
    await press("session-rehearsal-1");
    expect(words("letter")).toContain("нормально, только спал мало");
  });

  it("is spoken with the space bar, and the words heard become a turn", async () => {
    const { app } = await open("lang=ru&pace=60");
    await press("start-checkin");
    await key(" ");
    expect(app.live?.listening).toBe("listening");
    await vi.waitFor(() => expect(app.live?.partial).toContain("нормально"));
    await key(" ");
    await vi.waitFor(() => expect(shown("scale-10")).toBe(true));
    expect(document.body.textContent).toContain("соседи шумели");
  });

  it("offers a pause to somebody who is not ready, and takes a no", async () => {
    await open();
    await press("start-checkin");
    await type("так себе");
    await press("scale-3");
    await press("practice-no");
    expect(shown("summary")).toBe(true);
  });

  it("stops at once when it is enough", async () => {
    await open();
    await press("start-checkin");
    await press("finish");
    expect(words("summary")).toContain("Остановились раньше");
  });

  it("waits, whole, when it is put aside with Esc", async () => {
    const { app } = await open();
    await press("start-checkin");
    await type("спал мало");
    const field = find("type-input") as HTMLInputElement;
    field.value = "и ещё";
    field.dispatchEvent(new Event("input", { bubbles: true }));
    await key("Escape");
    await key("Escape");
    expect(app.screen).toBe("today");
    await press("continue");
    expect(words("calm-says")).toContain("от одного до десяти");
    await press("type-open");
    expect((find("type-input") as HTMLInputElement).value).toBe("и ещё");
  });
});

it("a check-out shows what changed since the morning", async () => {
  await open("lang=en");
  await press("start-checkout");
  for (const line of ["down two hundred", "angry at first", "leave the second one"])
    await type(line);
  expect(words("chip-session_result")).toContain("at a loss");
  expect(words("summary")).toMatch(/Tension\s*6\s*4/);
});

describe("why a reply", () => {
  it("is one quiet word under it, and opens in place", async () => {
    await open();
    await press("start-checkout");
    expect(shown("why-0")).toBe(false);
    await type("минус двести, но всё по плану");
    expect(find("why-2").getAttribute("aria-expanded")).toBe("false");
    await press("why-2");
    expect(find("why-2").getAttribute("aria-expanded")).toBe("true");
    expect(words("why")).toContain("Похоже, на душе тяжело");
    expect(words("why")).toContain("Остро, лучше не спешить");
    expect(words("why")).toContain("«сначала злился, потом отпустило»");
    expect(words("why")).toContain("Советов Calm не даёт");
    expect(words("why-score")).toContain("4 из 5");
    await key("Escape");
    expect(shown("why")).toBe(false);
    expect(shown("calm-says")).toBe(true);
  });

  it("is kept by older replies too", async () => {
    await open();
    await press("start-checkout");
    for (const line of ["минус", "злился"]) await type(line);
    await press("why-2");
    expect(words("why")).toContain("на душе тяжело");
    await press("why-4");
    expect(words("why")).toContain("злость");
  });

  it("says so when nothing came to mind", async () => {
    await open("lang=ru&pace=2&memory=empty");
    await press("start-checkin");
    await type("спал мало");
    await press("why-2");
    expect(words("why")).toContain("Ничего похожего не вспомнилось");
  });

  it("leads to the talk that came to mind, and back to where it stood", async () => {
    const { app } = await open();
    await press("start-checkin");
    await type("спал мало");
    await press("why-2");
    await press("recalled-E7");
    expect(app.screen).toBe("history");
    expect(shown("letter")).toBe(true);
    await press("history-back");
    expect(app.screen).toBe("talk");
    expect(shown("why")).toBe(true);
  });

  it("is one calm sentence in a crisis, without a score", async () => {
    await open();
    await press("start-checkin");
    await type("не хочу жить");
    await press("why-2");
    expect(words("why")).toMatch(/^Похоже, тебе сейчас очень тяжело\.[^.]+\.$/);
    expect(find("why").querySelector("[role=meter]")).toBeNull();
  });

  it("is absent where nothing was told, as in a talk that is resumed", async () => {
    const { app, backend } = await open();
    await press("start-checkin");
    await type("спал мало");
    const kept = app.live?.session;
    await app.resume();
    await settle();
    expect(shown("why-2")).toBe(true);
    const afresh = new App(backend);
    await afresh.start();
    expect(afresh.live?.session?.turns).toHaveLength(kept?.turns.length ?? 0);
    expect(afresh.live?.session?.turns.some(({ why }) => why)).toBe(false);
  });
});

describe("memory", () => {
  async function search(text: string) {
    const field = find("memory-search") as HTMLInputElement;
    field.value = text;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    await new Promise((resolve) => setTimeout(resolve, 250));
    await settle();
  }

  it("shows every guess with its n, and finds by the beginnings of words", async () => {
    const { backend } = await open();
    await press("nav-memory");
    expect(words("memory-E7")).toContain("3 раза");
    expect(words("memory-P9")).toContain("сказано тобой");
    expect(words("memory-P5")).toContain("похоже, уже не так");
    expect(words("memory-L1")).toContain("по 4 ответам");

    const asked: (string | null)[] = [];
    const memories = backend.memories.bind(backend);
    backend.memories = (level, query) => {
      asked.push(query);
      return memories(level, query);
    };
    const field = find("memory-search") as HTMLInputElement;
    for (const part of ["с", "со", "сос"]) {
      field.value = part;
      field.dispatchEvent(new Event("input", { bubbles: true }));
    }
    await search("сосед");
    expect(asked).toEqual(["сосед"]);
    expect(shown("memory-E7")).toBe(true);
    expect(shown("memory-P3")).toBe(false);

    await search("ъъ");
    expect(shown("memory-none")).toBe(true);
    find("memory-none").querySelector("button")?.click();
    await settle();
    expect(shown("memory-P3")).toBe(true);
  });

  it("a guess is put right in one's own words", async () => {
    const { backend } = await open();
    await press("nav-memory");
    await press("memory-P3");
    expect(words("memory-sheet")).toContain("по 24 разговорам");
    await press("memory-correct");
    const field = find("memory-words") as HTMLTextAreaElement;
    field.value = " Мало сплю — торгую меньше. ";
    field.dispatchEvent(new Event("input", { bubbles: true }));
    await settle();
    await press("memory-save");
    await vi.waitFor(() => expect(shown("memory-words")).toBe(false));
    expect(words("memory-sheet")).toContain("Мало сплю — торгую меньше.");
    expect(words("memory-sheet")).toContain("твоими словами");
    expect((await backend.memory("P3")).card.words).toBe("Мало сплю — торгую меньше.");
  });

  it("half a correction outlives Esc, and is put back only when asked to", async () => {
    await open();
    await press("nav-memory");
    await press("memory-P3");
    await press("memory-correct");
    const field = () => find("memory-words") as HTMLTextAreaElement;
    field().value = "на самом деле";
    field().dispatchEvent(new Event("input", { bubbles: true }));
    await key("Escape");
    expect(shown("memory-words")).toBe(false);
    await press("memory-correct");
    expect(field().value).toBe("на самом деле");
    await press("memory-cancel");
    await press("memory-correct");
    expect(field().value).toContain("После так себе ночи");
  });

  it("words that were refused stay in the field, with a kind line", async () => {
    const { backend } = await open();
    backend.correctMemory = () => Promise.reject({ code: "disk_full", detail: "" });
    await press("nav-memory");
    await press("memory-P3");
    await press("memory-correct");
    const field = find("memory-words") as HTMLTextAreaElement;
    field.value = "важное";
    field.dispatchEvent(new Event("input", { bubbles: true }));
    await settle();
    await press("memory-save");
    expect((find("memory-words") as HTMLTextAreaElement).value).toBe("важное");
    expect(words("notice")).toContain("Освободи место");
  });

  it("is pinned, said to be not so, and taken up again; only a pattern can be not so", async () => {
    await open();
    await press("nav-memory");
    await press("memory-P3");
    await press("memory-pin");
    expect(words("memory-sheet")).toContain("закреплено");
    await press("memory-dismiss");
    expect(words("memory-sheet")).toContain("больше на это не опирается");
    await press("memory-dismiss");
    expect(words("memory-sheet")).not.toContain("не опирается");
    await key("Escape");
    await press("memory-E4");
    expect(shown("memory-dismiss")).toBe(false);
  });

  it("forgets only when nobody has second thoughts", async () => {
    const { app, backend } = await open();
    await press("nav-memory");
    await press("memory-E4");
    await press("memory-forget");
    expect(shown("memory-E4")).toBe(false);
    expect(words("undo")).toContain("сначала злился");
    await expect(backend.memory("E4")).resolves.toBeTruthy();
    await press("undo-forget");
    expect(shown("memory-E4")).toBe(true);

    await press("memory-E4");
    await press("memory-forget");
    await app.forgetting.settle();
    await settle();
    await expect(backend.memory("E4")).rejects.toMatchObject({ code: "not_found" });
    expect(shown("memory-E4")).toBe(false);
  });

  it("leads to the talk that it comes from, and Esc comes back to the sheet, then to the list", async () => {
    const { app } = await open();
    await press("nav-memory");
    await press("memory-E7");
    await press("source-0");
    expect(shown("letter")).toBe(true);
    await key("Escape");
    expect(shown("memory-sheet")).toBe(true);
    await key("Escape");
    expect(shown("memory-E7")).toBe(true);
    expect(app.screen).toBe("memory");
  });

  it("a sheet that is gone says so kindly and gives the list back", async () => {
    const { app } = await open();
    await press("nav-memory");
    app.openSheet("E99");
    await settle();
    expect(words("notice")).toContain("Разговоры сохранены");
    expect(shown("memory-E7")).toBe(true);
  });

  it("says what will be here while there is nothing, for each kind of guess", async () => {
    await open("lang=en&memory=empty");
    await press("nav-memory");
    const said = [words("memory-empty")];
    for (const level of ["experiences", "patterns", "lessons"]) {
      find(`memory-level-${level}`).dispatchEvent(new Event("change", { bubbles: true }));
      await settle();
      said.push(words("memory-empty"));
    }
    expect(new Set(said).size).toBe(4);
    for (const line of said) expect(line).toContain("Nothing here yet");
  });
});

describe("the first run", () => {
  it("takes a name, the age and nothing else; the voice is asked before it is first heard", async () => {
    const { app } = await open("lang=ru&first");
    const name = find("first-run-name") as HTMLInputElement;
    name.value = " Лев ";
    name.dispatchEvent(new Event("input", { bubbles: true }));
    await press("first-run-continue");
    expect(app.live?.settings).toMatchObject({
      name: "Лев",
      adult_confirmed: true,
      voice_consent: "unasked",
    });

    await press("start-checkin");
    await press("mic");
    expect(app.live?.listening).toBe("off");
    expect(words("voice-notice")).toContain("на этом компьютере");

    await press("voice-words");
    expect(app.live?.settings).toMatchObject({ voice_consent: "yes", voice_analysis: false });
    expect(app.live?.listening).toBe("listening");
  });

  it("can be put off, and then the microphone still asks", async () => {
    await open("lang=ru&first");
    await press("first-run-skip");
    await press("start-checkin");
    await key(" ");
    expect(shown("voice-notice")).toBe(true);
    await press("voice-type");
    expect(shown("type-input")).toBe(true);
  });

  it("changes language in place, keeping what was typed", async () => {
    await open("lang=ru&first");
    const name = find("first-run-name") as HTMLInputElement;
    name.value = "Lev";
    name.dispatchEvent(new Event("input", { bubbles: true }));
    find("first-run-language-en").dispatchEvent(new Event("change", { bubbles: true }));
    await settle();
    expect(words("first-run-continue")).toContain("18 or older");
    expect((find("first-run-name") as HTMLInputElement).value).toBe("Lev");
    expect(document.documentElement.lang).toBe("en");
  });
});

describe("when something is missing", () => {
  it("without models there is no dead microphone, only a line and a field", async () => {
    await open("lang=ru&models=missing");
    await press("start-checkin");
    expect(shown("mic")).toBe(false);
    expect(document.body.textContent).toContain("calm models fetch");
    await type("пишу");
    expect(shown("scale-1")).toBe(true);
  });

  it("a refused microphone leaves the talk as it is and offers to type", async () => {
    await open("lang=ru&refuse=microphone_denied");
    await press("start-checkin");
    await press("mic");
    expect(words("notice")).toContain("сохранено");
    find("notice").querySelector("button")?.click();
    await settle();
    expect(shown("type-input")).toBe(true);
    expect(shown("notice")).toBe(false);
  });

  it("words that could not be sent are still in the field", async () => {
    const { backend } = await open();
    await press("start-checkin");
    backend.say = () => Promise.reject({ code: "disk_full", detail: "" });
    await type("важное");
    expect((find("type-input") as HTMLInputElement).value).toBe("важное");
    expect(words("notice")).toContain("Освободи место");
  });
});

describe("a reply that is said aloud", () => {
  it("is quiet at any key, and nobody is told so where nothing is said aloud", async () => {
    const { app, backend } = await open();
    await press("start-checkin");
    await key("Shift");
    expect(backend.hushed).toBe(0);
    await app.save({ speak_replies: true });
    await settle();
    await key("Shift");
    expect(backend.hushed).toBe(1);
    expect(words("calm-says")).toContain("Как ты сегодня");
  });
});

describe("the tray window", () => {
  it("opens with the question already asked and goes away at one Esc, keeping the session", async () => {
    const { app, backend } = await open("lang=ru", true);
    let hidden = 0;
    backend.hideWindow = async () => void (hidden += 1);
    expect(words("calm-says")).toContain("Как ты сегодня");
    expect(shown("nav-today")).toBe(false);

    await type("спал мало");
    await key("Escape");
    expect(hidden).toBe(1);
    expect(app.open?.turns).toHaveLength(3);

    window.dispatchEvent(new Event("focus"));
    await settle();
    expect(app.open?.turns).toHaveLength(3);
  });

  it("begins one talk for one choice of the tray, of the kind that was chosen", async () => {
    const { app, backend } = await open("lang=ru", true);
    await app.finish();
    await settle();
    await key("Escape");
    const begun: string[] = [];
    const begin = backend.begin.bind(backend);
    backend.begin = (kind, format) => {
      begun.push(kind);
      return begin(kind, format);
    };
    window.dispatchEvent(new Event("focus"));
    location.hash = "#/tray/check-out";
    window.dispatchEvent(new Event("hashchange"));
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(begun).toEqual(["check-out"]);
    location.hash = "";
  });

  it("is made unseen, asks nothing before anybody wants it, and then asks at once", async () => {
    location.hash = "#/tray/later";
    const { app } = await open("lang=ru", true);
    window.dispatchEvent(new Event("focus"));
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(app.open).toBeNull();
    location.hash = "#/tray";
    window.dispatchEvent(new Event("hashchange"));
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(words("calm-says")).toContain("Как ты сегодня");
    location.hash = "";
  });
});
