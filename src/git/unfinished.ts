/**
 * Repositories that are built beside their place and renamed into it, or thrown away. Each holds a note of its maker from the
 * beginning, so that whoever builds in the same folder next can clear away what a process left that is provably dead.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { TEMPORARY_PREFIX, type NewFile } from './durable.ts';
import type { FileSystem } from './fs.ts';
import { layoutOf, type Layout } from './layout.ts';
import { encodeOwner, isDead, readOwner, type Owner } from './owner.ts';

const NAME = new RegExp(`^(?:incoming-|${TEMPORARY_PREFIX}(?:incoming-)?)[0-9a-f]{16}$`);

/** The first file to be written. */
export function makerNote(layout: Layout, maker: Owner): NewFile {
  return { path: notePath(layout), bytes: encodeOwner(maker) };
}

/** To be called when the repository is in its place. A note that stays there is a temporary, which the first to take the lock removes. */
export async function removeMakerNote(fs: FileSystem, layout: Layout): Promise<void> {
  await fs.unlink(notePath(layout)).catch(() => undefined);
}

export async function clearUnfinished(fs: FileSystem, folder: string): Promise<void> {
  await clearDead(fs, folder, NAME, (path) => notePath(layoutOf(path)));
}

/** Clears away the folders of such names whose makers are provably dead, by what is written down in each. */
export async function clearDead(fs: FileSystem, folder: string, named: RegExp, noteIn: (path: string) => string): Promise<void> {
  for (const name of (await fs.readdir(folder)) ?? []) {
    const path = join(folder, name);
    if (!named.test(name) || (await fs.lstat(path))?.kind !== 'directory') continue;
    const maker = await readOwner(fs, noteIn(path));
    if (maker && isDead(maker)) await rm(path, { recursive: true, force: true });
  }
}

function notePath({ own }: Layout): string {
  return join(own, `${TEMPORARY_PREFIX}maker`);
}
