/** The rooms of the window beside the talk: what is kept where, what a refusal leaves, where Esc leads. */
import { flushSync, mount, unmount } from "svelte";
import { afterEach, describe, expect, it } from "vitest";
import AppWindow from "../src/App.svelte";
import { Rehearsal } from "../src/rehearsal/rehearsal";
import { sceneFrom } from "../src/rehearsal/scene";
import { isForLater, roomOf, trayKind } from "../src/route";
import { App } from "../src/store/app.svelte";

let shown: ReturnType<typeof mount> | null = null;

afterEach(async () => {
  if (shown) await unmount(shown);
  shown = null;
  document.body.innerHTML = "";
});

async function open(scene = "lang=ru") {
  const backend = new Rehearsal(sceneFrom(new URLSearchParams(`pace=0&${scene}`)));
  const app = new App(backend);
  await app.start();
  shown = mount(AppWindow, { target: document.body, props: { app } });
  await settle();
  return { app, backend };
}

async function settle() {
  for (let turn = 0; turn < 20; turn += 1) {
    await Promise.resolve();
    flushSync();
  }
}

const find = (id: string) => document.querySelector<HTMLElement>(`[data-testid="${id}"]`);

async function press(id: string) {
  find(id)?.click();
  await settle();
}

async function write(id: string, text: string, event: "input" | "change" = "input") {
  const field = find(id) as HTMLInputElement;
  field.value = text;
  field.dispatchEvent(new Event(event, { bubbles: true }));
  await settle();
}

async function key(name: string) {
  window.dispatchEvent(new KeyboardEvent("keydown", { key: name }));
  await settle();
}

describe("settings", () => {
  it("a value that does not fit is refused kindly, and what was there stays", async () => {
    const { app } = await open();
    app.openSettings("you");
    await settle();
    await write("settings-max-trades", "много", "change");
    expect(find("notice")?.textContent).toContain("Прежнее сохранено");
    expect(app.live?.settings.max_trades).toBe("3");
  });

  it("a field of the user's own stays here until it is allowed to go along", async () => {
    const { app } = await open();
    app.openSettings("you");
    await settle();
    await write("field-name", "долги");
    await write("field-value", "есть");
    await press("field-add");
    expect(app.live?.settings.profile_fields.at(-1)).toEqual({
      name: "долги",
      value: "есть",
      in_prompts: false,
    });
    expect((find("field-name") as HTMLInputElement).value).toBe("");
    await press("field-1-share");
    expect(app.live?.settings.profile_fields.at(-1)?.in_prompts).toBe(true);
  });

  it("what the program tells meanwhile is not undone by a change that was sent before", async () => {
    const { app } = await open();
    await app.save({ own_zone: "Asia/Tokyo" });
    expect(app.live?.settings.time_zone).toBe("Asia/Tokyo");
    await app.save({ name: "Лев" });
    expect(app.live?.settings).toMatchObject({ time_zone: "Asia/Tokyo", name: "Лев" });
  });

  it("words of a plan that was refused are still in their fields", async () => {
    const { app } = await open();
    app.openSettings("plans");
    await settle();
    await write("plan-name", "Долгая пауза");
    await write("plan-condition", "совсем устал");
    await write("plan-minutes", "20000");
    await press("plan-add");
    expect(find("notice")?.textContent).toContain("Остальные планы сохранены");
    expect((find("plan-name") as HTMLInputElement).value).toBe("Долгая пауза");
  });

  it("facts that go nowhere say so, and one press mends it", async () => {
    const { app, backend } = await open("lang=ru&first");
    await press("first-run-skip");
    app.openSettings("facts");
    await settle();
    await write("facts-text", "- торгую утром");
    await press("facts-save");
    expect(find("facts-says")?.textContent).toContain("ничего не идёт");
    await press("facts-section");
    await press("facts-save");
    expect(find("facts-says")?.textContent).toContain("идёт раздел");
    expect((await backend.facts()).active).toBe(true);
  });
});

