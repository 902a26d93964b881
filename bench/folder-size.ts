/** What folders and repositories take on the disk. */
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const BLOCK_BYTES = 512;

/** All files and folders below, in whole blocks, as `du` counts them. */
export function folderBytes(dir: string): number {
  let bytes = lstatSync(dir).blocks * BLOCK_BYTES;
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name);
    bytes += entry.isDirectory() ? folderBytes(path) : lstatSync(path).blocks * BLOCK_BYTES;
  }
  return bytes;
}

/** The packs of a repository, their indexes and whatever else stands beside them. */
export function packBytes(gitdir: string): number {
  const packs = join(gitdir, 'objects', 'pack');
  return readdirSync(packs).reduce((sum, name) => sum + lstatSync(join(packs, name)).size, 0);
}
