/** The prompts in a rehearsal: a small set, a linter of two rules; like the rest of it, this never ships. */
import type {
  AppEvent,
  Lang,
  PromptDifference,
  PromptEdit,
  PromptFigures,
  PromptFinalized,
  PromptFinding,
  PromptLint,
  PromptPreview,
  PromptSample,
  PromptShelf,
  PromptSide,
  PromptText,
  PromptVersionCard,
  PromptVersions,
  ScenarioCard,
} from "../wire";

/** Milliseconds a talk of the sandbox takes. */
const PACE = 120;

const head = (id: string, language: Lang, description: string) =>
  `---\nid: ${id}\nversion: 1\nlanguage: ${language}\ndescription: ${description}\n---\n`;

function filesOf(language: Lang): [string, string][] {
  const ru = language === "ru";
  return [
    [
      `${language}/root.md`,
      `${head("root", language, "The template of the system prompt.")}<system>
{{include base/identity.md}}

{{include base/tone.md}}
</system>

<context>
${ru ? "О человеке:" : "About the person:"}
- ${ru ? "Имя" : "Name"}: {{user.name}}
- ${ru ? "Стиль торговли" : "Style"}: {{user.trading_style}}
{{#if user.streak.type == "losing" && user.streak.count >= 3}}
- ${ru ? "Торговых сессий в минус подряд" : "Losing sessions in a row"}: {{user.streak.count}}
{{/if}}
</context>

<instructions>
{{! ${ru ? "Ход беседы зависит от вида и длины." : "The flow depends on the kind and the length."} }}
{{include {{session.type}}/{{session.format}}.md}}
</instructions>
`,
    ],
    [
      `${language}/base/identity.md`,
      `${head("base/identity", language, "Who Calm is.")}# ${ru ? "Кто ты" : "Who you are"}

${ru ? "Ты — Calm, спокойный собеседник трейдера. Ты не советуешь, что покупать." : "You are Calm, a trader’s quiet companion. You never say what to buy."}
`,
    ],
    [
      `${language}/base/tone.md`,
      `${head("base/tone", language, "How Calm speaks.")}# ${ru ? "Тон" : "Tone"}

${ru ? "Говори коротко и тепло, на ты. Одна мысль, один вопрос." : "Speak briefly and warmly. One thought, one question."}
`,
    ],
    [
      `${language}/check-in/short.md`,
      `${head("check-in/short", language, "The flow of a short check-in.")}1. ${ru ? "Поздоровайся и спроси открыто, как человек сейчас." : "Say hello and ask openly how the person is."}
2. ${ru ? "Попроси оценить готовность от 1 до 10." : "Ask for a readiness from 1 to 10."}
`,
    ],
    [
      `envelope/${language}/regular.md`,
      `${head("envelope/regular", language, "With a knowledge base.")}{baseSystemPrompt}\n\n{currentTime}\n`,
    ],
    [
      `guide/${language}/opening.toml`,
      `# ${ru ? "С чего Calm начинает." : "How Calm begins."}\n[[move]]\nkey = "open.check_in"\nvariants = ["${ru ? "Привет. Как ты?" : "Hello. How are you?"}"]\n`,
    ],
  ];
}

const shipped = new Map<string, string>([
  ...filesOf("ru"),
  ...filesOf("en"),
  ["manifest.toml", 'id = "calm"\nversion = "0.2.0"\nlanguages = ["ru", "en"]\n'],
  ["helplines.toml", '[[line]]\nname = "112"\n'],
]);

const known = /^(user|session|voice|said|previous_checkin|backend)\.[a-z_.]+$/;

