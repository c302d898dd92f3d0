import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import en from "../messages/en.json";
import ru from "../messages/ru.json";
import { speak } from "../src/locale.svelte";
import { m } from "../src/paraglide/messages.js";
import { chipWords, clock, deltaWords, errorCodes, errorWords, hello, monthOf } from "../src/words";

type Message = string | { match: Record<string, string> }[];
const russian: Record<string, Message> = ru;
const english: Record<string, Message> = en;

function texts(message: Message | undefined): string[] {
  if (message === undefined) return [];
  return typeof message === "string"
    ? [message]
    : message.flatMap(({ match }) => Object.values(match));
}

function blanks(message: Message | undefined): string[] {
  const found = texts(message).map((text) => (text.match(/\{\w+\}/g) ?? []).sort().join());
  return [...new Set(found)];
}

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === "paraglide" ? [] : sources(path);
    return /\.(ts|svelte)$/.test(entry.name) ? [readFileSync(path, "utf8")] : [];
  });
}

/** A language by its own name, and the labels of a Russian session, which are read and never shown. */
const ownNames = /"(Русский|УВЕР|РИСК)"/g;

const code = sources(join(import.meta.dirname, "../src"));

describe("both languages are whole", () => {
  it("have the same strings", () => {
    expect(Object.keys(russian).sort()).toEqual(Object.keys(english).sort());
  });

  it.each(Object.keys(english))("%s", (key) => {
    for (const message of [russian[key], english[key]]) {
      for (const text of texts(message)) expect(text.trim()).not.toBe("");
    }
    expect(blanks(russian[key])).toEqual(blanks(english[key]));
  });

  it("Russian is in Russian, English in English", () => {
    for (const [key, message] of Object.entries(english)) {
      for (const text of texts(message)) expect(text, key).not.toMatch(/[а-яё]/i);
    }
    const bare = Object.entries(russian).filter(([, message]) =>
      texts(message).some((text) => !/[а-яё]/i.test(text.replace(/\{\w+\}/g, ""))),
    );
    expect(bare.map(([key]) => key).sort()).toEqual([
      "hello_named",
      "hello_plain",
      "letter_calm",
      "quoted",
    ]);
  });

  it("every string is used, and no screen writes words of its own", () => {
    const used = new Set(
      code.flatMap((text) => [...text.matchAll(/\bm\.(\w+)/g)].map(([, key]) => key)),
    );
    expect(Object.keys(english).filter((key) => !used.has(key))).toEqual([]);
    for (const text of code) {
      if (
        text.includes("What Calm and the user say in a rehearsal") ||
        text.includes("never ships")
      )
        continue;
      const spoken = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, "").replaceAll(ownNames, "");
      expect(spoken.match(/[а-яё]{2,}/i)?.[0] ?? null, text.slice(0, 80)).toSatisfy(
        (word: string | null) => word === null || word === "да" || word === "нет",
      );
    }
  });
});

describe("the tone", () => {
  const all = [...Object.values(russian), ...Object.values(english)].flatMap(texts);

  it("never shouts", () => {
    expect(all.filter((text) => text.includes("!"))).toEqual([]);
  });

  it("says ты", () => {
    const formal = Object.values(russian)
      .flatMap(texts)
      .filter((text) =>
        /(^|[^а-яё])(вы|вас|вам|ваш\S*|пожалуйста, попробуйте)(?![а-яё])/i.test(text),
      );
    expect(formal).toEqual([]);
  });

  it("never sends anybody away to try later", () => {
    expect(all.filter((text) => /try again later|попробуй(те)? позже/i.test(text))).toEqual([]);
  });
});

describe.each(["ru", "en"] as const)("errors in %s", (language) => {
  beforeEach(() => speak(language));

  it("each has words of its own", () => {
    const said = errorCodes.map((code) => errorWords(code).text);
    expect(new Set(said).size).toBe(errorCodes.length);
  });

  it("each says what became of the talk or the journal", () => {
    const kept =
      language === "ru" ? /сохран|цел\b|цел\.|не пропало|в порядке/ : /kept|lost|safe|untouched/;
    for (const code of errorCodes) expect(errorWords(code).text, code).toMatch(kept);
  });

  it("an error nobody foresaw is still a sentence", () => {
    expect(errorWords("quantum_flux").text).toBe(m.error_internal());
  });
});

describe("values of the wire in words", () => {
  beforeEach(() => speak("ru"));

  it.each([
    ["readiness", "8", "Готовность", "8 из 10"],
    ["sleep", "poor", "Сон", "плохой"],
    ["session_result", "loss", "Результат", "в минус"],
    ["plan_adherence", "followed", "Следование плану", "всё по плану"],
    ["planned_approach", "две сделки", "План", "две сделки"],
    ["something_new", "x", "Ещё", "x"],
  ])("%s %s", (key, value, name, words) => {
    expect(chipWords({ key, value })).toMatchObject({ name, value: words });
  });

  it("names both sides of a comparison", () => {
    expect(deltaWords({ key: "stress", before: "6", after: "3" })).toMatchObject({
      before: "6",
      after: "3",
    });
  });

  it("counts in Russian", () => {
    expect(m.streak_losing({ count: 3 })).toMatch(/^3 сессии /);
    expect(m.streak_losing({ count: 5 })).toMatch(/^5 сессий /);
    expect(m.streak_losing({ count: 21 })).toMatch(/^21 сессия /);
  });

  it("tells the time of the user's zone, not of the machine", () => {
    const at = new Date("2026-11-17T06:12:00Z");
    expect(clock(at, "ru", "Europe/Moscow")).toBe("09:12");
    expect(clock(at, "ru", "Asia/Yekaterinburg")).toBe("11:12");
    expect(hello(at, "Ира", "Europe/Moscow")).toBe("Доброе утро, Ира.");
    expect(hello(at, " ", "Asia/Tokyo")).toBe("Добрый день.");
    expect(monthOf(at, "ru", "Europe/Moscow")).toBe("Ноябрь 2026");
    expect(() => clock(at, "ru", "Mars/Olympus")).not.toThrow();
  });
});
