/**
 * Makes a vault from a backup, on a machine that has nothing but an address and a key: all of the history is fetched beside its
 * place, checked, and then put there in one step. Until that step there is nothing.
 */
import { dirname } from 'node:path';
import { toHex } from '../bytes.ts';
import { MemgitError } from '../errors.ts';
import { makeFolders } from '../git/create.ts';
import { nodeFileSystem } from '../git/fs.ts';
import type { Oid } from '../git/objects.ts';
import { Quarantine } from '../git/quarantine.ts';
import { becomeRepository } from '../git/receive.ts';
import type { Remote } from '../git/remotes.ts';
import { openTransport } from '../git/open-transport.ts';
import type { TransportOptions } from '../git/transport.ts';
import { SharedCache, WALK_CACHE_BYTES } from '../vault/cache.ts';
import { claimedKeyring } from '../vault/identify.ts';
import type { Keyring } from '../vault/keyring.ts';
import type { Unlock, VaultKeys } from '../vault/keys.ts';
import { checkKind } from '../vault/kinds.ts';
import { VaultReaders } from '../vault/readers.ts';
import { checkIncoming } from './incoming.ts';

export interface CloneOptions extends TransportOptions {
  /** Where the backup is, and the name that it gets here. */
  readonly remote: Remote;
  /** A folder, made if it is missing, on the disk where the vault is to be. Work is done in it. */
  readonly folder: string;
  /** Says where the vault's repository is to be, or throws when it is not the vault that is wanted. */
  readonly place: (keys: VaultKeys) => string | Promise<string>;
  /** Finds the way into the vault that a keyring claims to be of. */
  readonly unlock: (keyring: Keyring) => Promise<Unlock>;
  /** The vault that it must be (64 hex digits), where that is known; otherwise the first clone is trusted to be the right one. */
  readonly repositoryId?: string | undefined;
}

export interface Cloned {
  readonly gitdir: string;
  readonly head: Oid;
  readonly commits: number;
  readonly userId: string;
}

/**
 * @throws NOT_FOUND when the remote is empty; STORE_EXISTS when there is something at the place; what `unlock` and `place` throw
 * @throws REMOTE_UNREACHABLE, REMOTE_REFUSED, ABORTED, TOO_LARGE; ALTERED, CORRUPT, UNSUPPORTED_VERSION, WRONG_KEY
 */
export async function cloneVault(options: CloneOptions): Promise<Cloned> {
  const { remote, folder, signal, onProgress } = options;
  const fs = nodeFileSystem;
  const transport = await openTransport(remote.url, options);
  await makeFolders(fs, folder);
  const quarantine = await Quarantine.create(fs, folder, undefined);
  try {
    const head = await transport.fetch(quarantine, [], checkKind);
    if (head === undefined) throw new MemgitError('NOT_FOUND', 'expected a vault at the address of the remote, found an empty repository');
    const unlock = await options.unlock(await claimedKeyring(head, (oid) => quarantine.read(oid)));
    const { keys, commits } = await checkIncoming(head, quarantine, (read) => new VaultReaders(read, new SharedCache(WALK_CACHE_BYTES).forVault(), unlock), {
      commits: 'head',
      signal,
      onProgress: (done) => onProgress?.({ phase: 'checking commits', done, total: undefined }),
    });
    if (options.repositoryId !== undefined && toHex(keys.repositoryId) !== options.repositoryId) throw anotherVault(options.repositoryId, toHex(keys.repositoryId));
    const gitdir = await options.place(keys);
    await makeFolders(fs, dirname(gitdir));
    await becomeRepository(fs, quarantine, gitdir, head, remote);
    return { gitdir, head, commits, userId: keys.userId };
  } finally {
    await quarantine.discard();
  }
}

function anotherVault(expected: string, got: string): MemgitError {
  return new MemgitError('ALTERED', 'expected the remote to hold the vault of the given repository id, found another one; check the address of the remote', { details: { expected, got, from: 'remote' } });
}
