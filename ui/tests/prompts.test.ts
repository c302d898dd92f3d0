/** The prompts' tree and colours, and the workshop: what is written is kept, put by, or said to be refused. */
import { StringStream, type StreamParser } from "@codemirror/language";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { promptLanguage, tomlLanguage } from "../src/features/prompts/language";
import { above, rows, shelfOf, step } from "../src/features/prompts/tree";
import { meanWords } from "../src/features/prompts/words";
import { Rehearsal } from "../src/rehearsal/rehearsal";
import { sceneFrom } from "../src/rehearsal/scene";
import { App } from "../src/store/app.svelte";
import type { PromptFileCard } from "../src/wire";

/** Every coloured piece of a text, as `what:piece`. */
function coloured<S>(language: StreamParser<S>, text: string): string[] {
  const state = language.startState?.(2) as S;
  return text.split("\n").flatMap((line) => {
    if (line === "") {
      language.blankLine?.(state, 2);
      return [];
    }
    const pieces: string[] = [];
    const stream = new StringStream(line, 2, 2);
    while (!stream.eol()) {
      stream.start = stream.pos;
      const style = language.token(stream, state);
      if (stream.pos <= stream.start) throw new Error(`it stands still in ${text}`);
      if (style) pieces.push(`${style}:${stream.current()}`);
    }
    return pieces;
  });
}

describe("colours", () => {
  it.each<[string, string, string[]]>([
    ["a value", "a {{user.name}}", ["brace:{{", "variableName:user.name", "brace:}}"]],
    [
      "a condition",
      '{{#if user.streak.count >= 3 && !said.x || y == "a"}}',
      [
        "brace:{{",
        "keyword:#if",
        "variableName:user.streak.count",
        "operator:>=",
        "number:3",
        "operator:&&",
        "operator:!",
        "variableName:said.x",
        "operator:||",
        "variableName:y",
        "operator:==",
        'string:"a"',
        "brace:}}",
      ],
    ],
    [
      "a path with a value in it",
      "{{include {{session.type}}/short.md}} x",
      [
        "brace:{{",
        "keyword:include",
        "brace:{{",
        "variableName:session.type",
        "brace:}}",
        "variableName:/short.md",
        "brace:}}",
      ],
    ],
    ["a comment over lines", "{{!-- a }} b\nc --}}d", ["comment:{{!-- a }} b", "comment:c --}}"]],
    ["a heading and a tag pair", "# One\n<system>\n# no<b>", ["heading:# One", "tagName:<system>", "heading:# no<b>"]],
    [
      "a head",
      "---\nid: root\n---\n--- no head",
      ["meta:---", "propertyName:id", "meta:: root", "meta:---"],
    ],
    ["no head further down", "text\n---\nid: x", []],
    ["a placeholder", "{currentTime}", ["variableName:{currentTime}"]],
    ["what is broken off", '{{#if "a', ["brace:{{", "keyword:#if", 'string:"a']],
  ])("%s", (_, text, expected) => {
    expect(coloured(promptLanguage, text)).toEqual(expected);
  });

  it("nothing stops them, and nothing is left out", () => {
    const parts = ["{{", "}}", "{", "#if ", "!--", "--", '"', "'", "a.b", "\n", " ", "---", "#", "<x>", "я", "=", "["];
    let seed = 7;
    const next = () => (seed = (seed * 48_271) % 2_147_483_647);
    for (let run = 0; run < 200; run += 1) {
      const text = Array.from({ length: next() % 14 }, () => parts[next() % parts.length]).join("");
      // Each step is asserted to move on; a colour is never of nothing.
      const pieces = [...coloured(promptLanguage, text), ...coloured(tomlLanguage, text)];
      expect(pieces.filter((piece) => !/^\w+:./.test(piece))).toEqual([]);
    }
  });

  it("of TOML, with a text over several lines", () => {
    const text = '# why\n[[move]]\nkey = "a"\nlong = """x\n= y"""\nn = 3';
    expect(coloured(tomlLanguage, text)).toEqual([
      "comment:# why",
      "heading:[[move]]",
      "propertyName:key",
      'string:"a"',
      "propertyName:long",
      'string:"""x',
      'string:= y"""',
      "propertyName:n",
      "number:3",
    ]);
  });
});

