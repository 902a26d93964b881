/**
 * Making a store and making a vault, with each kind of fault at each call to the file system: there is either nothing or all of it,
 * it can be made after all, and what was said to be made stays. Seen to fail with folders that are there
 * already taken to be durable, without the sync of a repository's own name before its first mutation, and with `store.json` written in place.
 */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ready, systemRandom } from '../../src/crypto/sodium.ts';
import { isMemgitError } from '../../src/errors.ts';
import { makeFolders } from '../../src/git/create.ts';
import type { FileSystem } from '../../src/git/fs.ts';
import { createStore, encodeStoreFile, openStoreFile, vaultIdOf, vaultWrapKey } from '../../src/vault/store-file.ts';
import { readStoreFile, writeStoreFile } from '../../src/vault/store-folder.ts';
import { VaultRepository } from '../../src/vault/vault-repository.ts';
import { expectWhole } from '../support/doomed-vault.ts';
import { FAULTS, FaultyDisk, type FaultName } from '../support/fault-fs.ts';
import { temporaryFolder } from '../support/git-repository.ts';
import { randomFrom, seed } from '../support/random.ts';
import { writeFile } from '../support/tmp-vault.ts';
import { VolatileDisk } from '../support/volatile-disk.ts';

jest.setTimeout(process.env['SLOW'] === '1' ? 3_600_000 : 300_000);

const folder = temporaryFolder();
const names = Object.keys(FAULTS) as FaultName[];
const STEP = process.env['SLOW'] === '1' ? 1 : 3;
let count = 0;

interface Maker {
  make(fs: FileSystem, home: string): Promise<unknown>;
  /** What someone does with it next: from then on it must be safe, whoever made it and however that ended. */
  use(fs: FileSystem, home: string): Promise<unknown>;
  /** Whether it is there, after having looked at it closely. */
  isThere(home: string): Promise<boolean>;
}

/** At every third call from a random one on, or with SLOW=1 at every call. */
async function onEveryCall(maker: Maker): Promise<void> {
  const random = randomFrom(seed);
  for (const fault of names) {
    for (let n = 1 + Math.floor(random() * STEP), met = true; met; n += STEP) {
      const home = join(folder, `${(count += 1)}`);
      mkdirSync(home);
      try {
        met = await tryOnce(maker, home, new FaultyDisk(fault, random), n);
      } catch (error) {
        throw new Error(`${fault} at call ${n}, SEED=${seed}: ${String(error)}`, { cause: error });
      }
      rmSync(home, { recursive: true });
    }
  }
}

async function tryOnce({ make, use, isThere }: Maker, home: string, disk: FaultyDisk, n: number): Promise<boolean> {
  const making = async (): Promise<'made' | 'failed'> => {
    try {
      await make(disk.fs, home);
      return 'made';
    } catch (error) {
      if (!isMemgitError(error, 'IO')) throw error;
      return 'failed';
    }
  };
  disk.arm(n);
  const ending = await Promise.race([making(), disk.stopped]);
  const met = disk.disarm();
  if (ending === 'failed') {
    if (!(await isThere(home))) expect(await making()).toBe('made');
    await use(disk.fs, home);
  }
  await disk.settle();
  if (ending === 'stopped' && !(await isThere(home))) await make(new VolatileDisk(), home);
  expect(await isThere(home)).toBe(true);
  return met;
}

test('a store', async () => {
  await ready;
  const key = systemRandom(32);
  const made = encodeStoreFile(await createStore({ key }, 'derived', systemRandom));
  await onEveryCall({
    make: (fs, home) => writeStoreFile(fs, join(home, 'a', 'store'), made),
    use: (fs, home) => makeFolders(fs, join(home, 'a', 'store', 'users', '00')),
    isThere: async (home) => {
      const bytes = await readStoreFile(new VolatileDisk(), join(home, 'a', 'store'));
      if (bytes) await openStoreFile(bytes, { key });
      return bytes !== undefined;
    },
  });
});

test('a vault', async () => {
  await ready;
  const store = await createStore({ key: systemRandom(32) }, 'derived', systemRandom);
  const vaultId = vaultIdOf(store.secret, 'alice');
  const wrapKey = vaultWrapKey(store.secret, vaultId);
  const gitdir = (home: string) => join(home, 'users', '00', 'alice.git');
  await onEveryCall({
    use: async (fs, home) => writeFile(await VaultRepository.open(gitdir(home), { wrapKey }, { fs }), 'a.txt', 'a'),
    make: (fs, home) => VaultRepository.create(gitdir(home), { userId: 'alice', vaultId, store: store.identity, wrapKey }, { fs }),
    isThere: async (home) => {
      try {
        const vault = await VaultRepository.open(gitdir(home), { wrapKey }, { readOnly: true });
        await expectWhole(vault);
        expect(readdirSync(vault.repository.gitdir).sort()).toEqual(['HEAD', 'config', 'memgit', 'objects', 'refs']);
        return true;
      } catch (error) {
        if (!isMemgitError(error, 'VAULT_NOT_FOUND')) throw error;
        return false;
      }
    },
  });
});
