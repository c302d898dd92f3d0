/**
 * Forgetting with second thoughts: the command goes out only after a while, so undoing it needs none.
 *
 * One memory at a time. Asking to forget another one settles the first.
 */
export interface Forgotten {
  id: string;
  words: string;
}

/** Long enough to read a line and change one's mind. */
export const SECOND_THOUGHTS = 6000;

export class Forgetting {
  /** What is out of sight already and still in memory. */
  pending: Forgotten | null = $state.raw(null);
  /** Forgotten for good while this window was open: a list that was asked for before still holds them. */
  gone: readonly string[] = $state.raw([]);

  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #forget: (id: string) => Promise<boolean>;

  constructor(forget: (id: string) => Promise<boolean>) {
    this.#forget = forget;
  }

  hides(id: string): boolean {
    return this.pending?.id === id || this.gone.includes(id);
  }

  ask(memory: Forgotten): void {
    void this.settle();
    this.pending = memory;
    this.resume();
  }

  undo(): void {
    this.hold();
    this.pending = null;
  }

  /** Whoever reads the line, or has reached for its button, is waited for. */
  hold(): void {
    clearTimeout(this.#timer);
  }

  resume(): void {
    this.hold();
    if (this.pending !== null) this.#timer = setTimeout(() => void this.settle(), SECOND_THOUGHTS);
  }

  /** Sends what is pending; where that is refused, the memory is shown again. */
  async settle(): Promise<void> {
    this.hold();
    const memory = this.pending;
    if (memory === null) return;
    this.pending = null;
    this.gone = [...this.gone, memory.id];
    if (!(await this.#forget(memory.id))) this.gone = this.gone.filter((id) => id !== memory.id);
  }
}
