/** A vault from a backup and a key, on a machine that has nothing else: as a repository of its own, or in a store. */
import { join } from 'node:path';
import { toHex } from './bytes.ts';
import { absolutePath, assertObject, assertPatience, assertText } from './checks.ts';
import { ready } from './crypto/sodium.ts';
import { MemgitError } from './errors.ts';
import { nodeFileSystem } from './git/fs.ts';
import type { TransportOptions } from './git/transport.ts';
import { credentialOf, type KeyOptions } from './key.ts';
import { refuseLinks, vaultFolder } from './store.ts';
import { cloneVault, type Cloned } from './sync/clone.ts';
import { DEFAULT_REMOTE } from './sync/remote.ts';
import type { Keyring } from './vault/keyring.ts';
import { decodeStoreFile, encodeStoreFile, openStoreSlots, vaultWrapKey } from './vault/store-file.ts';
import { readStoreFile, writeStoreFile } from './vault/store-folder.ts';

export interface CloneLocation extends KeyOptions, TransportOptions {
  readonly url: string;
  /** What the backup is called here. Default `origin`. */
  readonly remote?: string | undefined;
  /** Where the repository is to be. Either this or `store`. */
  readonly gitdir?: string | undefined;
  /** The folder of a store that the vault is put in; the store is made when it is not there. */
  readonly store?: string | undefined;
  /** The user whose vault it must be. */
  readonly userId?: string | undefined;
  /** The repository id that it must have (64 hex digits). Whoever knows it cannot be given another vault that the key opens. */
  readonly repositoryId?: string | undefined;
}

/**
 * Clones a vault. Until all of it has been checked there is nothing at its place.
 *
 * @throws STORE_EXISTS when there is something at the place; ALTERED when it is another vault than asked for, or was altered
 * @throws KEY_MISSING, KEY_MALFORMED, WRONG_KEY, DAMAGED_SLOT, NOT_FOUND for an empty remote, REMOTE_UNREACHABLE, REMOTE_REFUSED, CORRUPT
 */
export async function clone(location: CloneLocation): Promise<Cloned> {
  assertObject('location', location);
  const { url, remote = DEFAULT_REMOTE, userId, repositoryId, key, passphrase, gitdir: givenGitdir, store: givenStore, ...transport } = location;
  if ((givenGitdir === undefined) === (givenStore === undefined)) throw new TypeError('expected either a gitdir or a store to clone into');
  assertText('url', url);
  assertPatience(transport);
  const gitdir = givenGitdir === undefined ? undefined : absolutePath('gitdir', givenGitdir);
  const store = givenStore === undefined ? undefined : absolutePath('store', givenStore);
  await ready;
  let secret: Uint8Array | undefined;
  return cloneVault({
    ...transport,
    remote: { name: remote, url },
    repositoryId,
    folder: store ?? join(gitdir!, '..'),
    unlock: async (claimed) => {
      secret = await openStoreSlots(claimed.store, await credentialOf({ key, passphrase }, toHex(claimed.store.id)));
      return { wrapKey: vaultWrapKey(secret, claimed.vaultId) };
    },
    place: async ({ keyring, userId: found }) => {
      if (userId !== undefined && found !== userId) throw new MemgitError('ALTERED', 'expected the vault of the user asked for, found that of another user; check the address of the remote', { details: { from: 'remote' } });
      if (store === undefined) return gitdir!;
      await joinStore(store, keyring, secret!);
      await refuseLinks(store, toHex(keyring.vaultId));
      return vaultFolder(store, toHex(keyring.vaultId));
    },
  });
}

/** The store that a vault is of must be the one in the folder; where there is none, it is made from what the vault knows of it. */
async function joinStore(dir: string, { store }: Keyring, secret: Uint8Array): Promise<void> {
  const found = await readStoreFile(nodeFileSystem, dir);
  // Somebody else may be making another store there at the same moment.
  const { identity } = decodeStoreFile(found ?? (await writeStoreFile(nodeFileSystem, dir, encodeStoreFile({ identity: store, secret }))));
  if (toHex(identity.id) === toHex(store.id)) return;
  throw new MemgitError('INVALID_ARGUMENT', 'expected the folder of the store that the vault is of, got that of another store; choose another folder', {
    details: { expected: toHex(store.id), got: toHex(identity.id) },
  });
}
