/**
 * The prompts while somebody works on them. It outlives the page: whoever comes back finds the same file, the same
 * half-written text and the same run of the sandbox.
 */
import type { Backend } from "../backend";
import type { Shelf } from "../features/prompts/tree";
import { above, shelfOf } from "../features/prompts/tree";
import type {
  AppEvent,
  Lang,
  PromptCoverage,
  PromptEdit,
  PromptFinalized,
  PromptFinding,
  PromptLint,
  PromptSample,
  PromptShelf,
  PromptText,
  ScenarioRan,
} from "../wire";

export const workshopTabs = ["files", "preview", "versions", "coverage", "sandbox"] as const;
export type WorkshopTab = (typeof workshopTabs)[number];

/** After typing, before the text is put by and looked at. */
const PAUSE = 350;

export type Place = Pick<PromptFinding, "line" | "column" | "length">;

/** With the head that a prompt needs. */
function newFile(path: string): string {
  if (!path.endsWith(".md")) return "";
  const [language = "", ...rest] = path.split("/");
  const id = (rest.length > 0 ? rest.join("/") : path).replace(/\.md$/, "");
  return `---\nid: ${id}\nversion: 1\nlanguage: ${language}\ndescription: \n---\n`;
}

type Attempt = <T>(asked: Promise<T>) => Promise<T | undefined>;

export class Workshop {
  tab: WorkshopTab = $state("files");
  shelf: PromptShelf | null = $state.raw(null);
  /** Whose files the tree shows. */
  language: Shelf = $state("ru");
  folders: ReadonlySet<string> = $state.raw(new Set(["base/", "envelope/"]));
  /** The file in the editor, as it is kept. */
  opened: PromptText | null = $state.raw(null);
  /** What stands in the editor. */
  text = $state("");
  lint: PromptLint | null = $state.raw(null);
  /** The newest text has not been looked at yet. */
  linting = $state(false);
  /** The text was kept, and not touched since. */
  kept = $state(false);
  /** Where the editor is to go next. */
  goal: Place | null = $state.raw(null);
  /** Counts what came into the editor from elsewhere than the keyboard. */
  replaced = $state(0);
  sample: PromptSample | null = $state.raw(null);
  /** Of the newest run of the sandbox. */
  ran: ScenarioRan[] = $state.raw([]);
  running = $state(false);
  /** How many talks the run has. */
  total = $state(0);
  /** The run under way is of all scenarios, against Calm itself. */
  #whole = false;
  coverage: PromptCoverage | null = $state.raw(null);
  /** What the run was of. */
  ranEdits = $state(false);

  #typing: ReturnType<typeof setTimeout> | undefined;
  #asked = 0;
  #looked = 0;
  /** One writer: what was put by must not come after what was kept. */
  #writing: Promise<unknown> = Promise.resolve();
  readonly #backend: Backend;
  readonly #attempt: Attempt;

  constructor(backend: Backend, attempt: Attempt) {
    this.#backend = backend;
    this.#attempt = attempt;
  }

  get dirty(): boolean {
    return this.opened !== null && this.text !== this.opened.text;
  }

  /** The text that is not kept, as the program takes it. */
  get edit(): PromptEdit | null {
    return this.opened && this.dirty ? { path: this.opened.path, text: this.text } : null;
  }

  get edited(): number {
    return this.shelf?.files.filter(({ edit }) => edit !== "none").length ?? 0;
  }

  /** There is something that could become a version. */
  get hasNews(): boolean {
    return this.edited > 0 && this.shelf?.edits_are !== this.shelf?.version;
  }

  findingsOf(path: string): PromptFinding[] {
    return this.lint?.findings.filter(({ file }) => file === path) ?? [];
  }