/** A name that is no variable blocks; words of a form letter are worth a fix. */
function found(file: string, text: string, language: Lang): PromptFinding[] {
  const ru = language === "ru";
  return text.split("\n").flatMap((line, index) => {
    const at = (match: RegExpMatchArray) => ({
      file,
      line: index + 1,
      column: (match.index ?? 0) + 1,
      length: match[0].length,
    });
    const unknown = [...line.matchAll(/\{\{([a-z_.]+)\}\}/g)].filter(
      ([, name]) => name !== "else" && !known.test(name ?? ""),
    );
    const letter = [...line.matchAll(/благодарим за обращение|we value your feedback/gi)];
    return [
      ...unknown.map<PromptFinding>((match) => ({
        ...at(match),
        rule: "broken_file",
        severity: "hard_fail",
        message: ru ? `переменной ${match[1]} нет` : `there is no variable ${match[1]}`,
        hint: ru ? "может быть, user.name?" : "did you mean user.name?",
      })),
      ...letter.map<PromptFinding>((match) => ({
        ...at(match),
        rule: "officialese",
        severity: "warn",
        message: ru ? `звучит по-казённому: «${match[0]}»` : `reads like a form letter: “${match[0]}”`,
        hint: ru ? "скажи как другу" : "say it as you would to a friend",
      })),
    ];
  });
}

const figures = (variant: string, sessions: number, mean: number): PromptFigures => ({
  variant,
  sessions,
  completed: { k: sessions - 2, n: sessions },
  forced: { k: 2, n: sessions },
  sufler: { mean, low: mean - 18, high: mean + 18, n: sessions },
  heard: { yes: sessions - 9, partly: 3, no: 1 },
  stress: { mean: -64, low: -110, high: -18, n: sessions - 11 },
  with_hit: { k: 0, n: sessions },
});

export class Bench {
  readonly #now: Date;
  readonly #bare: boolean;
  readonly #language: () => Lang;
  readonly #tell: (event: AppEvent) => void;
  readonly #edits = new Map<string, string>();
  readonly #unsaved = new Map<string, string>();
  #versions: PromptVersionCard[];
  #log: PromptVersions["log"];
  #stop: (() => void) | null = null;

  constructor(now: Date, bare: boolean, language: () => Lang, tell: (event: AppEvent) => void) {
    this.#now = now;
    this.#bare = bare;
    this.#language = language;
    this.#tell = tell;
    const day = (days: number) => new Date(now.getTime() + days * 86_400_000).toISOString();
    const card = (version: string, days: number): PromptVersionCard => ({
      version,
      own: false,
      parent: "",
      note: "",
      hash: "1f0c2a9b",
      finalized_at: day(days),
      in_use: false,
      retired: false,
      figures: [],
    });
    const only = { ...card("0.2.0", -60), in_use: true, figures: bare ? [] : [figures("default", 62, 414), figures("gentle", 21, 421)] };
    this.#versions = bare
      ? [only]
      : [
          {
            ...card("0.2.0-mine.1", -20),
            own: true,
            parent: "0.2.0",
            note: language() === "ru" ? "короче ответы" : "shorter replies",
            hash: "77aa01c4",
            retired: true,
            figures: [figures("default", 16, 352)],
          },
          only,
        ];
    this.#log = bare
      ? []
      : [
          {
            at: day(-6),
            event: "rolled_back",
            who: "rule",
            from: "0.2.0-mine.1",
            to: "0.2.0",
            reason: { because: "lower_scores", before: 414, before_n: 60, now: 352, now_n: 16 },
          },
          {
            at: day(-20),
            event: "finalized",
            who: "user",
            from: "0.2.0",
            to: "0.2.0-mine.1",
            reason: { because: "unsaid" },
          },
        ];
  }

