/** What the rehearsed program answers about its prompts. */
import type { PromptEdit, PromptSample, PromptSide } from "../wire";
import type { Bench } from "./bench";

export abstract class Workbench {
  protected abstract readonly bench: Bench;

  async promptFiles() {
    return this.bench.shelf();
  }

  async promptFile(path: string) {
    return this.bench.file(path);
  }

  async holdPrompt(edit: PromptEdit) {
    this.bench.hold(edit);
  }

  async letGoPrompt(path: string) {
    return this.bench.letGo(path);
  }

  async keepPrompt(edit: PromptEdit) {
    return this.bench.keep(edit);
  }

  async takeBackPrompt(path: string) {
    return this.bench.takeBack(path);
  }

  async lintPrompts(edit: PromptEdit | null) {
    return this.bench.lint(edit);
  }

  async finalizePrompts(version: string, _note: string) {
    return this.bench.finalize(version);
  }

  async previewPrompts(sample: PromptSample, edit: PromptEdit | null) {
    return this.bench.preview(sample, edit);
  }

  async promptVersions() {
    return this.bench.versions();
  }

  async comparePrompts(from: PromptSide, to: PromptSide) {
    return this.bench.compare(from, to);
  }

  async rollBackPrompts(to: string) {
    return this.bench.rollBack(to);
  }

  async promptScenarios() {
    return this.bench.scenarios();
  }

  tryPrompts(ids: string[], _backend: string, _edits: boolean) {
    return this.bench.try(ids);
  }

  async stopTryingPrompts() {
    this.bench.stop();
  }
}
