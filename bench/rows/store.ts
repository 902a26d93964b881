/** A store with very many users: what one more costs, and what opening all of them in turn leaves in memory. */
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { generateKey } from '../../src/key.ts';
import { openStore } from '../../src/store.ts';
import { sized, type Context } from '../context.ts';
import { folderBytes } from '../folder-size.ts';
import { single, summarize } from '../measure.ts';
import { atMost, atMostTimes, row, type Row } from '../row.ts';

const CACHE_BYTES = 2 * 1024 * 1024;

export async function storeRows(context: Context): Promise<Row[]> {
  const users = sized(context, 20, 2_000, 10_000);
  const dir = join(context.dir, 'many-users');
  const store = await openStore({ dir, key: await generateKey(), cacheBytes: CACHE_BYTES });
  const times: number[] = [];
  for (let i = 0; i < users; i += 1) {
    const started = performance.now();
    await store.vault(`user-${i}`);
    times.push(performance.now() - started);
  }
  const bytes = folderBytes(dir) / users;

  const memory: number[] = [];
  for (let i = 0; i < users; i += 1) {
    const vault = await store.vault(`user-${i}`);
    await vault.list();
    if (i % Math.ceil(users / 10) === 0) memory.push(await usedBytes());
  }
  await store.close();
  const [early, late] = [memory[1] ?? memory[0]!, memory.at(-1)!];
  return [
    row(`create a user, ${users.toLocaleString('en')} of them`, 'ms', summarize(times), [atMost(10)]),
    row('a new user on the disk', 'bytes', single(bytes), [atMost(64 * 1024)], { remark: 'blocks of the disk, folders included' }),
    row('memory after opening all users in turn', 'bytes', single(late), [atMostTimes('after a tenth of them', single(early), 1.2)], { remark: 'in use after garbage collection, with a cache of 2 MiB, which is full early' }),
  ];
}

/** What is still in use after garbage has been collected, buffers included. */
async function usedBytes(): Promise<number> {
  // Vaults that were only looked up are kept until the present task is over.
  await setImmediate();
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
