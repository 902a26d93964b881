/**
 * Takes what a remote sent, once it has been checked, from its quarantine into a repository, and moves the refs that memgit
 * keeps for itself. To be called under the lock. Objects come first and are durable before a ref names them.
 */
import { dirname, join } from 'node:path';
import { MemgitError } from '../errors.ts';
import { CONFIG_TEXT } from './config.ts';
import { assertFree } from './create.ts';
import { orRemove, temporaryPath, writeDurably } from './durable.ts';
import type { FileSystem } from './fs.ts';
import { layoutOf, type Layout } from './layout.ts';
import type { Oid } from './objects.ts';
import type { Place } from './publish.ts';
import type { Quarantine } from './quarantine.ts';
import { encodeRef, MAX_PACKED_REFS_BYTES, readPackedRefs, withoutPackedRef } from './refs.ts';
import { withRemote, type Remote } from './remotes.ts';
import { removeMakerNote } from './unfinished.ts';

/** Moves the packs over; those who made them have synced them. */
export async function takeOver({ fs, layout, store }: Place, quarantine: Quarantine): Promise<void> {
  const names = [...quarantine.store.packs.keys()];
  for (const name of names) {
    // A pack without its index is nothing yet.
    for (const extension of ['pack', 'idx'] as const) await fs.rename(quarantine.store.pathOf(name, extension), store.pathOf(name, extension));
  }
  // Also when none came: somebody may have taken them over before and have failed, or died, at this very sync.
  await fs.syncDirectory(layout.packs);
  if (names.length > 0) await store.rescan();
}

/** The ref that remembers where the branch of a remote was seen; no default refspec of git touches it. */
export function seenRef(remote: string): string {
  return `refs/memgit/seen/${remote}`;
}

/**
 * Makes a quarantine the repository at `gitdir`, complete with its branch, its remote and where the remote was seen: there is
 * either nothing at that place or all of it. @throws STORE_EXISTS when there is something
 */
export async function becomeRepository(fs: FileSystem, quarantine: Quarantine, gitdir: string, head: Oid, remote: Remote): Promise<void> {
  const { layout } = quarantine;
  await quarantine.release();
  await setOwnRef(fs, layout, seenRef(remote.name), head);
  await replaceFile(fs, layout, layout.config, Buffer.from(withRemote(CONFIG_TEXT, remote), 'latin1'));
  await replaceFile(fs, layout, layout.main, encodeRef(head));
  for (const folder of [layout.packs, layout.objects, dirname(layout.heads), layout.gitdir]) await fs.syncDirectory(folder);
  await assertFree(fs, gitdir);
  await fs.rename(layout.gitdir, gitdir);
  await removeMakerNote(fs, layoutOf(gitdir));
  await fs.syncDirectory(dirname(gitdir));
}

/** Sets a ref of memgit's own, below `refs/memgit/`, whatever it was before. */
export async function setOwnRef(fs: FileSystem, layout: Layout, name: string, oid: Oid): Promise<void> {
  const path = pathOfOwnRef(layout, name);
  for (const folder of foldersDownTo(layout.gitdir, path)) if (await fs.mkdir(folder)) await fs.syncDirectory(dirname(folder));
  await replaceFile(fs, layout, path, encodeRef(oid));
}

/**
 * Removes a ref of memgit's own; an absent one is fine.
 *
 * @param owner the file of who holds the lock of the branch
 * @throws LOCKED when it is packed and another program is packing refs
 */
export async function removeOwnRef(fs: FileSystem, layout: Layout, name: string, owner: string): Promise<void> {
  const path = pathOfOwnRef(layout, name);
  // First of all the packed one, which would count again as soon as the loose one is gone.
  if ((await readPackedRefs(fs, layout.gitdir)).has(name)) await removePackedRef(fs, layout, name, owner);
  await fs.unlink(path);
}

/** Under git's own lock of the file, which says as that of the branch does whose it is: nobody else would clear it away. */
async function removePackedRef(fs: FileSystem, layout: Layout, name: string, owner: string): Promise<void> {
  const lock = layout.packedRefsLock;
  if (!(await fs.link(owner, lock))) {
    throw new MemgitError('LOCKED', `expected the lock of packed-refs, but another program, such as git, holds it; wait for it, or, when you know that it does not run any more, remove ${lock}`);
  }
  try {
    const bytes = await fs.readFile(layout.packedRefs, MAX_PACKED_REFS_BYTES);
    if (bytes) await replaceFile(fs, layout, layout.packedRefs, withoutPackedRef(bytes, name));
  } finally {
    await fs.unlink(lock);
  }
}

/** Writes a small file whole, durably, in place of the one that stands there. */
export async function replaceFile(fs: FileSystem, layout: Layout, path: string, bytes: Uint8Array): Promise<void> {
  const file = { path: temporaryPath(layout.own), bytes };
  await writeDurably(fs, [file]);
  await orRemove(fs, [file], async () => fs.rename(file.path, path));
  await fs.syncDirectory(dirname(path));
}

function pathOfOwnRef({ gitdir }: Layout, name: string): string {
  if (!/^refs\/memgit\/[a-z]+\/[A-Za-z0-9._-]+$/.test(name) || name.includes('..')) throw new TypeError('expected a ref below refs/memgit');
  return join(gitdir, name);
}

/** The folders between `top` and a path below it, uppermost first. */
function foldersDownTo(top: string, path: string): string[] {
  const folders: string[] = [];
  for (let folder = dirname(path); folder !== top; folder = dirname(folder)) folders.unshift(folder);
  return folders;
}
