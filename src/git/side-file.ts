/**
 * Files in memgit's own folder that only save time: whoever reads one has to check it, and can do without. So nothing here ever
 * fails, nothing is synced, and no lock is needed: a file is there whole, in some version, or it is not there.
 */
import { join } from 'node:path';
import type { Bytes } from '../bytes.ts';
import { temporaryPath } from './durable.ts';
import type { FileSystem } from './fs.ts';
import type { Layout } from './layout.ts';

/** What was last written under a name; `undefined` when there is nothing, or nothing that can be read within `maxBytes`. */
export async function readSideFile(fs: FileSystem, { own }: Layout, name: string, maxBytes: number): Promise<Bytes | undefined> {
  return fs.readFile(join(own, name), maxBytes).catch(() => undefined);
}

/**
 * Writes what `make` returns in place of the file before, if it has at most `maxBytes`. A writer of the repository may clear the
 * temporary away meanwhile; then nothing is written. The folder is left to writers: made by whoever only looks, root for one, it could be closed to them.
 */
export async function writeSideFile(fs: FileSystem, { own }: Layout, name: string, maxBytes: number, make: () => Bytes | undefined): Promise<void> {
  const temporary = temporaryPath(own);
  try {
    if (!(await fs.lstat(own))) return;
    const bytes = make();
    if (bytes === undefined || bytes.length > maxBytes) return;
    const file = await fs.create(temporary);
    try {
      await file.write(bytes);
    } finally {
      await file.close();
    }
    await fs.rename(temporary, join(own, name));
  } catch {
    // A full disk, a folder that is not ours, a temporary that was cleared away: all that is lost is time.
    await fs.unlink(temporary).catch(() => undefined);
  }
}
