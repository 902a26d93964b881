/**
 * Small files that are replaced whole: the store's, where a remote was seen, and the configuration. Interrupted at any call the old one
 * stands or the new one, and what was said to be done survives a power cut. Seen to fail when the folder was not synced, when the file
 * was not, and when the old one was removed before the new one was there.
 */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import type { FileSystem } from '../../src/git/fs.ts';
import { Repository } from '../../src/git/repository.ts';
import { readStoreFile, replaceStoreFile, writeStoreFile } from '../../src/vault/store-folder.ts';
import { buryOwners } from '../support/doomed-vault.ts';
import { FaultyDisk, type FaultName } from '../support/fault-fs.ts';
import { createSample, temporaryFolder } from '../support/git-repository.ts';
import { randomFrom, seed } from '../support/random.ts';
import { VolatileDisk } from '../support/volatile-disk.ts';

const folder = temporaryFolder();
const STOPS = ['kill', 'power cut', 'power cut, some of it kept', 'lost renames', 'full disk', 'failed sync'] as const satisfies readonly FaultName[];

interface Case {
  make(place: string): Promise<void>;
  change(place: string, fs: FileSystem): Promise<unknown>;
  /** What is there, read as by a new process. */
  read(place: string): Promise<unknown>;
}

const origin = { name: 'origin', url: '/origin.git' };

/** A repository with something done to it by one that is opened on the file system in question. */
const inRepository = (change: (repository: Repository) => Promise<unknown>, read: (repository: Repository) => Promise<unknown>): Case => ({
  make: async (place) => (await createSample(place)).close(),
  change: async (place, fs) => change(await Repository.open(place, { fs })),
  read: async (place) => {
    const repository = await Repository.open(place);
    const found = await read(repository);
    await repository.close();
    return found;
  },
});

const cases: Record<string, Case> = {
  'store.json': {
    make: async (place) => {
      await writeStoreFile(new VolatileDisk(), place, Buffer.from('old'));
    },
    change: async (place, fs) => replaceStoreFile(fs, place, Buffer.from('new')),
    read: async (place) => Buffer.from((await readStoreFile(new VolatileDisk(), place)) ?? '').toString(),
  },
  'where a remote was seen': inRepository(
    async (repository) => repository.acceptFrom('origin', { before: undefined, now: await repository.head() }),
    async (repository) => repository.seenAt('origin'),
  ),
  'the configuration': inRepository(async (repository) => repository.addRemote(origin), async (repository) => repository.remotes()),
};

test.each(Object.entries(cases))('%s', async (name, { make, change, read }) => {
  const original = join(folder, `${name}.git`);
  await make(original);
  const before = await read(original);
  let trials = 0;
  const copy = () => {
    const place = join(folder, `${name} ${(trials += 1)}.git`);
    cpSync(original, place, { recursive: true });
    return place;
  };
  const done = copy();
  await change(done, new VolatileDisk());
  const after = await read(done);
  expect(after).not.toEqual(before);
  const random = randomFrom(seed);
  for (const fault of STOPS) {
    for (let n = 1, met = true; met; n += 1) {
      const place = copy();
      const disk = new FaultyDisk(fault, random);
      disk.arm(n);
      const ending = await Promise.race([change(place, disk.fs).then(() => 'acknowledged', () => 'failed'), disk.stopped]);
      met = disk.disarm();
      await disk.settle();
      buryOwners(place);
      const found = await read(place);
      if (ending === 'acknowledged') expect([fault, n, found]).toEqual([fault, n, after]);
      else expect([before, after]).toContainEqual(found);
    }
  }
});