describe("the tree", () => {
  const file = (path: string): PromptFileCard => ({ path, edit: "none", unsaved: false, fixed: false });
  const files = [
    "ru/root.md",
    "ru/base/tone.md",
    "en/root.md",
    "envelope/ru/plain.md",
    "envelope/es/plain.md",
    "patterns/ru.toml",
    "manifest.toml",
    "variants/gentle/ru/base/tone.md",
  ].map(file);
  const shown = (shelf: "ru" | "en" | "other", open: string[]) =>
    rows(files, shelf, (id) => open.includes(id)).map(({ level, name }) => `${level} ${name}`);

  it("gives a language its own files, by what they are for", () => {
    expect(shown("ru", ["base/", "base/base/", "patterns/"])).toEqual([
      "1 base",
      "2 root.md",
      "2 base",
      "3 tone.md",
      "1 envelope",
      "1 patterns",
      "2 ru.toml",
      "1 variants",
    ]);
    expect(shown("en", ["base/"])).toEqual(["1 base", "2 root.md"]);
    expect(shown("other", ["envelope/", "shared/"])).toEqual([
      "1 envelope",
      "2 es",
      "1 shared",
      "2 manifest.toml",
    ]);
  });

  it("has a place for every file, once, and knows what must be open for it", () => {
    for (const { path } of files) {
      const opened = above(path);
      const seen = rows(files, shelfOf(path), (id) => opened.includes(id));
      expect(seen.filter((row) => row.file?.path === path)).toHaveLength(1);
    }
    expect(new Set(rows(files, "ru", () => true).map(({ id }) => id)).size).toBe(
      rows(files, "ru", () => true).length,
    );
  });

  it("is walked with arrows", () => {
    const open = new Set(["base/"]);
    const all = rows(files, "ru", (id) => open.has(id));
    const isOpen = (id: string) => open.has(id);
    expect(step(all, 0, "ArrowDown", isOpen)).toEqual({ to: 1 });
    expect(step(all, 0, "ArrowRight", isOpen)).toEqual({ to: 1 });
    expect(step(all, 1, "ArrowLeft", isOpen)).toEqual({ to: 0 });
    expect(step(all, 0, "ArrowLeft", isOpen)).toEqual({ turn: "base/" });
    expect(step(all, 2, "ArrowRight", isOpen)).toEqual({ turn: "base/base/" });
    expect(step(all, 0, "ArrowUp", isOpen)).toBeNull();
    expect(step(all, 0, "End", isOpen)).toEqual({ to: all.length - 1 });
    expect(step(all, 0, "x", isOpen)).toBeNull();
  });
});

it("a mean says how far it may be off, and nothing where it was not measured", () => {
  expect(meanWords({ mean: 414, low: 396, high: 432, n: 60 }, "ru")).toContain("4,14");
  expect(meanWords({ mean: 414, low: 414, high: 414, n: 3 }, "en")).toBe("4.14, n 3");
  expect(meanWords({ mean: -64, low: -110, high: 8, n: 9 }, "ru", true)).toContain("−0,64");
  expect(meanWords(null, "ru")).toBe("–");
});

