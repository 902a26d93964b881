/**
 * What merging packs and replacing them have in common: which packs may be touched, reading one whole, and taking packs away
 * once everything in them is elsewhere. To be called under the lock.
 */
import { join } from 'node:path';
import * as zlib from 'node:zlib';
import { isMemgitError } from '../errors.ts';
import { removeTree } from './create.ts';
import type { ReadHandle } from './fs.ts';
import { oidOf } from './objects.ts';
import { isWholeEntry, readEntryBytes, readWholeEntry } from './pack-read.ts';
import type { PackEntry } from './pack-write.ts';
import type { ObjectStore } from './object-store.ts';
import type { Place } from './publish.ts';

const OWN_FILE = /^pack-[0-9a-f]{40}\.(?:pack|idx|rev)$/;
/** The index, and the beginning of the names of what belongs to it. */
const MULTI_PACK_INDEX = 'multi-pack-index';

/** The packs that git has marked (.keep and the like), or made something for (.bitmap), by name. */
export async function markedPacks({ fs, layout }: Place): Promise<Set<string>> {
  const marked = new Set<string>();
  for (const file of (await fs.readdir(layout.packs)) ?? []) {
    const name = /^pack-([0-9a-f]{40})\./.exec(file)?.[1];
    if (name !== undefined && !OWN_FILE.test(file)) marked.add(name);
  }
  return marked;
}

/** Reads every entry of a pack as it stands; `undefined` when one is a delta or damaged, or the pack is gone. */
export async function readWholeEntries(store: ObjectStore, name: string): Promise<PackEntry[] | undefined> {
  const index = store.packs.get(name);
  const pack = index && (await store.openPack(name));
  if (index === undefined || pack === undefined) return undefined;
  try {
    const entries: PackEntry[] = [];
    // One read instead of one for each entry: packs that are merged are small.
    const content = await pack.read(0, pack.sizeBytes);
    const held: ReadHandle = { ...pack, read: async (position, length) => content.subarray(position, position + length) };
    for (const { oid, offset, crc32 } of index.entries()) {
      const bytes = await readEntryBytes(held, index, offset);
      if (!isWholeEntry(bytes) || zlib.crc32(bytes) !== crc32) return undefined;
      entries.push({ oid, bytes, crc32 });
    }
    return entries;
  } catch (error) {
    if (!isMemgitError(error, 'CORRUPT')) throw error;
    return undefined;
  } finally {
    await pack.close();
  }
}

/** Tells whether what an entry unpacks to is the object that it is listed as. */
export function holdsItsObject({ oid, bytes }: PackEntry): boolean {
  try {
    const { type, body } = readWholeEntry(bytes);
    return oidOf(type, body) === oid;
  } catch (error) {
    if (!isMemgitError(error, 'CORRUPT')) throw error;
    return false;
  }
}

/** Index first, so that no index is ever without its pack. git's index over all packs goes too: it would name packs that are gone. */
export async function removePacks(place: Place, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await removeMultiPackIndex(place);
  const { fs, store } = place;
  for (const name of names) {
    for (const extension of ['idx', 'rev', 'bitmap', 'pack'] as const) await fs.unlink(store.pathOf(name, extension));
    store.forget(name);
  }
}

/** A file, what belongs to it, and from git 2.47 on a folder of several. */
async function removeMultiPackIndex({ fs, layout }: Place): Promise<void> {
  const [file, chain] = await Promise.all(['', '.d'].map(async (end) => fs.lstat(join(layout.packs, MULTI_PACK_INDEX + end))));
  if (file === undefined && chain === undefined) return;
  for (const name of (await fs.readdir(layout.packs)) ?? []) {
    if (!name.startsWith(MULTI_PACK_INDEX)) continue;
    const path = join(layout.packs, name);
    if ((await fs.lstat(path))?.kind === 'directory') await removeTree(fs, path);
    else await fs.unlink(path);
  }
}
