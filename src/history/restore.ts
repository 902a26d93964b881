/** Sets the memory, or some of its files and folders, to what it was at an earlier commit, as one new commit. */
import { MemgitError } from '../errors.ts';
import { ancestorsOf, ROOT, type MemoryPath } from '../vault/path.ts';
import type { VaultRepository } from '../vault/vault-repository.ts';
import { writeBench, type UndoOptions, type UndoResult } from './bench-commit.ts';
import { listSnapshot } from './listing.ts';
import { pathMissing } from './missing.ts';
import { resolveRevision } from './revision.ts';
import { Workbench } from './workbench.ts';

/**
 * Something that did not exist then is removed.
 *
 * @param paths files and folders; the whole memory when there are none
 * @throws BAD_REVISION; NOT_FOUND when a path is neither there now nor was then; NOT_A_DIRECTORY when a file now stands
 *   where a folder above a path was
 */
export async function restore(vault: VaultRepository, revision: string, paths: readonly MemoryPath[] = [], options: UndoOptions = {}): Promise<UndoResult> {
  const oid = await resolveRevision(vault, revision);
  const then = await vault.snapshot(oid);
  const wanted = paths.length > 0 ? paths : [ROOT];
  return writeBench(vault, options, async (snapshot) => {
    const bench = new Workbench(await listSnapshot(snapshot));
    for (const path of wanted) {
      const [was, is] = [await then.stat(path), await snapshot.stat(path)];
      if (!was && !is) throw await pathMissing(vault, oid, path);
      if (was && ancestorsOf(path).some((ancestor) => bench.file(ancestor))) {
        throw new MemgitError('NOT_A_DIRECTORY', 'expected a folder above the path to restore, found a file; restore the folder instead');
      }
      bench.replace(path, await listSnapshot(then, path));
    }
    return { bench, op: 'restore', paths: wanted, targets: [oid] };
  });
}
