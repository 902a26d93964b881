/**
 * Builds a new repository complete in a temporary sibling folder, syncs all of it, and renames it into place: at every moment
 * there is either nothing or a whole repository with its first commit. Of two creators at once exactly one wins.
 */
import { dirname, join } from 'node:path';
import { MemgitError, isMemgitError } from '../errors.ts';
import { CONFIG_TEXT } from './config.ts';
import { temporaryPath, writeDurably } from './durable.ts';
import type { FileSystem } from './fs.ts';
import { MAIN, layoutOf, type Layout } from './layout.ts';
import { oidOf, type GitObject, type Oid } from './objects.ts';
import { describeSelf } from './owner.ts';
import { assemblePack, encodePackEntry } from './pack-write.ts';
import { encodeRef } from './refs.ts';
import { clearUnfinished, makerNote, removeMakerNote } from './unfinished.ts';

/** What a new repository holds: objects without repeats, and among them the commit that the branch begins with. */
export interface FirstCommit {
  readonly objects: readonly GitObject[];
  readonly head: Oid;
}

/** Missing folders above are made too. @throws STORE_EXISTS when there is anything at the place */
export async function createRepository(fs: FileSystem, gitdir: string, first: FirstCommit): Promise<void> {
  if (!first.objects.some(({ type, body }) => oidOf(type, body) === first.head)) {
    throw new TypeError('expected the first commit to be among the objects');
  }
  await assertFree(fs, gitdir);
  const parent = dirname(gitdir);
  await makeFolders(fs, parent);
  await clearUnfinished(fs, parent);
  const building = layoutOf(temporaryPath(parent));
  try {
    await build(fs, building, first);
    await fs.rename(building.gitdir, gitdir);
  } catch (error) {
    await removeTree(fs, building.gitdir);
    await assertFree(fs, gitdir);
    throw error;
  }
  await removeMakerNote(fs, layoutOf(gitdir));
  await fs.syncDirectory(parent);
}

async function build(fs: FileSystem, layout: Layout, first: FirstCommit): Promise<void> {
  const folders = [layout.gitdir, layout.objects, layout.packs, dirname(layout.heads), layout.heads, layout.own];
  for (const folder of folders) await fs.mkdir(folder);
  const pack = assemblePack(await Promise.all(first.objects.map(encodePackEntry)));
  await writeDurably(fs, [
    makerNote(layout, describeSelf()),
    { path: layout.head, bytes: Buffer.from(`ref: ${MAIN}\n`) },
    { path: layout.config, bytes: Buffer.from(CONFIG_TEXT) },
    { path: layout.main, bytes: encodeRef(first.head) },
    { path: join(layout.packs, `pack-${pack.name}.pack`), bytes: pack.pack },
    { path: join(layout.packs, `pack-${pack.name}.idx`), bytes: pack.index },
  ]);
  await Promise.all(folders.map((folder) => fs.syncDirectory(folder)));
}

export async function assertFree(fs: FileSystem, gitdir: string): Promise<void> {
  if ((await fs.lstat(gitdir)) === undefined) return;
  throw new MemgitError('STORE_EXISTS', 'expected nothing at the place of the new repository, found something; open it instead');
}

/** Makes what is missing of a path, durably. */
export async function makeFolders(fs: FileSystem, path: string): Promise<void> {
  const parent = dirname(path);
  if ((await fs.lstat(path)) !== undefined) {
    // Whoever made it may have died, or have yet to, before its name was on the disk.
    await syncNames(fs, parent);
    return;
  }
  await makeFolders(fs, parent);
  await fs.mkdir(path);
  await fs.syncDirectory(parent);
}

/** Makes the names in a folder durable, unless it cannot be opened: then it is not one of memgit's, but the place that somebody chose. */
export async function syncNames(fs: FileSystem, folder: string): Promise<void> {
  try {
    await fs.syncDirectory(folder);
  } catch (error) {
    if (!isMemgitError(error, 'IO') || error.details['errno'] !== 'EACCES') throw error;
  }
}

/** Removes a folder with all that is in it; links in it are not followed. */
export async function removeTree(fs: FileSystem, folder: string): Promise<void> {
  for (const name of (await fs.readdir(folder)) ?? []) {
    const path = join(folder, name);
    if ((await fs.lstat(path))?.kind === 'directory') await removeTree(fs, path);
    else await fs.unlink(path);
  }
  await fs.rmdir(folder);
}
