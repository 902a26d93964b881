import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { diff } from '../../../src/history/diff.ts';
import { formatPatch } from '../../../src/history/patch.ts';
import type { VaultRepository } from '../../../src/vault/vault-repository.ts';
import { fillFolder, filesIn } from '../../support/clear-git.ts';
import { temporaryFolder } from '../../support/git-repository.ts';
import { at, commitChanges, createTmpVault, renamePath, writeFile } from '../../support/tmp-vault.ts';

const folder = temporaryFolder();
let vault: VaultRepository;
beforeEach(async () => {
  ({ vault } = await createTmpVault(folder));
});
afterEach(() => vault.close());

const NUMBERS = Array.from({ length: 20 }, (_, i) => `${i + 1}\n`).join('');

test('a patch of every kind of change is the text that git would write, but for the quoted space', async () => {
  await commitChanges(vault, [
    { kind: 'write', path: at('changed.txt'), content: Buffer.from(NUMBERS) },
    { kind: 'write', path: at('gone.txt'), content: Buffer.from('gone') },
    { kind: 'write', path: at('moved.txt'), content: Buffer.from('moves\n') },
  ]);
  await commitChanges(vault, [
    { kind: 'write', path: at('changed.txt'), content: Buffer.from(NUMBERS.replace('2\n', 'two\n').replace('\n20\n', '\n20')) },
    { kind: 'remove', path: at('gone.txt') },
    { kind: 'move', from: at('moved.txt'), to: at('to/ö "x".txt') },
    { kind: 'write', path: at('with space.txt'), content: Buffer.from('new\n') },
    { kind: 'write', path: at('empty.txt'), content: new Uint8Array() },
  ]);
  expect(formatPatch(await diff(vault, 'HEAD~1'))).toBe(`diff --git a/changed.txt b/changed.txt
index 0ff3bbb..c6dae7e 100644
--- a/changed.txt
+++ b/changed.txt
@@ -1,5 +1,5 @@
 1
-2
+two
 3
 4
 5
@@ -17,4 +17,4 @@
 17
 18
 19
-20
+20
\\ No newline at end of file
diff --git a/empty.txt b/empty.txt
new file mode 100644
index 0000000..e69de29
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
index bc99ab0..0000000
--- a/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
-gone
\\ No newline at end of file
diff --git a/moved.txt "b/to/\\303\\266 \\"x\\".txt"
similarity index 100%
rename from moved.txt
rename to "to/\\303\\266 \\"x\\".txt"
diff --git "a/with space.txt" "b/with space.txt"
new file mode 100644
index 0000000..3e75765
--- /dev/null
+++ "b/with space.txt"
@@ -0,0 +1 @@
+new
`);
});

test.each([
  ['git apply', 'git', ['apply', '-']],
  ['patch', 'patch', ['-p1', '-s']],
])('%s takes a patch with odd names, empty files and missing newlines', async (_, program, args) => {
  const before: Record<string, string> = { 'a b/c.txt': 'one\ntwo', 'empty.txt': '', 'q"uote.txt': 'x\n', 'crlf.txt': 'a\r\nb\r\n', 'fill.txt': '', 'drain.txt': 'all\n' };
  const after: Record<string, string> = { 'a b/c.txt': 'one\ntwo\n', 'q"uote.txt': 'y', 'crlf.txt': 'a\r\nB\r\n', 'new empty.txt': '', 'fill.txt': 'all', 'drain.txt': '', '-dash.txt': '--\n++\n' };
  await commitChanges(vault, Object.entries(before).map(([path, text]) => ({ kind: 'write', path: at(path), content: Buffer.from(text) })));
  await commitChanges(vault, [
    ...Object.keys(before).filter((path) => !(path in after)).map((path) => ({ kind: 'remove', path: at(path) }) as const),
    ...Object.entries(after).map(([path, text]) => ({ kind: 'write', path: at(path), content: Buffer.from(text) }) as const),
  ]);
  const target = mkdtempSync(join(folder, 'apply-'));
  fillFolder(target, before);
  const env = { PATH: process.env['PATH'], GIT_CEILING_DIRECTORIES: folder };
  execFileSync(program, args, { cwd: target, input: formatPatch(await diff(vault, 'HEAD~1')), stdio: 'pipe', env });
  expect(filesIn(target)).toEqual(after);
});

test('a binary file is said to differ', async () => {
  await writeFile(vault, 'image.bin', Uint8Array.of(1, 0xff, 2));
  await writeFile(vault, 'image.bin', Uint8Array.of(1, 0xff, 3, 4));
  const [file] = await diff(vault, 'HEAD~1');
  expect(file).toMatchObject({ binary: true, hunks: [], sizeBefore: 3, sizeAfter: 4, addedLines: 0 });
  expect(formatPatch([file!])).toBe('diff --git a/image.bin b/image.bin\nindex 5660b55..cb6e23c 100644\nBinary files a/image.bin and b/image.bin differ\n');
});

