/**
 * Turns in the event loop. Seen to fail with turns that are only promises, with one `setImmediate` for all callers at once, and, for each
 * way of reading, without `giveWay` in it.
 */
import { join } from 'node:path';
import type { Repository } from '../../../src/git/repository.ts';
import { takeTurn } from '../../../src/git/turns.ts';
import { createSample, temporaryFolder } from '../../support/git-repository.ts';

const folder = temporaryFolder();
/** Many times what fits between two turns. */
const MANY_READS = 20_000;

/** What readers of a vault do most. */
const READINGS: [string, (repository: Repository) => Promise<() => Promise<unknown>>][] = [
  ['looking at the branch', async (repository) => () => repository.head()],
  ['reading objects', async (repository) => {
    const head = await repository.head();
    return () => repository.read(head);
  }],
  ['reading objects in bulk', async (repository) => {
    const [head, reader] = [await repository.head(), await repository.bulkReader()];
    return () => reader.read(head);
  }],
];

test.each(READINGS)('%s again and again never holds the event loop for long', async (name, start) => {
  const repository = await createSample(join(folder, name));
  const once = await start(repository);
  let turns = 0;
  const timer = setInterval(() => { turns += 1; });
  for (let i = 0; i < MANY_READS && turns < 3; i += 1) await once();
  clearInterval(timer);
  expect(turns).toBe(3);
  await repository.close();
});

test('those who ask at once begin in the order they came, each in a round of the event loop of its own', async () => {
  let round = 0;
  const counting = setImmediate(function count() {
    round += 1;
    if (round < 10) setImmediate(count);
  });
  const begun: { name: string; round: number }[] = [];
  await Promise.all(['a', 'b', 'c'].map(async (name) => {
    await takeTurn();
    begun.push({ name, round });
  }));
  clearImmediate(counting);
  expect(begun.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  const [first, second, third] = begun.map((turn) => turn.round);
  expect([second! > first!, third! > second!]).toEqual([true, true]);
});
