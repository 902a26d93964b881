/** Runs something long, and counts how often something else in the process got its turn of the event loop. */
export async function turnsDuring(action: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let over = false;
  const other = (): void => {
    turns += 1;
    if (!over) setImmediate(other);
  };
  setImmediate(other);
  await action().finally(() => (over = true));
  return turns;
}
