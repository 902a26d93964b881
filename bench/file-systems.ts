/** File systems for `VaultRepository`: one that counts the syncs of another, and one that never syncs, to build test data fast. */
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
