/**
 * Shares the event loop with everything else in the process. Repositories begin their updates one after another, with a round of
 * the loop between two: an update begins with about a millisecond of work in one piece, and several vaults at once would otherwise
 * do all of theirs in the same round. Long work, such as reading, which is synchronous (fs.ts), gives way in the middle.
 */
import { throwIfAborted } from './queue.ts';

/** Half a frame of a screen, and some hundred times what a round of the loop costs. */
const LONGEST_HOLD_MS = 8;

let last: Promise<void> = Promise.resolve();

/** Resolves when it is the caller's turn to begin. */
export async function takeTurn(): Promise<void> {
  last = last.then(nextRound);
  return last;
}

/** When long work first began in this round of the loop. */
let workingSince: number | undefined;

/**
 * Resolves at once, or in the next round of the event loop when this one has been used for long: between promises that are resolved
 * already node looks at no timer, socket or signal, so whoever reads a whole history would keep all of them waiting to its end.
 *
 * @throws ABORTED when the signal has fired; what is half done is the caller's to drop
 */
export async function giveWay(signal?: AbortSignal): Promise<void> {
  throwIfAborted(signal);
  const now = performance.now();
  if (workingSince === undefined) {
    workingSince = now;
    setImmediate(() => { workingSince = undefined; });
  } else if (now - workingSince > LONGEST_HOLD_MS) {
    await nextRound();
  }
}

async function nextRound(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
