import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeFileSystem } from '../../../src/git/fs.ts';
import { Repository } from '../../../src/git/repository.ts';
import { createSample, temporaryFolder } from '../../support/git-repository.ts';

const folder = temporaryFolder();
let count = 0;
let gitdir: string;
let repository: Repository;
beforeEach(async () => {
  gitdir = join(folder, `${(count += 1)}.git`);
  repository = await createSample(gitdir);
});
afterEach(() => repository.close());

const own = () => join(gitdir, 'memgit');
const read = async (maxBytes = 100) => (await repository.readSideFile('notes', maxBytes))?.toString();
const write = async (text: string, to = repository) => to.writeSideFile('notes', 100, () => Buffer.from(text));

test('what was written last is read back', async () => {
  expect(await read()).toBeUndefined();
  for (const text of ['first', 'second']) {
    await write(text);
    expect(await read()).toBe(text);
  }
  expect(readdirSync(own()).filter((name) => name.startsWith('tmp'))).toEqual([]);
});

test('the folder is not made: it could be closed to those who write', async () => {
  rmSync(own(), { recursive: true });
  await write('text');
  expect(existsSync(own())).toBe(false);
});

test('closing waits for what is being written', async () => {
  const writing = write('text');
  await repository.close();
  expect([await read(), readdirSync(own())]).toEqual(['text', ['notes']]);
  await writing;
});

test('what cannot be made is not written, and nothing is said', async () => {
  await write('before');
  await repository.writeSideFile('notes', 100, () => { throw new Error('planted'); });
  await repository.writeSideFile('notes', 100, () => undefined);
  expect(await read()).toBe('before');
});

test('what cannot be read is as good as none', async () => {
  await write('long');
  expect(await read(3)).toBeUndefined();
  mkdirSync(join(own(), 'folder'));
  writeFileSync(join(folder, 'elsewhere'), 'secret');
  symlinkSync(join(folder, 'elsewhere'), join(own(), 'link'));
  for (const name of ['folder', 'link']) expect(await repository.readSideFile(name, 100)).toBeUndefined();
});

test('what could not be read again is not written', async () => {
  await write('x'.repeat(100));
  await write('y'.repeat(101));
  expect(await read()).toBe('x'.repeat(100));
});

test('a link in its place is replaced, and what it points to stays', async () => {
  mkdirSync(own(), { recursive: true });
  const target = join(folder, 'target');
  writeFileSync(target, 'theirs');
  symlinkSync(target, join(own(), 'notes'));
  await write('ours');
  expect([await read(), readFileSync(target, 'utf8')]).toEqual(['ours', 'theirs']);
});

test.each(['create', 'write', 'close', 'rename'])('when %s fails nothing is said, and nothing is left behind', async (call) => {
  const fail = () => Promise.reject(new Error('planted'));
  const fs = {
    ...nodeFileSystem,
    ...(call === 'create' || call === 'rename' ? { [call]: fail } : {}),
    ...(call === 'write' || call === 'close' ? { create: async (path: string) => ({ ...(await nodeFileSystem.create(path)), [call]: fail }) } : {}),
  };
  const faulty = await Repository.open(gitdir, { fs });
  await write('text', faulty);
  expect(await read()).toBeUndefined();
  expect(readdirSync(own())).toEqual([]);
  await faulty.close();
});

test('a repository that was opened read-only, or closed, writes nothing', async () => {
  const make = jest.fn(() => Buffer.from('text'));
  const readOnly = await Repository.open(gitdir, { readOnly: true });
  await readOnly.writeSideFile('notes', 100, make);
  await readOnly.close();
  await repository.close();
  await repository.writeSideFile('notes', 100, make);
  expect(await read()).toBeUndefined();
  expect(make).not.toHaveBeenCalled();
});
