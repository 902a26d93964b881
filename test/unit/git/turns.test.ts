/** Whoever reads for long lets the rest of the process have its turn. Seen to fail, for each way of reading, without `giveWay` in it. */
import { join } from 'node:path';
import type { Repository } from '../../../src/git/repository.ts';
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
