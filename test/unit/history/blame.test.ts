import type { Oid } from '../../../src/git/objects.ts';
import { blame } from '../../../src/history/blame.ts';
import { restore } from '../../../src/history/restore.ts';
import { revert } from '../../../src/history/revert.ts';
import { temporaryFolder } from '../../support/git-repository.ts';
import { at, copyVault, createTmpVault, mergeCopy, removePath, renamePath, writeFile, type TmpVault } from '../../support/tmp-vault.ts';

const folder = temporaryFolder();
let tmp: TmpVault;
beforeEach(async () => {
  tmp = await createTmpVault(folder);
});
afterEach(() => tmp.vault.close());

const authors = async (path: string, revision?: Oid) => (await blame(tmp.vault, at(path), { revision })).map(({ text, oid }) => [text, oid]);

test('each line has the commit that wrote it, and what is known of that', async () => {
  const first = await writeFile(tmp.vault, 'a.txt', 'one\ntwo\n', { op: 'create', session: 's', toolUseId: 't', model: 'm', actor: 'x' });
  const second = await writeFile(tmp.vault, 'a.txt', 'one\n2\nthree', { op: 'str_replace' });
  expect(await blame(tmp.vault, at('a.txt'))).toEqual([
    { line: 1, text: 'one', oid: first, time: expect.stringMatching(/Z$/), op: 'create', path: '/memories/a.txt', session: 's', toolUseId: 't', model: 'm', actor: 'x' },
    { line: 2, text: '2', oid: second, time: expect.any(String), op: 'str_replace', path: '/memories/a.txt' },
    { line: 3, text: 'three', oid: second, time: expect.any(String), op: 'str_replace', path: '/memories/a.txt' },
  ]);
  expect(await authors('a.txt', first)).toEqual([['one', first], ['two', first]]);
});

test('through renames of the file and of its folder', async () => {
  const first = await writeFile(tmp.vault, 'old/a.txt', 'one\n');
  await renamePath(tmp.vault, 'old', 'new');
  const second = await writeFile(tmp.vault, 'new/a.txt', 'one\ntwo\n');
  await renamePath(tmp.vault, 'new/a.txt', 'b.txt');
  const lines = await blame(tmp.vault, at('b.txt'));
  expect(lines.map(({ oid, path }) => [oid, path])).toEqual([[first, '/memories/old/a.txt'], [second, '/memories/new/a.txt']]);
});

test('a line that a revert brings back is the one who first wrote it', async () => {
  const first = await writeFile(tmp.vault, 'a.txt', 'one\ntwo\nthree\n');
  const edit = await writeFile(tmp.vault, 'a.txt', 'one\nTWO\nthree\n');
  const last = await writeFile(tmp.vault, 'a.txt', 'one\nTWO\nthree\nfour\n');
  await revert(tmp.vault, { revisions: [edit] });
  expect(await authors('a.txt')).toEqual([['one', first], ['two', first], ['three', first], ['four', last]]);
});

test('so are the lines of a file that a revert or a restore brings back', async () => {
  const first = await writeFile(tmp.vault, 'a.txt', 'one\n');
  const gone = await removePath(tmp.vault, 'a.txt');
  await revert(tmp.vault, { revisions: [gone] });
  expect(await authors('a.txt')).toEqual([['one', first]]);
  await removePath(tmp.vault, 'a.txt');
  await restore(tmp.vault, first, [at('a.txt')]);
  expect(await authors('a.txt')).toEqual([['one', first]]);
});

test('a line written again after it was gone belongs to whoever wrote it again', async () => {
  await writeFile(tmp.vault, 'a.txt', 'one\n');
  await removePath(tmp.vault, 'a.txt');
  const again = await writeFile(tmp.vault, 'a.txt', 'one\n');
  expect(await authors('a.txt')).toEqual([['one', again]]);
});

test('both sides of a merge keep their lines', async () => {
  const base = await writeFile(tmp.vault, 'a.txt', '1\n2\n3\n4\n5\n');
  const theirs = await copyVault(tmp);
  const left = await writeFile(tmp.vault, 'a.txt', 'left\n2\n3\n4\n5\n');
  const right = await writeFile(theirs.vault, 'a.txt', '1\n2\n3\n4\nright\n');
  const merge = await mergeCopy(tmp, theirs, [{ kind: 'write', path: at('a.txt'), content: Buffer.from('left\n2\nmerge\n4\nright\n') }]);
  expect(await authors('a.txt')).toEqual([['left', left], ['2', base], ['merge', merge], ['4', base], ['right', right]]);
  await theirs.vault.close();
});

test('only the versions of this one file are opened', async () => {
  const other = Buffer.alloc(5000, 'other ');
  for (let i = 0; i < 5; i += 1) {
    await writeFile(tmp.vault, 'other.txt', Buffer.concat([other, Buffer.from(`${i}`)]));
    await writeFile(tmp.vault, 'a.txt', `${i}\n`);
  }
  const content = jest.spyOn(tmp.vault.entries, 'content');
  await blame(tmp.vault, at('a.txt'));
  expect(content).toHaveBeenCalledTimes(5);
});

test('what has no lines is refused, each in its own way', async () => {
  await writeFile(tmp.vault, 'd/image.bin', Uint8Array.of(0xff, 1));
  await expect(blame(tmp.vault, at('d/image.bin'))).rejects.toMatchObject({ code: 'NOT_TEXT' });
  await writeFile(tmp.vault, 'long.txt', '\n'.repeat(1_000_001));
  await expect(blame(tmp.vault, at('long.txt'))).rejects.toMatchObject({ code: 'TOO_LARGE', details: { limit: 1_000_000 } });
  await expect(blame(tmp.vault, at('d'))).rejects.toMatchObject({ code: 'NOT_A_FILE' });
  await expect(blame(tmp.vault, at('none'))).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
