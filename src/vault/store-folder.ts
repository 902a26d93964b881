/** The one file that a store has beside its vaults: reading it, and putting it in place once and for all. Knows nothing of what it says. */
import { join } from 'node:path';
import type { Bytes } from '../bytes.ts';
import { MemgitError } from '../errors.ts';
import { makeFolders } from '../git/create.ts';
import { isTemporary, orRemove, temporaryPath, writeDurably } from '../git/durable.ts';
import type { FileSystem } from '../git/fs.ts';

const STORE_FILE = 'store.json';
const MAX_STORE_FILE_BYTES = 1024 * 1024;

/**
 * The bytes of `store.json`; `undefined` when the folder is absent, or empty but for what a dead process left.
 *
 * @throws STORE_INVALID when it is a file, or holds other things
 */
export async function readStoreFile(fs: FileSystem, dir: string): Promise<Bytes | undefined> {
  const stat = await fs.lstat(join(dir, '.'));
  if (stat === undefined) return undefined;
  if (stat.kind !== 'directory') throw new MemgitError('STORE_INVALID', 'expected the folder of a store, got a file');
  const bytes = await fs.readFile(join(dir, STORE_FILE), MAX_STORE_FILE_BYTES);
  if (bytes !== undefined) return bytes;
  const names = ((await fs.readdir(dir)) ?? []).filter((name) => !isTemporary(name));
  if (names.length > 0) {
    throw new MemgitError('STORE_INVALID', `expected ${STORE_FILE} or an empty folder, got a folder with other things in it; choose another place`);
  }
  return undefined;
}

/** Makes the folder and the file, durably. Returns what the file holds then: of two makers one wins, and both get what that one made. */
export async function writeStoreFile(fs: FileSystem, dir: string, bytes: Bytes): Promise<Bytes> {
  await makeFolders(fs, dir);
  const temporary = temporaryPath(dir);
  const path = join(dir, STORE_FILE);
  try {
    await writeDurably(fs, [{ path: temporary, bytes }]);
    // A link fails where a rename would replace.
    await fs.link(temporary, path);
  } finally {
    await fs.unlink(temporary);
  }
  await fs.syncDirectory(dir);
  return (await fs.readFile(path, MAX_STORE_FILE_BYTES)) ?? bytes;
}

/** Writes the file anew, durably and in one step. */
export async function replaceStoreFile(fs: FileSystem, dir: string, bytes: Bytes): Promise<void> {
  const file = { path: temporaryPath(dir), bytes };
  await writeDurably(fs, [file]);
  await orRemove(fs, [file], async () => fs.rename(file.path, join(dir, STORE_FILE)));
  await fs.syncDirectory(dir);
}
