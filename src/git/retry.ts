/** Tries again what may have failed in passing, a few times and with growing pauses. */
import { setTimeout as sleep } from 'node:timers/promises';
import { throwIfAborted } from './queue.ts';

const DEFAULT_RETRIES = 2;
const FIRST_PAUSE_MS = 250;

/** Runs `action` until `isPassing` is false of its result. What it throws is passed on at once. */
export async function retrying<T>(
  { retries = DEFAULT_RETRIES, signal }: { retries?: number | undefined; signal?: AbortSignal | undefined },
  action: () => Promise<T>,
  isPassing: (result: T) => boolean,
): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    throwIfAborted(signal);
    const result = await action();
    if (attempt >= retries || !isPassing(result)) return result;
    // An abort only ends the pause early; the top of the loop reports it.
    await sleep(FIRST_PAUSE_MS * 2 ** attempt, undefined, signal && { signal }).catch(() => undefined);
  }
}
