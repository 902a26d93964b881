/**
 * Long work in one process with other work: what is awaited is mostly done already, so that without this nothing else, the signal to stop
 * included, would get its turn before the end.
 */
import { setImmediate } from 'node:timers/promises';
import { MemgitError } from '../errors.ts';

/** Long against a round of the event loop (0.01 ms), short against what somebody waits for. */
const SPELL_MS = 10;

export class Pace {
  readonly #signal: AbortSignal | undefined;
  #since = performance.now();

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
  }

  /** To be called after every piece of work. @throws ABORTED when the signal has fired; what is half done is the caller's to drop */
  async step(): Promise<void> {
    if (this.#signal?.aborted === true) throw new MemgitError('ABORTED', 'expected to come to an end, but the caller gave up first; nothing was changed');
    if (performance.now() - this.#since < SPELL_MS) return;
    await setImmediate();
    this.#since = performance.now();
  }
}
