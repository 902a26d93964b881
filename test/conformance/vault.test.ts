/** The memory tool's cases and the side-by-side commands on a real vault: encrypted, on the disk. */
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { ready, systemRandom } from '../../src/crypto/sodium.ts';
import { openStore, type Store } from '../../src/index.ts';
import { createStore, vaultIdOf, vaultWrapKey } from '../../src/vault/store-file.ts';
import { VaultRepository } from '../../src/vault/vault-repository.ts';
import { Vault } from '../../src/vault.ts';
import { temporaryFolder } from '../support/git-repository.ts';
import { differentialSuite } from './differential-suite.ts';
import { memorySuite } from './memory-suite.ts';

const folder = temporaryFolder();
let store: Store;
let count = 0;

beforeAll(async () => {
  store = await openStore({ dir: join(folder, 'store'), key: randomBytes(32) });
});

afterAll(async () => {
  await store.close();
});

memorySuite('execute on a vault', async () => store.vault(`user ${(count += 1)}`));

differentialSuite('a vault', async () => {
  await ready;
  const { identity, secret } = await createStore({ key: randomBytes(32) }, 'derived', systemRandom);
  const vaultId = vaultIdOf(secret, 'a user');
  const gitdir = join(folder, `${(count += 1)}.git`);
  const repository = await VaultRepository.create(gitdir, { userId: 'a user', vaultId, store: identity, wrapKey: vaultWrapKey(secret, vaultId) });
  const vault = new Vault(gitdir, repository, {});
  return {
    execute: async (input) => vault.execute(input),
    snapshot: async () => repository.snapshot(),
    close: async () => vault.close(),
  };
});
