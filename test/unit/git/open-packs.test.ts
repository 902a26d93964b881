/**
 * Packs that stay open for a moment. Seen to fail without the timer, with a timer that closes under a read, without the bound, with both of
 * two files kept that were opened at once, and with a repository that does not close them.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { nodeFileSystem, type FileSystem, type ReadHandle } from '../../../src/git/fs.ts';
import { OpenPacks } from '../../../src/git/open-packs.ts';
import { Repository } from '../../../src/git/repository.ts';
import { addFile, createSample, filesAt, temporaryFolder } from '../../support/git-repository.ts';

const gitdir = join(temporaryFolder(), 'user.git');

/** Counts what is open. */
class Folder {
  opened = 0;
  readonly open = new Set<ReadHandle>();
  readonly packs = new OpenPacks((name) => this.#open(name));
  readonly #slow: boolean;

  constructor({ slow = false } = {}) {
    this.#slow = slow;
  }

  async #open(name: string): Promise<ReadHandle | undefined> {
    if (this.#slow) await sleep(1);
    if (name === 'gone') return undefined;
    if (name === 'broken') throw new Error('broken');
    this.opened += 1;
    const handle: ReadHandle = {
      sizeBytes: 0,
      read: async () => new Uint8Array(),
      close: async () => {
        expect(this.open.delete(handle)).toBe(true);
      },
    };
    this.open.add(handle);
    return handle;
  }

  async use(name: string): Promise<boolean> {
    return (await this.packs.lend(name, async (pack) => this.open.has(pack))) ?? false;
  }
}

const closed = async (folder: Folder): Promise<void> => {
  while (folder.open.size > 0) await sleep(5);
};

test('one that is read again and again is opened once, and closed when that is over', async () => {
  const folder = new Folder();
  for (let i = 0; i < 5; i += 1) expect(await folder.use('a')).toBe(true);
  expect(folder.opened).toBe(1);
  await closed(folder);
  expect(await folder.use('a')).toBe(true);
  expect(folder.opened).toBe(2);
  await closed(folder);
});

test('of several that are opened at once by one name, one is kept', async () => {
  const folder = new Folder({ slow: true });
  expect(await Promise.all(['a', 'a', 'b', 'a'].map((name) => folder.use(name)))).toEqual([true, true, true, true]);
  expect(folder.open.size).toBeLessThanOrEqual(2);
  await closed(folder);
});

test('none is closed under a read, and none is forgotten after it', async () => {
  const folder = new Folder();
  let open: boolean | undefined;
  await folder.packs.lend('a', async (pack) => {
    await folder.packs.close();
    await folder.use('b');
    await sleep(100);
    open = folder.open.has(pack);
  });
  expect(open).toBe(true);
  expect(folder.open.size).toBe(0);
});

test('one that was closed under a read is opened anew for the next', async () => {
  const folder = new Folder();
  await folder.packs.lend('a', async () => {
    await folder.packs.close();
    expect(await folder.use('a')).toBe(true);
  });
  expect(folder.opened).toBe(2);
  await closed(folder);
});

test('one that is gone or cannot be opened leaves nothing behind', async () => {
  const folder = new Folder();
  expect(await folder.packs.lend('gone', async () => 1)).toBeUndefined();
  await expect(folder.use('broken')).rejects.toThrow('broken');
  await expect(folder.packs.lend('a', async () => Promise.reject(new Error('unreadable')))).rejects.toThrow('unreadable');
  await folder.packs.close();
  expect(folder.open.size).toBe(0);
});

test('thousands of repositories hold only so many open', async () => {
  const folders = Array.from({ length: 50 }, () => new Folder());
  let most = 0;
  for (const folder of folders) {
    for (const name of ['a', 'b', 'c']) expect(await folder.use(name)).toBe(true);
    most = Math.max(most, folders.reduce((sum, { open }) => sum + open.size, 0));
  }
  expect(most).toBeLessThanOrEqual(65);
  await Promise.all(folders.map(closed));
});

test('a repository has nothing open once it is closed', async () => {
  const handles = new Set<ReadHandle>();
  const fs: FileSystem = {
    ...nodeFileSystem,
    open: async (path) => {
      const handle = await nodeFileSystem.open(path);
      if (handle) handles.add(handle);
      return handle && { ...handle, close: async () => { handles.delete(handle); await handle.close(); } };
    },
  };
  const made = await createSample(gitdir);
  for (const name of ['a', 'b', 'c']) await addFile(made, name, name);
  await made.close();
  const repository = await Repository.open(gitdir, { fs });
  expect([...(await filesAt(repository, await repository.head())).keys()]).toContain('c');
  expect(handles.size).toBeGreaterThan(0);
  await repository.close();
  expect(handles.size).toBe(0);
  expect(readdirSync(join(gitdir, 'objects/pack')).filter((name) => name.endsWith('.pack'))).toHaveLength(4);
});
