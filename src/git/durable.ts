/** Writes new files so that they are on the disk, not only on their way there. Names are made durable by syncing the folder, later. */
import { randomBytes } from 'node:crypto';
import type { Bytes } from '../bytes.ts';
import type { FileSystem } from './fs.ts';

export interface NewFile {
  readonly path: string;
  readonly bytes: Bytes;
}

/** Begins every temporary name; git's own prune takes `tmp_*` in the pack folder for junk. */
export const TEMPORARY_PREFIX = 'tmp_memgit_';

/** Returns a path in the folder that nobody else will use. It has no extension, as git takes every `*.idx` for an index. */
export function temporaryPath(folder: string): string {
  return `${folder}/${TEMPORARY_PREFIX}${randomBytes(8).toString('hex')}`;
}

export function isTemporary(name: string): boolean {
  return name.startsWith(TEMPORARY_PREFIX);
}

/** Creates the files and syncs them all at the same time, which costs little more than one sync. When one fails, none is left. */
export async function writeDurably(fs: FileSystem, files: readonly NewFile[]): Promise<void> {
  const results = await Promise.allSettled(files.map((file) => writeFile(fs, file)));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed === undefined) return;
  await removeQuietly(fs, files);
  throw failed.reason;
}

/** Does what comes next with written files; when that fails, removes those still under their temporary names. */
export async function orRemove(fs: FileSystem, files: readonly NewFile[], action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    await removeQuietly(fs, files);
    throw error;
  }
}

async function writeFile(fs: FileSystem, { path, bytes }: NewFile): Promise<void> {
  const handle = await fs.create(path);
  try {
    await handle.write(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A failure to tidy up must not hide the failure before it; what stays is cleared by the next one to take the lock. */
async function removeQuietly(fs: FileSystem, files: readonly NewFile[]): Promise<void> {
  await Promise.allSettled(files.map(({ path }) => fs.unlink(path)));
}
