/** File systems for `VaultRepository`: they count syncs, or the files that are read, or never sync, to build test data fast. */
import type { FileSystem } from '../src/git/fs.ts';

export interface SyncCount {
  files: number;
  folders: number;
}

export function countingSyncs(fs: FileSystem): { readonly fs: FileSystem; readonly syncs: SyncCount } {
  const syncs: SyncCount = { files: 0, folders: 0 };
  const counting = withSyncs(
    fs,
    async (sync) => {
      syncs.files += 1;
      await sync();
    },
    async (path) => {
      syncs.folders += 1;
      await fs.syncDirectory(path);
    },
  );
  return { fs: counting, syncs };
}

/** Counts the files that are opened to be read; what reads a whole file opens it too. */
export function countingReads(fs: FileSystem): { readonly fs: FileSystem; readonly reads: { files: number } } {
  const reads = { files: 0 };
  const open = async (path: string) => {
    reads.files += 1;
    return fs.open(path);
  };
  return { fs: { ...fs, open }, reads };
}

/** What is written with this may be lost in a power cut. */
export function withoutSyncs(fs: FileSystem): FileSystem {
  return withSyncs(fs, async () => undefined, async () => undefined);
}

function withSyncs(fs: FileSystem, syncFile: (sync: () => Promise<void>) => Promise<void>, syncDirectory: FileSystem['syncDirectory']): FileSystem {
  return {
    ...fs,
    syncDirectory,
    create: async (path) => {
      const handle = await fs.create(path);
      return { ...handle, sync: () => syncFile(() => handle.sync()) };
    },
  };
}
