/** Runs jobs one after another in the order they came. A job that has not begun can be given up; one that has cannot. */
import { MemgitError } from '../errors.ts';

export class Queue {
  #tail: Promise<void> = Promise.resolve();

  /** @throws ABORTED at once when the signal fires before the job's turn; the job is then never begun */
  run<T>(job: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const giveUp = (): void => { reject(aborted()); };
      if (signal?.aborted === true) { giveUp(); return; }
      signal?.addEventListener('abort', giveUp, { once: true });
      this.#tail = this.#tail.then(async () => {
        if (signal?.aborted === true) return;
        signal?.removeEventListener('abort', giveUp);
        await job().then(resolve, reject);
      });
    });
  }
}

/** @throws ABORTED when the signal has fired */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw aborted();
}

function aborted(): MemgitError {
  return new MemgitError('ABORTED', 'expected to come to an end, but the caller gave up first; nothing was changed');
}
