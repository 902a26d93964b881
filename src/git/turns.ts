/**
 * Shares the event loop with everything else in the process. Repositories begin their updates one after another, with a round of
 * the loop between two: an update begins with about a millisecond of work in one piece, and several vaults at once would otherwise
 * do all of theirs in the same round. Reading, which is synchronous (fs.ts), gives way when it has gone on for long.
 */

/** Half a frame of a screen, and some hundred times what a round of the loop costs. */
const LONGEST_HOLD_MS = 8;

let last: Promise<void> = Promise.resolve();

/** Resolves when it is the caller's turn to begin. */
export async function takeTurn(): Promise<void> {
  last = last.then(nextRound);
  return last;
}

/** When reading first began in this round of the loop. */
let readingSince: number | undefined;

/**
 * Resolves at once, or in the next round of the event loop when this one has been used for long: between promises that are resolved
 * already node looks at no timer, socket or signal, so whoever reads a whole history would keep all of them waiting to its end.
 */
export async function giveWay(): Promise<void> {
  const now = performance.now();
  if (readingSince === undefined) {
    readingSince = now;
    setImmediate(() => { readingSince = undefined; });
  } else if (now - readingSince > LONGEST_HOLD_MS) {
    await nextRound();
  }
}

async function nextRound(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
