/** Says which vault and which store a repository claims to be of, before there is a key: a clone comes without its store. */
import { MemgitError } from '../errors.ts';
import { decodeCommit } from '../git/commit.ts';
import type { GitObject, Oid } from '../git/objects.ts';
import { Repository, type RepositoryOptions } from '../git/repository.ts';
import { decodeKeyring, type Keyring } from './keyring.ts';
import { bodyOf } from './tree-reader.ts';
import { decodeRoot } from './tree.ts';

/**
 * Reads the keyring of a repository's head. Nothing but its grammar and its chain of signing keys has been checked: it is a
 * claim until the vault is opened with a key.
 *
 * @throws VAULT_NOT_FOUND, UNSUPPORTED_REPOSITORY, UNSUPPORTED_VERSION, CORRUPT
 */
export async function readClaimedKeyring(gitdir: string, options: RepositoryOptions = {}): Promise<Keyring> {
  const repository = await Repository.open(gitdir, options);
  try {
    return await claimedKeyring(await repository.head(), (oid) => repository.read(oid));
  } catch (error) {
    if (error instanceof MemgitError && error.code === 'CORRUPT') {
      throw new MemgitError('CORRUPT', `the repository is not a memgit vault, or is damaged: ${error.message}`, { details: error.details, cause: error });
    }
    throw error;
  } finally {
    await repository.close();
  }
}

/** As `readClaimedKeyring`, of any commit and wherever the objects are. */
export async function claimedKeyring(head: Oid, read: (oid: Oid) => Promise<GitObject>): Promise<Keyring> {
  const { tree } = decodeCommit(bodyOf(await read(head), 'commit', head));
  const { keyring } = decodeRoot(bodyOf(await read(tree), 'tree', tree));
  return decodeKeyring(bodyOf(await read(keyring), 'blob', keyring));
}
