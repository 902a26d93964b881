/**
 * Has the repositories of one process begin their updates one after another, with a round of the event loop between two. An
 * update begins with about a millisecond of work in one piece; several vaults at once would otherwise do all of theirs in the
 * same round, and everything else in the process would wait for the sum.
 */
let last: Promise<void> = Promise.resolve();

/** Resolves when it is the caller's turn to begin. */
export async function takeTurn(): Promise<void> {
  last = last.then(async () => new Promise((resolve) => setImmediate(resolve)));
  return last;
}