  async enter(language: Lang): Promise<void> {
    if (this.shelf === null) this.language = language;
    this.shelf = (await this.#attempt(this.#backend.promptFiles())) ?? this.shelf;
    if (this.shelf && this.opened === null) {
      const root = this.shelf.files.find(({ path }) => path === `${language}/root.md`);
      await this.open((root ?? this.shelf.files[0])?.path ?? "");
    } else await this.look();
  }

  turn(folder: string): void {
    const folders = new Set(this.folders);
    if (!folders.delete(folder)) folders.add(folder);
    this.folders = folders;
  }

  /** Opens a file, at a place of it where one is given. */
  async open(path: string, goal: Place | null = null): Promise<void> {
    this.tab = "files";
    this.language = shelfOf(path);
    this.folders = new Set([...this.folders, ...above(path)]);
    if (this.opened?.path === path) {
      this.goal = goal;
      return;
    }
    this.putBy();
    const mine = (this.#asked += 1);
    await this.#writing;
    const file = await this.#attempt(this.#backend.promptFile(path));
    // Somebody who clicked on has no use for this one.
    if (file === undefined || mine !== this.#asked) return;
    this.opened = file;
    this.kept = false;
    this.text = file.unsaved;
    this.replaced += 1;
    this.goal = goal;
    await this.look();
  }

  /** A file that is not there yet. One of a variant begins as a copy of what it varies. */
  async add(path: string): Promise<boolean> {
    const original = /^variants\/[^/]+\/(.+)$/.exec(path)?.[1] ?? "";
    const has = (name: string) => this.shelf?.files.some((file) => file.path === name);
    if (!has(path)) {
      const text = has(original)
        ? (await this.#attempt(this.#backend.promptFile(original)))?.text
        : newFile(path);
      if (text === undefined) return false;
      const held = await this.#written(() =>
        this.#backend.holdPrompt({ path, text }).then(() => true),
      );
      if (!held) return false;
      await this.refresh();
    }
    await this.open(path);
    return true;
  }

  type(text: string): void {
    if (text === this.text) return;
    this.text = text;
    this.kept = false;
    this.linting = true;
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => {
      this.putBy();
      void this.look();
    }, PAUSE);
  }

  /** Nothing of what was typed is lost when the page, the window or the program goes. */
  putBy(): void {
    if (this.#typing === undefined) return;
    clearTimeout(this.#typing);
    this.#typing = undefined;
    const { opened, edit } = this;
    if (opened === null) return;
    if (edit) this.#written(this.#backend.holdPrompt.bind(this.#backend, edit));
    else this.#written(() => this.#backend.letGoPrompt(opened.path));
    this.#mark(opened.path, edit !== null);
  }

  /** Asks the linter about everything, with the text as it is now. */
  async look(): Promise<void> {
    const mine = (this.#looked += 1);
    this.linting = true;
    const lint = await this.#attempt(this.#backend.lintPrompts(this.edit));
    if (mine !== this.#looked) return;
    this.linting = this.#typing !== undefined;
    if (lint) this.lint = lint;
  }

  /** Keeps the text as an edit. */
  async keep(): Promise<boolean> {
    const { opened, edit } = this;
    if (opened === null || edit === null) return false;
    clearTimeout(this.#typing);
    this.#typing = undefined;
    const shelf = await this.#written(() => this.#backend.keepPrompt(edit));
    if (shelf === undefined) return false;
    this.shelf = shelf;
    if (this.opened?.path === edit.path)
      this.opened = { ...opened, text: edit.text, unsaved: edit.text };
    this.kept = true;
    await this.look();
    return true;
  }

  /** Back to what was kept last. */
  async revert(): Promise<void> {
    const { opened } = this;
    if (opened === null) return;
    clearTimeout(this.#typing);
    this.#typing = undefined;
    const shelf = await this.#written(() => this.#backend.letGoPrompt(opened.path));
    if (shelf === undefined) return;
    this.shelf = shelf;
    this.text = opened.text;
    this.replaced += 1;
    await this.look();
  }

  /** Back to what came with the program. */
  async takeBack(): Promise<void> {
    const { opened } = this;
    if (opened === null) return;
    clearTimeout(this.#typing);
    this.#typing = undefined;
    const shelf = await this.#written(() => this.#backend.takeBackPrompt(opened.path));
    if (shelf === undefined) return;
    this.shelf = shelf;
    const still = shelf.files.some(({ path }) => path === opened.path);
    this.opened = still
      ? { ...opened, text: opened.shipped, unsaved: opened.shipped }
      : null;
    this.text = still ? opened.shipped : "";
    this.kept = false;
    this.replaced += 1;
    await this.look();
  }

  async finalize(version: string, note: string): Promise<PromptFinalized | undefined> {
    const done = await this.#attempt(this.#backend.finalizePrompts(version, note));
    if (done?.outcome === "lint") this.lint = done.lint;
    if (done?.outcome === "done") await this.refresh();
    return done;
  }

  async refresh(): Promise<void> {
    this.shelf = (await this.#attempt(this.#backend.promptFiles())) ?? this.shelf;
  }

  /** Runs scenarios, all of them where none is named. */
  async try(ids: string[], backend: string, edits: boolean, total: number): Promise<void> {
    [this.ran, this.running, this.total] = [[], true, total];
    this.#whole = ids.length === 0 && backend === "guide";
    this.ranEdits = edits;
    const begun = await this.#attempt(
      this.#backend.tryPrompts(ids, backend, edits).then(() => true),
    );
    if (!begun) this.running = false;
  }

  async stop(): Promise<void> {
    await this.#attempt(this.#backend.stopTryingPrompts());
  }

  /** Everything was erased: nothing of it is left here either. */
  forget(): void {
    clearTimeout(this.#typing);
    this.#typing = undefined;
    this.tab = "files";
    this.shelf = this.opened = this.lint = this.sample = this.coverage = null;
    this.text = "";
    this.ran = [];
  }

  hear(event: AppEvent): void {
    if (event.type === "scenario_ran") {
      this.ran = [...this.ran, event.ran];
      this.total = event.ran.total;
      this.running = true;
    } else if (event.type === "sandbox_over") {
      this.running = false;
      if (event.coverage && this.#whole) this.coverage = event.coverage;
    }
  }

  #written<T>(write: () => Promise<T>): Promise<T | undefined> {
    const after = this.#writing.then(() => this.#attempt(write()));
    this.#writing = after;
    return after;
  }

  #mark(path: string, unsaved: boolean): void {
    if (this.shelf === null) return;
    const files = this.shelf.files.map((file) => (file.path === path ? { ...file, unsaved } : file));
    this.shelf = { ...this.shelf, files };
  }
}