describe("the workshop", () => {
  const TONE = "ru/base/tone.md";

  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  async function workshop() {
    const backend = new Rehearsal(sceneFrom(new URLSearchParams("lang=ru&pace=0")));
    const app = new App(backend);
    await app.start();
    await app.workshop.enter("ru");
    await app.workshop.open(TONE);
    return { app, backend, shop: app.workshop };
  }

  it("opens the root first, and looks at it", async () => {
    const { app, shop } = await workshop();
    expect(shop.opened?.path).toBe(TONE);
    expect(shop.folders.has("base/base/")).toBe(true);
    expect(shop.lint?.findings).toEqual([]);
    expect(app.view.notice).toBeNull();
  });

  it("looks once after a pause, and puts by what was typed", async () => {
    const { backend, shop } = await workshop();
    const lint = vi.spyOn(backend, "lintPrompts");
    const hold = vi.spyOn(backend, "holdPrompt");
    for (const end of ["{{", "{{usr", "{{usr.name}}"]) shop.type(shop.opened!.text + end);
    expect(lint).not.toHaveBeenCalled();
    await vi.runAllTimersAsync();
    expect(lint).toHaveBeenCalledTimes(1);
    expect(hold).toHaveBeenCalledTimes(1);
    expect(shop.findingsOf(TONE)[0]?.severity).toBe("hard_fail");
    expect(shop.shelf?.files.find(({ path }) => path === TONE)?.unsaved).toBe(true);
  });

  it("loses nothing when another file is opened at once", async () => {
    const { shop } = await workshop();
    shop.type(`${shop.opened!.text}ещё`);
    await shop.open("ru/root.md");
    expect(shop.text).not.toContain("ещё");
    await shop.open(TONE);
    expect(shop.text).toContain("ещё");
    expect(shop.dirty).toBe(true);
  });

  it("keeps an edit for good: what was put by before comes before it", async () => {
    const { backend, shop } = await workshop();
    let let_go: () => void = () => undefined;
    const slow = new Promise<void>((resolve) => (let_go = resolve));
    const hold = backend.holdPrompt.bind(backend);
    backend.holdPrompt = async (edit) => slow.then(() => hold(edit));
    shop.type(`${shop.opened!.text}одно`);
    await vi.advanceTimersByTimeAsync(400);
    shop.type(`${shop.opened!.text}два`);
    const kept = shop.keep();
    let_go();
    expect(await kept).toBe(true);
    await vi.runAllTimersAsync();
    const file = await backend.promptFile(TONE);
    expect(file.text.endsWith("два")).toBe(true);
    expect(file.unsaved).toBe(file.text);
    expect(shop.dirty).toBe(false);
    expect(shop.hasNews).toBe(true);
  });

  it("keeps the text in the editor where saving is refused", async () => {
    const { app, backend, shop } = await workshop();
    backend.keepPrompt = () => Promise.reject({ code: "disk_full", detail: "" });
    shop.type("важное");
    expect(await shop.keep()).toBe(false);
    expect(shop.text).toBe("важное");
    expect(shop.dirty).toBe(true);
    expect(app.view.notice?.code).toBe("disk_full");
  });

  it("goes back to what was kept, and to what came with the program", async () => {
    const { shop } = await workshop();
    const original = shop.text;
    shop.type(`${original}правка`);
    await shop.keep();
    shop.type(`${original}черновик`);
    await shop.revert();
    expect(shop.text).toBe(`${original}правка`);
    await shop.takeBack();
    expect(shop.text).toBe(original);
    expect(shop.edited).toBe(0);
  });

  it("a file of a variant begins as a copy, another with its head, and a wrong path is refused", async () => {
    const { app, shop } = await workshop();
    const tone = shop.text;
    expect(await shop.add("variants/gentle/ru/base/tone.md")).toBe(true);
    expect(shop.opened?.path).toBe("variants/gentle/ru/base/tone.md");
    expect(shop.text).toBe(tone);
    expect(shop.dirty).toBe(true);
    expect(await shop.keep()).toBe(true);
    expect(shop.shelf?.files.find(({ path }) => path.startsWith("variants/"))?.edit).toBe("added");
    expect(await shop.add("ru/base/new.md")).toBe(true);
    expect(shop.text).toContain("id: base/new\nversion: 1\nlanguage: ru\n");
    expect(await shop.add("../calm.db")).toBe(false);
    expect(app.view.notice?.code).toBe("bad_prompts");
    expect(shop.opened?.path).toBe("ru/base/new.md");
  });

  it("after erasing everything nothing of it is left, not even what was about to be put by", async () => {
    const { app, backend, shop } = await workshop();
    const hold = vi.spyOn(backend, "holdPrompt");
    shop.type(`${shop.opened!.text}тайное`);
    await app.eraseEverything(false);
    await vi.runAllTimersAsync();
    expect(hold).not.toHaveBeenCalled();
    expect([shop.opened, shop.text]).toEqual([null, ""]);
  });

  it("a late answer about another file is not shown", async () => {
    const { backend, shop } = await workshop();
    const read = backend.promptFile.bind(backend);
    backend.promptFile = async (path) => {
      if (path === "ru/root.md") await new Promise((resolve) => setTimeout(resolve, 100));
      return read(path);
    };
    const slow = shop.open("ru/root.md");
    const quick = shop.open("ru/base/identity.md");
    await vi.runAllTimersAsync();
    await Promise.all([slow, quick]);
    expect(shop.opened?.path).toBe("ru/base/identity.md");
  });

  it("a version is refused with the findings, then made", async () => {
    const { shop } = await workshop();
    const original = shop.text;
    shop.type(`${original}{{usr.name}}`);
    await shop.keep();
    expect((await shop.finalize("", ""))?.outcome).toBe("lint");
    expect(shop.findingsOf(TONE)).toHaveLength(1);
    shop.type(`${original}Короче.`);
    await shop.keep();
    expect((await shop.finalize("", ""))?.outcome).toBe("done");
    expect(shop.shelf?.own).toBe(true);
    expect(shop.hasNews).toBe(false);
  });

  it("a run of everything gives the coverage; one that was stopped keeps the coverage before", async () => {
    const { shop } = await workshop();
    await shop.try([], "guide", false, 3);
    expect(shop.running).toBe(true);
    await vi.runAllTimersAsync();
    expect([shop.running, shop.ran.length]).toEqual([false, 3]);
    expect(shop.coverage?.gaps).toHaveLength(2);
    const before = shop.coverage;
    await shop.try([], "guide", false, 3);
    await vi.advanceTimersByTimeAsync(150);
    await shop.stop();
    await vi.runAllTimersAsync();
    expect([shop.running, shop.ran.length]).toEqual([false, 1]);
    expect(shop.coverage).toBe(before);
  });
});
