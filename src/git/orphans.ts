/**
 * Files of packs without an index, which nobody reads: a process died between giving a pack its name and giving one to its index, or
 * between taking away the one and the other. To be called under the lock.
 */
import { join } from 'node:path';
import type { FileSystem } from './fs.ts';

/** git does not know this lock: a pack of its own may be about to get its index. */
const ORPHAN_AGE_MS = 86_400_000;
const PACK_FILE = /^pack-([0-9a-f]{40})\.(?:pack|rev|idx|keep)$/;

export async function removeOrphans(fs: FileSystem, packs: string, nowMs = Date.now()): Promise<void> {
  const names = (await fs.readdir(packs)) ?? [];
  const held = new Set(names.flatMap((name) => (/\.(?:pack|rev)$/.test(name) ? [] : (PACK_FILE.exec(name)?.[1] ?? []))));
  for (const name of names) {
    const pack = PACK_FILE.exec(name)?.[1];
    if (pack === undefined || held.has(pack)) continue;
    const stat = await fs.lstat(join(packs, name));
    if (stat?.kind === 'file' && nowMs - stat.modifiedMs > ORPHAN_AGE_MS) await fs.unlink(join(packs, name));
  }
}