test('nothing is hidden by a NUL, and git and patch take the patch', async () => {
  await writeFile(vault, 'nul.txt', 'a\0b\nc\n');
  const before = await vault.head();
  await writeFile(vault, 'nul.txt', 'a\0b\nc\0d\n');
  const patch = formatPatch(await diff(vault, before.oid));
  for (const [program, ...args] of [['git', 'apply', '-'], ['patch', '-p1', '-s']]) {
    const target = mkdtempSync(join(folder, 'nul-'));
    fillFolder(target, { 'nul.txt': 'a\0b\nc\n' });
    execFileSync(program!, args, { cwd: target, input: patch, stdio: 'pipe', env: { PATH: process.env['PATH'], GIT_CEILING_DIRECTORIES: folder } });
    expect(filesIn(target)).toEqual({ 'nul.txt': 'a\0b\nc\0d\n' });
  }
});

test('empty directories are told, and left out of a patch', async () => {
  await commitChanges(vault, [{ kind: 'makeDirectory', path: at('empty') }]);
  const files = await diff(vault, 'HEAD~1');
  expect(files).toMatchObject([{ change: 'added', entry: 'directory', path: '/memories/empty' }]);
  expect(formatPatch(files)).toBe('');
});

test('a file and a directory that take each other\'s place are two changes', async () => {
  await writeFile(vault, 'a', 'file\n');
  await commitChanges(vault, [{ kind: 'remove', path: at('a') }, { kind: 'write', path: at('a/b'), content: Buffer.from('inside\n') }]);
  expect((await diff(vault, 'HEAD~1')).map(({ change, path }) => [change, path])).toEqual([['removed', '/memories/a'], ['added', '/memories/a/b']]);
});

test('a file that was renamed and edited between two commits is one change', async () => {
  await writeFile(vault, 'a.txt', NUMBERS);
  await renamePath(vault, 'a.txt', 'b.txt');
  await renamePath(vault, 'b.txt', 'c.txt');
  await writeFile(vault, 'c.txt', NUMBERS.replace('7\n', 'seven\n'));
  expect(await diff(vault, 'HEAD~3')).toMatchObject([{ change: 'renamed', from: '/memories/a.txt', path: '/memories/c.txt', contentChanged: true, addedLines: 1, removedLines: 1 }]);
  expect(await diff(vault, 'HEAD', 'HEAD~3')).toHaveLength(2);
});

test('only a path, and as much context as is asked for', async () => {
  await commitChanges(vault, [{ kind: 'write', path: at('in/a.txt'), content: Buffer.from(NUMBERS) }, { kind: 'write', path: at('out.txt'), content: Buffer.from('x') }]);
  await commitChanges(vault, [
    { kind: 'write', path: at('in/a.txt'), content: Buffer.from(NUMBERS.replace('5\n', '').replace('9\n', '')) },
    { kind: 'write', path: at('out.txt'), content: Buffer.from('y') },
  ]);
  const hunksWith = async (context: number) => (await diff(vault, 'HEAD~1', 'HEAD', { path: at('in'), context })).map(({ hunks }) => hunks.map(({ oldStart, oldLines, newStart, newLines }) => [oldStart, oldLines, newStart, newLines]));
  expect(await hunksWith(0)).toEqual([[[5, 1, 4, 0], [9, 1, 7, 0]]]);
  expect(await hunksWith(1)).toEqual([[[4, 3, 4, 2], [8, 3, 7, 2]]]);
  // Three lines lie between the two, so with a context of two they touch.
  expect(await hunksWith(2)).toEqual([[[3, 9, 3, 7]]]);
});

test('huge files that have nothing in common, and one huge line, are compared all the same', async () => {
  const many = (word: string) => Buffer.from(Array.from({ length: 100_000 }, (_, i) => `${word} ${i}\n`).join(''));
  await commitChanges(vault, [{ kind: 'write', path: at('lines.txt'), content: many('old') }, { kind: 'write', path: at('line.txt'), content: Buffer.alloc(10_000_000, 'a') }]);
  await commitChanges(vault, [{ kind: 'write', path: at('lines.txt'), content: many('new') }, { kind: 'write', path: at('line.txt'), content: Buffer.alloc(10_000_000, 'b') }]);
  expect((await diff(vault, 'HEAD~1')).map(({ addedLines, removedLines }) => [addedLines, removedLines])).toEqual([[1, 1], [100_000, 100_000]]);
});
