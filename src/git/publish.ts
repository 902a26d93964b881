/**
 * Puts a mutation on the disk in the one order that survives a crash at any point. To be called under the lock.
 *
 *     1. pack, index and the ref's new value, under temporary names, synced together
 *     2. pack and index renamed into place, their folder synced
 *     3. the ref's new value renamed over the ref, its folder synced
 *
 * So the ref never moves before what it points to is durable. A failure before the rename of step 3 leaves the state before.
 */
import { MemgitError } from '../errors.ts';
import { orRemove, temporaryPath, writeDurably, type NewFile } from './durable.ts';
import type { FileSystem } from './fs.ts';
import { MAIN, type Layout } from './layout.ts';
import type { ObjectStore } from './object-store.ts';
import type { Oid } from './objects.ts';
import { PackIndex } from './pack-index.ts';
import type { Pack } from './pack-write.ts';
import { encodeRef, readRef } from './refs.ts';

/** Where one repository stands, and what it holds. */
export interface Place {
  readonly fs: FileSystem;
  readonly layout: Layout;
  readonly store: ObjectStore;
}

/** Steps 1 and 2. `others` are written and synced with the pack, and removed with it when something fails. */
export async function publishPack({ fs, layout, store }: Place, pack: Pack, others: readonly NewFile[] = []): Promise<void> {
  const packFile = { path: temporaryPath(layout.packs), bytes: pack.pack };
  const indexFile = { path: temporaryPath(layout.packs), bytes: pack.index };
  const files = [packFile, indexFile, ...others];
  await writeDurably(fs, files);
  await orRemove(fs, files, async () => {
    await fs.rename(packFile.path, store.pathOf(pack.name, 'pack'));
    await fs.rename(indexFile.path, store.pathOf(pack.name, 'idx'));
    await fs.syncDirectory(layout.packs);
  });
  store.add(pack.name, new PackIndex(pack.index));
}

/**
 * All three steps: moves the branch from one commit to the next, bringing the objects that are new.
 * @throws LOCKED when the ref is not at `from` any more: a program that ignores git's lock files moved it; nothing was changed
 * @throws IO; with `outcome: 'unknown'` in its details when the ref has moved but may not survive a power cut
 */
export async function publishHead(place: Place, pack: Pack | undefined, from: Oid, to: Oid): Promise<void> {
  const { fs, layout } = place;
  const refFile = { path: temporaryPath(layout.own), bytes: encodeRef(to) };
  if (pack === undefined) await writeDurably(fs, [refFile]);
  else await publishPack(place, pack, [refFile]);
  await orRemove(fs, [refFile], async () => {
    // Objects that are there already may have been put there by who died before they were durable.
    if (pack === undefined) await fs.syncDirectory(layout.packs);
    const now = await readRef(fs, layout.gitdir, MAIN);
    if (now !== from) throw movedUnderLock(from, now);
    await fs.rename(refFile.path, layout.main);
  });
  try {
    await fs.syncDirectory(layout.heads);
  } catch (cause) {
    const message = `expected to sync the moved ref, but that failed; the change is made and may not survive a power cut: look before doing it again`;
    throw new MemgitError('IO', message, { details: { outcome: 'unknown', head: to }, cause });
  }
}

function movedUnderLock(from: Oid, now: Oid | undefined): MemgitError {
  const message = `expected ${MAIN} to stay at ${from} under its lock, found ${now ?? 'no ref'}; stop the program that ignores git's lock files`;
  return new MemgitError('LOCKED', message, { details: { expected: from, got: now ?? '' } });
}