  #used(): string {
    return this.#versions.find(({ in_use }) => in_use)?.version ?? "";
  }

  #paths(): string[] {
    return [...new Set([...shipped.keys(), ...this.#edits.keys(), ...this.#unsaved.keys()])].sort();
  }

  #text(path: string): string {
    return this.#edits.get(path) ?? shipped.get(path) ?? "";
  }

  shelf(): PromptShelf {
    const own = this.#versions.find(({ in_use }) => in_use)?.own ?? false;
    const edit = (path: string) =>
      !this.#edits.has(path) ? "none" : shipped.has(path) ? "changed" : "added";
    return {
      version: this.#used(),
      own,
      edits_are: own && this.#fresh === 0 ? this.#used() : "",
      files: this.#paths().map((path) => ({
        path,
        edit: edit(path),
        unsaved: this.#unsaved.has(path),
        fixed: path === "helplines.toml",
      })),
      problem: "",
    };
  }

  /** Edits since the newest version. */
  #fresh = 0;

  file(path: string): PromptText {
    if (!this.#paths().includes(path)) throw { code: "bad_prompts", detail: "" };
    const text = this.#text(path);
    return { path, text, unsaved: this.#unsaved.get(path) ?? text, shipped: shipped.get(path) ?? "" };
  }

  hold({ path, text }: PromptEdit): void {
    if (!/^[^.]+\.(md|toml)$/.test(path)) throw { code: "bad_prompts", detail: "" };
    this.#unsaved.set(path, text);
  }

  letGo(path: string): PromptShelf {
    this.#unsaved.delete(path);
    return this.shelf();
  }

  keep({ path, text }: PromptEdit): PromptShelf {
    this.#unsaved.delete(path);
    if (text === shipped.get(path)) this.#edits.delete(path);
    else this.#edits.set(path, text);
    this.#fresh += 1;
    return this.shelf();
  }

  takeBack(path: string): PromptShelf {
    this.#unsaved.delete(path);
    this.#edits.delete(path);
    this.#fresh += 1;
    return this.shelf();
  }

  lint(edit: PromptEdit | null): PromptLint {
    const text = (path: string) => (edit?.path === path ? edit.text : this.#text(path));
    const findings = this.#paths().flatMap((path) => found(path, text(path), this.#language()));
    return { files: shipped.size, findings };
  }

  finalize(version: string): PromptFinalized {
    if (this.#edits.size === 0) return { outcome: "nothing_changed" };
    const lint = this.lint(null);
    if (lint.findings.some(({ severity }) => severity === "hard_fail"))
      return { outcome: "lint", lint };
    const name = version || `0.2.0-mine.${this.#versions.length}`;
    if (this.#versions.some((one) => one.version === name))
      return { outcome: "taken", version: name };
    const parent = this.#used();
    const at = this.#now.toISOString();
    this.#versions = [
      {
        version: name,
        own: true,
        parent,
        note: "",
        hash: "c0ffee12",
        finalized_at: at,
        in_use: true,
        retired: false,
        figures: [],
      },
      ...this.#versions.map((one) => ({ ...one, in_use: false })),
    ];
    this.#log = [
      { at, event: "finalized", who: "user", from: parent, to: name, reason: { because: "unsaid" } },
      ...this.#log,
    ];
    this.#fresh = 0;
    return { outcome: "done", version: name, files: this.#edits.size };
  }

  preview(sample: PromptSample, edit: PromptEdit | null): PromptPreview {
    const wrong = sample.edits
      ? this.lint(edit).findings.find(({ severity }) => severity === "hard_fail")
      : undefined;
    const empty = { messages: [], characters: 0, warned_from: 25_000, most: 60_000, version: "0.2.0" };
    if (wrong) {
      const { file, line, column, message } = wrong;
      return { ...empty, problem: `${file}:${line}:${column}: ${message}` };
    }
    const of = (path: string) => {
      const text = sample.edits
        ? edit?.path === path
          ? edit.text
          : this.#text(path)
        : (shipped.get(path) ?? "");
      return text.replace(/^---\n[^]*?\n---\n/, "");
    };
    const name = { own: "Ира", example: "Марина", nothing: "" }[sample.known];
    const lang = sample.language;
    const system = [of(`${lang}/base/identity.md`), of(`${lang}/base/tone.md`), of(`${lang}/check-in/short.md`)]
      .concat(name ? [`${lang === "ru" ? "Имя" : "Name"}: ${name}`] : [])
      .join("\n");
    const message = (role: string, text: string) => ({ role, text, characters: text.length });
    const messages = [message("system", system)];
    if (sample.said) messages.push(message("user", sample.said));
    const characters = messages.reduce((sum, one) => sum + one.characters, 0);
    return { ...empty, messages, characters, problem: "" };
  }

  versions(): PromptVersions {
    const variants = this.#bare
      ? []
      : [
          { id: "default", weight: 3 },
          { id: "gentle", weight: 1 },
        ];
    return { versions: this.#versions, log: this.#log, variants };
  }

  compare(from: PromptSide, to: PromptSide): PromptDifference[] {
    const same = JSON.stringify(from) === JSON.stringify(to);
    if (same || (to.side === "edits" && this.#edits.size === 0)) return [];
    const ru = this.#language() === "ru";
    const piece = (text: string, changed = false) => ({ text, changed });
    const line = ru
      ? ["Говори ", "коротко", "в два слова", " и тепло, на ты. Одна мысль, один вопрос."]
      : ["Speak ", "briefly", "in two words", " and warmly. One thought, one question."];
    const [before = "", was = "", is = "", after = ""] = line;
    return [
      {
        path: `${this.#language()}/base/tone.md`,
        edit: "changed",
        lines: [
          { kind: "gap", old: 0, new: 0, pieces: [] },
          { kind: "same", old: 7, new: 7, pieces: [piece(ru ? "# Тон" : "# Tone")] },
          { kind: "same", old: 8, new: 8, pieces: [] },
          { kind: "removed", old: 9, new: 0, pieces: [piece(before), piece(was, true), piece(after)] },
          { kind: "added", old: 0, new: 9, pieces: [piece(before), piece(is, true), piece(after)] },
        ],
      },
    ];
  }

  rollBack(to: string): PromptVersions {
    const from = this.#used();
    if (!this.#versions.some(({ version }) => version === to))
      throw { code: "no_earlier_prompts", detail: "" };
    this.#versions = this.#versions.map((one) => ({
      ...one,
      in_use: one.version === to,
      retired: one.version === to ? false : one.retired || one.in_use,
    }));
    const at = this.#now.toISOString();
    this.#log = [
      { at, event: "rolled_back", who: "user", from, to, reason: { because: "said", text: "by hand" } },
      ...this.#log,
    ];
    return this.versions();
  }

  scenarios(): ScenarioCard[] {
    const card = (id: string, description: string, language: Lang): ScenarioCard => ({
      id,
      description,
      language,
      kind: id.includes("loss") ? "check-out" : "check-in",
      format: "short",
      turns: 2,
    });
    return [
      card("en_calm_morning", "A calm morning with a plan.", "en"),
      card("en_loss_by_plan", "A loss, and the plan was kept.", "en"),
      card("ru_loss_streak", "Three losses in a row.", "ru"),
    ];
  }

  /** One after another, each when its time comes; the second of them fails. */
  async try(ids: string[]): Promise<void> {
    const list = this.scenarios().filter(({ id }) => ids.length === 0 || ids.includes(id));
    const ru = this.#language() === "ru";
    let stopped = false;
    this.#stop = () => (stopped = true);
    void (async () => {
      for (const [index, { id }] of list.entries()) {
        await new Promise((resolve) => setTimeout(resolve, PACE));
        if (stopped) break;
        const passed = id !== "en_loss_by_plan";
        this.#tell({
          type: "scenario_ran",
          ran: {
            id,
            done: index + 1,
            total: list.length,
            passed,
            checks: 9,
            failed: passed ? [] : ['turn 1: none of ["plan"] in "Thanks for telling me."'],
            turns: [
              { user: "", calm: ru ? "Привет. Как прошло?" : "Hello. How did it go?" },
              {
                user: ru ? "минус двести, но по плану" : "down two hundred, by the plan",
                calm: ru ? "Спасибо за рассказ." : "Thanks for telling me.",
              },
            ],
          },
        });
      }
      const coverage = {
        files: 42,
        files_taken: 41,
        conditions: 56,
        sides: 112,
        sides_taken: 111,
        gaps: [
          { gap: "file" as const, file: "envelope/ru/regular.md" },
          {
            gap: "side" as const,
            file: `${this.#language()}/root.md`,
            line: 16,
            column: 1,
            condition: 'user.streak.type == "losing" && user.streak.count >= 3',
            holds: false,
          },
        ],
      };
      this.#tell({ type: "sandbox_over", coverage: stopped ? null : coverage });
    })();
  }

  stop(): void {
    this.#stop?.();
  }
}
