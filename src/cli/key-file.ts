/** Key files: one line of text, readable by their owner only, kept away from the store and from anything that gets committed. */
import type { Stats } from 'node:fs';
import { chmod, link, lstat, open, readFile, realpath, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { MemgitError } from '../errors.ts';
import type { Context } from './context.ts';
import type { Io } from './io.ts';
import { userFolder } from './user-folder.ts';

/** Where a key of that name is kept when nothing else is said; `undefined` when there is no such place. */
export function defaultKeyFile(env: Io['env'], name: string): string | undefined {
  const folder = userFolder(env, 'XDG_CONFIG_HOME');
  return folder && join(folder, `${name}.key`);
}

/**
 * Reads the first line of a file that holds a secret. Warns when others can read it; a mounted secret often has to be
 * readable, so that is no reason to refuse.
 *
 * @throws KEY_MISSING when the file is not there or is empty
 */
export async function readSecretFile(context: Context, path: string): Promise<string> {
  const { stats, text } = await readKeyFile(path);
  if (stats.isFile() && (stats.mode & 0o077) !== 0) context.warn(`others can read ${path}; chmod 600 it`);
  const [line = ''] = text.split(/\r?\n/);
  if (line === '') throw new MemgitError('KEY_MISSING', `expected a key in ${path}, got an empty first line`);
  return line;
}

export async function exists(path: string): Promise<boolean> {
  return (await lstatIfThere(path)) !== undefined;
}

/**
 * Writes a new key file, 0600 and on the disk when this returns; it never replaces one.
 *
 * @throws INVALID_ARGUMENT when the place is inside the store or inside a git work tree; ALREADY_EXISTS
 */
export async function writeKeyFile(path: string, key: string, store: string): Promise<void> {
  await refusePlace(await realPlace(dirname(path)), await realPlace(store));
  // Loaded here, since the program starts with this file and seldom writes a key.
  const { makeFolders, nodeFileSystem } = await import('./library.ts');
  await makeFolders(nodeFileSystem, resolve(dirname(path)));
  const file = await open(path, 'wx', 0o600).catch((error: unknown) => {
    throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? new MemgitError('ALREADY_EXISTS', `there is already a file at ${path}`) : error;
  });
  try {
    await file.writeFile(`${key}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await chmod(path, 0o600);
  await syncNamesIn(path);
}

/** Gives a key file its final name, on the disk too, without replacing another. */
export async function renameKeyFile(from: string, to: string): Promise<void> {
  await link(from, to);
  await syncNamesIn(to);
  await unlink(from);
}

/** Until the folder is synced, a power cut takes a file's name away, and with it the key of what was acknowledged since. */
async function syncNamesIn(path: string): Promise<void> {
  const { nodeFileSystem, syncNames } = await import('./library.ts');
  await syncNames(nodeFileSystem, await realPlace(dirname(path)));
}

async function refusePlace(folder: string, store: string): Promise<void> {
  const fromStore = relative(store, folder);
  if (!/^\.\.(?:\/|$)/.test(fromStore)) {
    throw new MemgitError('INVALID_ARGUMENT', 'a key inside its store would be backed up with it; choose another place with --key-file');
  }
  for (let at = folder; ; at = dirname(at)) {
    if (await exists(join(at, '.git'))) {
      throw new MemgitError('INVALID_ARGUMENT', `a key below ${at} could be committed to git by mistake; choose another place with --key-file`);
    }
    if (at === dirname(at)) return;
  }
}

/** Where a folder is, or will be once it is made, with links followed. */
async function realPlace(folder: string): Promise<string> {
  if (await exists(folder)) return realpath(folder);
  const path = resolve(folder);
  return join(await realPlace(dirname(path)), basename(path));
}

async function readKeyFile(path: string): Promise<{ stats: Stats; text: string }> {
  try {
    return { stats: await stat(path), text: await readFile(path, 'utf8') };
  } catch (error) {
    throw new MemgitError('KEY_MISSING', `expected a key file at ${path}, found none that can be read`, { cause: error });
  }
}

async function lstatIfThere(path: string) {
  return lstat(path).catch((error: unknown) => {
    // Below a file there is nothing, either.
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  });
}
