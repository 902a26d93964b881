/** Counts what the objects of a repository take on the disk. */
import { join } from 'node:path';
import type { FileSystem } from './fs.ts';
import type { Layout } from './layout.ts';

export interface RepositoryStats {
  readonly packs: number;
  readonly looseObjects: number;
  /** The sizes of all files of the object folder, not rounded up to blocks. */
  readonly bytesOnDisk: number;
}

export async function measureObjects(fs: FileSystem, { objects }: Layout): Promise<RepositoryStats> {
  let [packs, looseObjects, bytesOnDisk] = [0, 0, 0];
  for (const folder of (await fs.readdir(objects)) ?? []) {
    for (const name of (await fs.readdir(join(objects, folder))) ?? []) {
      bytesOnDisk += (await fs.lstat(join(objects, folder, name)))?.sizeBytes ?? 0;
      if (folder === 'pack' && /^pack-[0-9a-f]{40}\.pack$/.test(name)) packs += 1;
      if (/^[0-9a-f]{2}$/.test(folder) && /^[0-9a-f]{38}$/.test(name)) looseObjects += 1;
    }
  }
  return { packs, looseObjects, bytesOnDisk };
}
