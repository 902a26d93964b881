/** Stores and vaults for the bench, as a host program would have them, but with a file system and a clock that can be chosen. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { toHex } from '../src/bytes.ts';
import { parseKey } from '../src/crypto/key-text.ts';
import { nodeFileSystem, type FileSystem } from '../src/git/fs.ts';
import { generateKey } from '../src/key.ts';
import { openStore } from '../src/store.ts';
import { openStoreFile, vaultIdOf, vaultWrapKey } from '../src/vault/store-file.ts';
import { VaultRepository } from '../src/vault/vault-repository.ts';
import { Vault } from '../src/vault.ts';

export const USER = 'agent';

/** A store with one user's vault in it. */
export interface BenchStore {
  readonly dir: string;
  /** In text form. */
  readonly key: string;
  readonly gitdir: string;
  readonly wrapKey: Uint8Array;
}

export interface OpenVault {
  readonly vault: Vault;
  readonly repository: VaultRepository;
}

export interface World {
  readonly fs?: FileSystem;
  readonly clock?: () => number;
}

/** Makes a store in the folder `dir` with an empty vault, and opens that. */
export async function makeStore(dir: string, world: World = {}): Promise<BenchStore & OpenVault> {
  const key = await generateKey();
  await (await openStore({ dir, key })).close();
  const { identity, secret } = await openStoreFile(readFileSync(join(dir, 'store.json')), { key: parseKey(key) });
  const vaultId = vaultIdOf(secret, USER);
  const wrapKey = vaultWrapKey(secret, vaultId);
  const name = toHex(vaultId);
  const gitdir = join(dir, 'users', name.slice(0, 2), name.slice(2, 4), `${name}.git`);
  const repository = await VaultRepository.create(gitdir, { userId: USER, vaultId, store: identity, wrapKey }, withDefaults(world));
  return { dir, key, gitdir, wrapKey, ...wrap(gitdir, repository) };
}

export async function openVault({ gitdir, wrapKey }: BenchStore, world: World = {}): Promise<OpenVault> {
  return wrap(gitdir, await VaultRepository.open(gitdir, { wrapKey }, withDefaults(world)));
}

function wrap(gitdir: string, repository: VaultRepository): OpenVault {
  return { vault: new Vault(gitdir, repository, { policy: 'off' }), repository };
}

function withDefaults({ fs = nodeFileSystem, clock = Date.now }: World): Required<World> {
  return { fs, clock };
}
