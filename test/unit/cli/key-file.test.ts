/** A key file is on the disk, its name included, before anything relies on it. Seen to fail with the folder left unsynced. */
import { existsSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { renameKeyFile, writeKeyFile } from '../../../src/cli/key-file.ts';
import { nodeFileSystem } from '../../../src/git/fs.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'memgit-key-file-')));
afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** Which of some files were there, each time that their folder was synced. */
function watchSyncs(of: string, files: readonly string[]): string[][] {
  const seen: string[][] = [];
  const sync = nodeFileSystem.syncDirectory.bind(nodeFileSystem);
  jest.spyOn(nodeFileSystem, 'syncDirectory').mockImplementation(async (path) => {
    if (path === of) seen.push(files.filter((file) => existsSync(join(of, file))));
    await sync(path);
  });
  return seen;
}

test('the folder is synced when the file is in it, and again when it has its final name and before it loses the first', async () => {
  const keys = join(folder, 'keys');
  const seen = watchSyncs(keys, ['new.key', 'final.key']);
  await writeKeyFile(join(keys, 'new.key'), 'key', join(folder, 'store'));
  expect(seen.at(-1)).toEqual(['new.key']);
  await renameKeyFile(join(keys, 'new.key'), join(keys, 'final.key'));
  expect(seen).toContainEqual(['new.key', 'final.key']);
});

test('a folder may be reached through a link', async () => {
  symlinkSync(join(folder, 'keys'), join(folder, 'link'));
  await writeKeyFile(join(folder, 'link', 'linked.key'), 'key', join(folder, 'store'));
  await renameKeyFile(join(folder, 'link', 'linked.key'), join(folder, 'link', 'renamed.key'));
  expect(existsSync(join(folder, 'keys', 'renamed.key'))).toBe(true);
});
