import { execFileSync } from 'node:child_process';
import type * as nodeFs from 'node:fs';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeFileSystem as fs } from '../../../src/git/fs.ts';
import { temporaryFolder } from '../../support/git-repository.ts';

const folder = temporaryFolder();
const at = (name: string): string => join(folder, name);
writeFileSync(at('file'), '12345');
mkdirSync(at('folder'));
symlinkSync(at('file'), at('link'));
execFileSync('mkfifo', [at('pipe')]);

test('a file is read whole up to a size, and no further', async () => {
  expect(Buffer.from((await fs.readFile(at('file'), 5))!).toString()).toBe('12345');
  await expect(fs.readFile(at('file'), 4)).rejects.toMatchObject({ code: 'CORRUPT' });
});

// Everything else that looks at durability plays with a disk of its own, so nothing else would notice. Seen to fail with either sync left out.
test('a sync asks the disk, of a file and of a folder', async () => {
  const real = jest.requireActual<typeof nodeFs>('node:fs');
  const synced: bigint[] = [];
  const spy = jest.spyOn(real, 'fsync').mockImplementation((fd, done) => {
    synced.push(real.fstatSync(fd, { bigint: true }).ino);
    done(null);
  });
  await jest.isolateModulesAsync(async () => {
    const { nodeFileSystem } = await import('../../../src/git/fs.ts');
    const file = await nodeFileSystem.create(at('synced'));
    await file.write(Buffer.from('x'));
    await file.sync();
    await file.close();
    await nodeFileSystem.syncDirectory(at('folder'));
  });
  spy.mockRestore();
  expect(synced).toEqual([at('synced'), at('folder')].map((path) => real.lstatSync(path, { bigint: true }).ino));
});

test('what is absent or taken is a value and not an error', async () => {
  expect(await fs.readFile(at('absent'), 5)).toBeUndefined();
  expect(await fs.readFile(at('file/below'), 5)).toBeUndefined();
  expect(await fs.lstat(at('absent'))).toBeUndefined();
  expect(await fs.readdir(at('absent'))).toBeUndefined();
  expect(await fs.mkdir(at('folder'))).toBe(false);
  expect(await fs.link(at('file'), at('folder'))).toBe(false);
  await fs.unlink(at('absent'));
  await fs.rmdir(at('absent'));
});

test('neither a link nor a pipe is read, and a pipe does not hold the process', async () => {
  await expect(fs.readFile(at('link'), 5)).rejects.toMatchObject({ code: 'IO', details: { errno: 'ELOOP' } });
  await expect(fs.readFile(at('pipe'), 5)).rejects.toMatchObject({ code: 'CORRUPT' });
  await expect(fs.readFile(at('folder'), 5)).rejects.toMatchObject({ code: 'CORRUPT' });
  expect((await fs.lstat(at('link')))?.kind).toBe('other');
});

test('any other failure says which call failed, and keeps its cause', async () => {
  const cause = expect.objectContaining({ code: 'EEXIST' });
  await expect(fs.create(at('file'))).rejects.toMatchObject({ code: 'IO', details: { call: 'create', errno: 'EEXIST' }, cause });
  await expect(fs.create(at('link'))).rejects.toMatchObject({ code: 'IO' });
  await expect(fs.rename(at('absent'), at('b'))).rejects.toMatchObject({ code: 'IO', details: { call: 'rename', errno: 'ENOENT' } });
});