describe("a reply", () => {
  it("is rated once in one way or the other, and words of it are banned", async () => {
    const { backend } = await open();
    await press("start-checkin");
    await press("type-open");
    await write("type-input", "спал мало");
    (find("type-input") as HTMLInputElement).form?.requestSubmit();
    await settle();
    await press("why-2");
    await press("rate-bad");
    await press("rate-good");
    expect(backend.rated).toEqual([false, true]);
    expect(find("rate-good")?.getAttribute("aria-pressed")).toBe("true");
    expect(find("rate-bad")?.getAttribute("aria-pressed")).toBe("false");
    await press("ban-open");
    await write("ban-term", "не мелочь");
    await press("ban-save");
    expect((await backend.banned()).map(({ term }) => term)).toContain("не мелочь");
  });
});

describe("a correction", () => {
  it("of a talk that has just ended is in its card and in the history", async () => {
    const { app, backend } = await open();
    await press("start-checkin");
    await app.say("нормально");
    await app.say("8");
    await settle();
    const id = app.live?.session?.id ?? "";
    await app.correctValue(id, "readiness", "6");
    await settle();
    expect(find("chip-readiness")?.textContent).toContain("6 из 10");
    expect((await backend.history(null, null))[0]?.readiness).toBe(6);
  });
});

describe("notes that plans made", () => {
  it("stand in the memory, and one goes when it was asked for twice", async () => {
    const { app, backend } = await open();
    app.screen = "memory";
    await settle();
    expect(find("notes")?.textContent).toContain("почему именно сейчас");
    expect(find("notes")?.children).toHaveLength(2);
    await press("note-8-remove");
    expect(await backend.notes()).toHaveLength(2);
    await press("note-8-remove-yes");
    expect((await backend.notes()).map(({ id }) => id)).toEqual(["1"]);
    expect(find("notes")?.children).toHaveLength(1);
  });

  it("are found by their words, and are no guesses of a level", async () => {
    const { app } = await open();
    app.screen = "memory";
    app.memoryQuery = "именно";
    await settle();
    expect(find("memory-none")).toBeNull();
    expect(find("memory-empty")).toBeNull();
    expect(find("notes")?.children).toHaveLength(2);
    app.memoryQuery = "абракадабра";
    await settle();
    expect(find("memory-none")).not.toBeNull();
    expect(find("notes")).toBeNull();
    app.memoryQuery = "";
    app.memoryLevel = "patterns";
    await settle();
    expect(find("notes")).toBeNull();
  });
});

describe("Esc", () => {
  it("closes the player first, then the page, and never a talk behind them", async () => {
    const { app, backend } = await open();
    await press("nav-care");
    await press("care-ground");
    expect(find("player")).not.toBeNull();
    await key("Escape");
    expect(find("player")).toBeNull();
    expect(app.screen).toBe("care");

    app.openSettings("look");
    await settle();
    await key("Escape");
    expect(app.settingsPage).toBeNull();
    expect(app.screen).toBe("settings");
    expect(backend.answers).toEqual([]);
  });

  it("leads from help back to the talk that is open", async () => {
    const { app } = await open();
    await press("start-checkin");
    await press("talk-care");
    expect(find("care-emergency")?.textContent).toBe("112");
    await key("Escape");
    expect(app.screen).toBe("talk");
    expect(app.open).not.toBeNull();
  });
});

describe("how long things are kept", () => {
  const told = async (scene: string) => {
    const { app } = await open(scene);
    app.openSettings("data");
    await settle();
    expect(find("keep-talks")).not.toBeNull();
    return find("keep-clock")?.textContent?.replaceAll("\u00a0", " ") ?? null;
  };

  it("waits where the clock has leapt ahead, and says so", async () => {
    expect(await told("lang=ru&clock=ahead")).toContain("Само пока ничего не удаляется");
  });

  it("says it in English, too", async () => {
    expect(await told("lang=en&clock=ahead")).toContain("nothing is deleted by itself");
  });

  it("says nothing of a clock that goes as it should", async () => {
    expect(await told("lang=ru")).toBeNull();
  });
});

