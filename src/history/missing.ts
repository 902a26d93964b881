/** Says of a path that is not in a commit whether it ever was, and in which commit it went. */
import { MemgitError } from '../errors.ts';
import type { Oid } from '../git/objects.ts';
import type { MemoryPath } from '../vault/path.ts';
import type { VaultRepository } from '../vault/vault-repository.ts';
import { followPath } from './follow.ts';

/** Returns NOT_FOUND; `details.removedIn` is the oid of the commit that removed or renamed it, absent when it never existed. */
export async function pathMissing(vault: VaultRepository, at: Oid, path: MemoryPath): Promise<MemgitError> {
  for await (const { oid, changed } of followPath(vault, at, path)) {
    if (!changed) continue;
    return new MemgitError('NOT_FOUND', `expected a path that is in this commit, got one that was removed or renamed in ${oid}; name an earlier commit`, {
      details: { removedIn: oid },
    });
  }
  return new MemgitError('NOT_FOUND', 'expected a path of this memory, got one that never existed in it; check its spelling');
}
