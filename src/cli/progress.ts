/** One line on stderr that says how far something is, shown to a person who has waited for a second, and cleared in the end. */
import type { Io } from './io.ts';

const PATIENCE_MS = 1_000;
const REDRAW_MS = 100;
const CLEAR_LINE = '\r\x1b[K';

export class Progress {
  readonly #stderr: Io['stderr'];
  #nextMs: number;
  #shown = false;

  constructor({ stderr }: Pick<Io, 'stderr'>) {
    this.#stderr = stderr;
    this.#nextMs = performance.now() + PATIENCE_MS;
  }

  show(text: string): void {
    if (this.#stderr.isTTY !== true || performance.now() < this.#nextMs) return;
    this.#nextMs = performance.now() + REDRAW_MS;
    this.#shown = true;
    this.#stderr.write(`${CLEAR_LINE}${text}`);
  }

  clear(): void {
    if (this.#shown) this.#stderr.write(CLEAR_LINE);
    this.#shown = false;
  }
}