it("the emergency number is there even when nothing can be read", async () => {
  const { backend } = await open();
  backend.help = () => Promise.reject({ code: "store_locked", detail: "" });
  await press("nav-care");
  expect(find("care-emergency")?.textContent).toBe("112");
});

it.each([
  ["#/practice", "practice"],
  ["#/care", "care"],
  ["#/tray", null],
  ["#/nowhere", null],
  ["", null],
])("the address %s names the room %s", (hash, room) => expect(roomOf(hash)).toBe(room));

it.each([
  ["#/tray", "check-in", false],
  ["#/tray/check-out", "check-out", false],
  ["#/tray/later", "check-in", true],
  ["#/practice", null, false],
  ["", null, false],
])("the address %s opens the quick window with %s, later: %s", (hash, kind, later) => {
  expect(trayKind(hash)).toBe(kind);
  expect(isForLater(hash)).toBe(later);
});

describe("the keys of the quick check-in", () => {
  const press = async (init: KeyboardEventInit) => {
    find("shortcut")?.dispatchEvent(new KeyboardEvent("keydown", { bubbles: true, ...init }));
    await settle();
  };

  it("are pressed in the field, in any layout, and gone at one press", async () => {
    const { app, backend } = await open();
    app.openSettings("window");
    await settle();
    await press({ key: "с", code: "KeyC", ctrlKey: true, altKey: true });
    expect(backend.desktop.sheet().shortcut).toBe("Ctrl+Alt+C");
    expect((find("shortcut") as HTMLInputElement).value).toBe("Ctrl+Alt+C");
    await press({ key: "Backspace", code: "Backspace" });
    expect(backend.desktop.sheet().shortcut).toBe("");
  });

  it("are explained when they are too few, and the former stay when others are taken", async () => {
    const { app, backend } = await open();
    app.openSettings("window");
    await settle();
    await press({ key: "C", code: "KeyC", shiftKey: true });
    expect(find("shortcut-says")?.textContent).toContain("Ctrl, Alt или Super");
    await press({ key: "j", code: "KeyJ", ctrlKey: true, altKey: true });
    await press({ key: "t", code: "KeyT", ctrlKey: true, altKey: true });
    expect(find("notice")?.textContent).toContain("занято другой программой");
    expect(backend.desktop.sheet().shortcut).toBe("Ctrl+Alt+J");
  });

  it("are the desktop's own business on Wayland", async () => {
    const { app } = await open("lang=ru&wayland");
    app.openSettings("window");
    await settle();
    expect(find("shortcut")).toBeNull();
    expect(find("shortcut-command")?.textContent).toContain("--check-in");
    expect(find("tray-line")?.textContent).toContain("AppIndicator");
  });

  it("leave Tab and Esc alone", async () => {
    const { app, backend } = await open();
    app.openSettings("window");
    await settle();
    await press({ key: "Tab", code: "Tab" });
    await press({ key: "Escape", code: "Escape" });
    expect(backend.desktop.sheet().shortcut).toBe("");
    expect(app.settingsPage).toBeNull();
  });
});

it("the market's hours are shown as they are understood, and asked for where they are not", async () => {
  const { app } = await open();
  app.openSettings("reminders");
  await settle();
  expect(find("market-hours")).toBeNull();
  await press("market-reminders");
  expect(find("market-hours")?.textContent).toContain("10:00–18:45");
  await press("market-days-every_day");
  expect(app.live?.settings.market_days).toBe("every_day");
  await app.save({ market_hours: "" });
  await settle();
  expect(find("market-hours")?.textContent).toContain("Не\u00a0вижу");
});
