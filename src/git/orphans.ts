/**
 * Packs without an index, which nobody reads: a process died between giving a pack its name and giving one to its index, or between
 * taking away the one and the other; or the index was lost, by a bad disk or a restore that was not whole. A pack that holds only what is
 * found elsewhere too is removed; of anything else this may be the only copy. To be called under the lock.
 */
import { join } from 'node:path';
import { isMemgitError } from '../errors.ts';
import { orRemove, temporaryPath, writeDurably } from './durable.ts';
import { oidOf, type Oid } from './objects.ts';
import { PackIndex } from './pack-index.ts';
import { receivePack } from './pack-receive.ts';
import type { Pack } from './pack-write.ts';
import type { Place } from './publish.ts';

/** git does not know this lock: a pack of its own may be about to get its index. */
const ORPHAN_AGE_MS = 86_400_000;
/** A larger one stays as it is: it would have to be held in memory to be looked into. */
const MAX_EXAMINED_BYTES = 256 * 1024 * 1024;
const PACK_FILE = /^pack-([0-9a-f]{40})\.(?:pack|rev|idx|keep)$/;

export async function removeOrphans(place: Place): Promise<void> {
  const { fs, layout: { packs } } = place;
  const names = (await fs.readdir(packs)) ?? [];
  const held = new Set(names.flatMap((name) => (/\.(?:pack|rev)$/.test(name) ? [] : (PACK_FILE.exec(name)?.[1] ?? []))));
  for (const name of names) {
    const pack = PACK_FILE.exec(name)?.[1];
    if (pack === undefined || held.has(pack)) continue;
    const path = join(packs, name);
    const stat = await fs.lstat(path);
    if (stat?.kind !== 'file' || Date.now() - stat.modifiedMs <= ORPHAN_AGE_MS) continue;
    if (name.endsWith('.rev') || (stat.sizeBytes <= MAX_EXAMINED_BYTES && !(await isKept(place, pack, path)))) await fs.unlink(path);
  }
}

/**
 * Whether a pack may hold what is nowhere else: one that is damaged may. One of memgit's own that is whole gets its index again, git's
 * are left to `git index-pack`.
 */
async function isKept(place: Place, name: string, path: string): Promise<boolean> {
  const { fs, layout, store } = place;
  const oids: Oid[] = [];
  let content: Pack | undefined;
  try {
    content = await receivePack((await fs.readFile(path, MAX_EXAMINED_BYTES)) ?? new Uint8Array(), ({ type, body }) => oids.push(oidOf(type, body)));
  } catch (error) {
    if (isMemgitError(error, 'CORRUPT') || isMemgitError(error, 'TOO_LARGE')) return true;
    throw error;
  }
  await store.rescan();
  let missing = false;
  for (const oid of oids) missing ||= !(await store.holdsWhole(oid));
  if (!missing || content?.name !== name) return missing;
  const index = { path: temporaryPath(layout.packs), bytes: content.index };
  await writeDurably(fs, [index]);
  await orRemove(fs, [index], async () => fs.rename(index.path, store.pathOf(name, 'idx')));
  await fs.syncDirectory(layout.packs);
  store.add(name, new PackIndex(content.index));
  return true;
}
