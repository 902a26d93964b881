/**
 * Lets go of the event loop in the middle of long work. Reading objects takes no turn of it, so without pauses a question
 * about a long history would keep signals, timers and everything else of the process waiting for seconds.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';

const LONGEST_STRETCH_MS = 20;

export class Pauses {
  #last = performance.now();

  /** Waits for one turn of the event loop if the last one is long ago. */
  async whenDue(): Promise<void> {
    if (performance.now() - this.#last < LONGEST_STRETCH_MS) return;
    await nextTurn();
    this.#last = performance.now();
  }
}
