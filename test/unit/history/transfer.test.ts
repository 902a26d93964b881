import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { exportFolder, exportTar } from '../../../src/history/export.ts';
import { importFolder } from '../../../src/history/import.ts';
import type { VaultRepository } from '../../../src/vault/vault-repository.ts';
import { fillFolder, filesIn } from '../../support/clear-git.ts';
import { temporaryFolder } from '../../support/git-repository.ts';
import { at, collect, commitChanges, contentsOf, createTmpVault, removePath, writeFile } from '../../support/tmp-vault.ts';

const folder = temporaryFolder();
let vault: VaultRepository;
beforeEach(async () => {
  ({ vault } = await createTmpVault(folder));
});
afterEach(() => vault.close());

const newFolder = () => mkdtempSync(join(folder, 'host-'));
const memory = async () => contentsOf(await vault.snapshot());

const FILES = { 'a.txt': 'one\n', 'deep/er/b.txt': 'two', 'deep/image.bin': '\x00\xff\x01', 'ünï "x".txt': 'three\r\n', 'empty.txt': '', '-dash': 'd' };

describe('import', () => {
  test('takes everything over as one commit, to the byte', async () => {
    const host = newFolder();
    fillFolder(host, FILES);
    mkdirSync(join(host, 'nothing', 'in here'), { recursive: true });
    const result = await importFolder(vault, host, { actor: 'operator', note: 'n', session: 's' });
    expect(result).toMatchObject({ files: 6, bytes: 18, skipped: [], commit: { op: 'import', sequence: 1, actor: 'operator', note: 'n', session: 's' } });
    expect(await memory()).toEqual({ ...FILES, 'nothing/in here/': '' });
  });

  test('replaces files of the same names, leaves others, and makes no commit of nothing', async () => {
    await writeFile(vault, 'a.txt', 'old');
    await writeFile(vault, 'b.txt', 'stays');
    const host = newFolder();
    fillFolder(host, { 'a.txt': 'new' });
    await importFolder(vault, host);
    expect(await memory()).toEqual({ 'a.txt': 'new', 'b.txt': 'stays' });
    expect((await importFolder(vault, host)).commit).toBeUndefined();
  });

  test('a folder that the SDK made comes in right', async () => {
    const host = newFolder();
    fillFolder(host, { 'memories/a.txt': 'one' });
    await importFolder(vault, host);
    expect(await memory()).toEqual({ 'a.txt': 'one' });
  });

  test('a folder that only happens to have a memories folder too does not lose its level', async () => {
    const host = newFolder();
    fillFolder(host, { 'memories/a.txt': 'one', 'b.txt': 'two' });
    await importFolder(vault, host, { into: at('in') });
    expect(await memory()).toEqual({ 'in/memories/a.txt': 'one', 'in/b.txt': 'two' });
  });

  test('what a memory cannot hold is left out and listed', async () => {
    await writeFile(vault, 'dir/x.txt', 'in the way');
    await writeFile(vault, 'file', 'in the way');
    const host = newFolder();
    const outside = newFolder();
    fillFolder(outside, { 'secret.txt': 'outside' });
    fillFolder(host, { 'ok.txt': 'ok', 'back\\slash/a.txt': 'x', 'new\nline': 'x', '%2e%2e': 'x', 'nfd/e\u0301.txt': 'first', 'nfd/\u00e9.txt': 'second', dir: 'x', 'file/below.txt': 'x' });
    // latin1 spelled those names; what is meant is their bytes.
    writeFileSync(Buffer.concat([Buffer.from(`${host}/`), Buffer.of(0x62, 0xff)]), 'x');
    symlinkSync(join(outside, 'secret.txt'), join(host, 'link.txt'));
    symlinkSync(outside, join(host, 'link'));
    execFileSync('mkfifo', [join(host, 'pipe')]);
    writeFileSync(join(host, 'big.bin'), '');
    truncateSync(join(host, 'big.bin'), 64 * 1024 * 1024 + 1);
    const { skipped } = await importFolder(vault, host);
    expect(Object.fromEntries(skipped.map(({ name, reason }) => [name, reason]))).toEqual({
      'back\\slash': 'backslash', 'new\nline': 'control', '%2e%2e': 'percent-encoded', 'nfd/\u00e9.txt': 'duplicate', 'b\ufffd': 'not-text',
      'link.txt': 'not-a-file', link: 'not-a-file', pipe: 'not-a-file', 'big.bin': 'too-large', dir: 'taken', 'file/below.txt': 'taken',
    });
    expect(await memory()).toEqual({ 'dir/x.txt': 'in the way', file: 'in the way', 'ok.txt': 'ok', 'nfd/\u00e9.txt': 'first' });
  });

  test('a folder that may not be read is left out and listed, as a file is', async () => {
    // Root may read everything, so the test is somebody else for as long as it takes.
    const isRoot = process.geteuid?.() === 0;
    const own = mkdtempSync(join(tmpdir(), 'memgit-test-'));
    chmodSync(own, 0o777);
    if (isRoot) process.seteuid!(65_534);
    try {
      const made = await createTmpVault(own);
      const host = mkdtempSync(join(own, 'host-'));
      fillFolder(host, { 'a.txt': 'a', 'closed/b.txt': 'b', 'closed.txt': 'c' });
      for (const name of ['closed', 'closed.txt']) chmodSync(join(host, name), 0);
      const skipped = ['closed', 'closed.txt'].map((name) => ({ name, reason: 'unreadable' }));
      expect(await importFolder(made.vault, host)).toMatchObject({ files: 1, skipped });
      expect(await contentsOf(await made.vault.snapshot())).toEqual({ 'a.txt': 'a' });
      await made.vault.close();
      chmodSync(join(host, 'closed'), 0o700);
    } finally {
      if (isRoot) process.seteuid!(0);
      rmSync(own, { recursive: true, force: true });
    }
  });

  test('a dry run only tells', async () => {
    const host = newFolder();
    fillFolder(host, FILES);
    expect(await importFolder(vault, host, { dryRun: true })).toEqual({ commit: undefined, files: 6, bytes: 18, skipped: [], paths: Object.keys(FILES).map((name) => `/memories/${name}`).sort() });
    expect(await memory()).toEqual({});
  });

  test('what is no folder is refused', async () => {
    await expect(importFolder(vault, join(newFolder(), 'none'))).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });
});

describe('export', () => {
  const fill = () => commitChanges(vault, [
    ...Object.entries(FILES).map(([path, text]) => ({ kind: 'write', path: at(path), content: Buffer.from(text, 'latin1') }) as const),
    { kind: 'makeDirectory', path: at('nothing/here') },
  ]);

  const onLinux = process.platform === 'linux' ? test : test.skip; // the places that refuse are Linux's
  onLinux('a place where no folder can be made is an error, not an endless try', async () => {
    await expect(exportFolder(vault, '/proc/memgit-test')).rejects.toMatchObject({ code: 'IO' });
  });

  test('as a folder and back again', async () => {
    await fill();
    const target = join(newFolder(), 'made', 'on the way');
    expect(await exportFolder(vault, target)).toEqual({ files: 6, bytes: 18, skipped: [] });
    expect(filesIn(target)).toEqual(FILES);
    expect(statSync(join(target, 'nothing/here')).isDirectory()).toBe(true);
    const before = await memory();
    await importFolder(vault, target);
    expect(await memory()).toEqual(before);
  });

  test('as a tar that tar unpacks, whatever the names', async () => {
    await fill();
    const long = `${'long/'.repeat(30)}${'n'.repeat(200)}.txt`;
    await writeFile(vault, long, 'far down');
    const target = newFolder();
    execFileSync('tar', ['-xf', '-'], { cwd: target, input: Buffer.concat(await collect(exportTar(vault))) });
    expect(filesIn(target)).toEqual({ ...FILES, [long]: 'far down' });
    expect(statSync(join(target, 'nothing/here')).isDirectory()).toBe(true);
    expect(statSync(join(target, 'a.txt')).mode & 0o777).toBe(0o600);
  });

  test('what git would take for a repository is left out and listed, in a folder and in a tar', async () => {
    const heads = { 'bare/HEAD': 'ref: refs/heads/main\n', 'other/head': 'ref:\trefs/x', 'third/HEAD': `${'0'.repeat(40)}\n` };
    const bad = ['.git', 'a/.GIT/config', 'b/.g\u200cit /hooks/x', 'c/git~1/config', 'd/.git::$INDEX_ALLOCATION/config'];
    const good = ['.gitignore', '.github/a', 'git/config', 'HEAD', 'bare/config', 'bare/objects/a', 'bare/refs/a'];
    for (const path of [...bad, ...good]) await writeFile(vault, path, path);
    for (const [path, text] of Object.entries(heads)) await writeFile(vault, path, text);
    bad.push(...Object.keys(heads));
    const target = newFolder();
    const { files, bytes, skipped } = await exportFolder(vault, target);
    expect(skipped.toSorted()).toEqual(bad.map((path) => `/memories/${path}`).toSorted());
    expect([files, bytes]).toEqual([good.length, good.join('').length]);
    expect(Object.keys(filesIn(target)).toSorted()).toEqual(good.toSorted());
    const [unpacked, archive] = [newFolder(), exportTar(vault)];
    const pieces: Uint8Array[] = [];
    let piece = await archive.next();
    for (; piece.done !== true; piece = await archive.next()) pieces.push(piece.value);
    expect(piece.value).toEqual({ files, bytes, skipped });
    execFileSync('tar', ['-xf', '-'], { cwd: unpacked, input: Buffer.concat(pieces) });
    expect(filesIn(unpacked)).toEqual(filesIn(target));
  });

  onLinux('an error of the file system names no path of the memory, nor does what caused it', async () => {
    await writeFile(vault, `${'secret/'.repeat(120)}a`, 'plain');
    const target = join(newFolder(), ...Array<string>(17).fill('d'.repeat(200)));
    const error: unknown = await exportFolder(vault, target).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'IO', details: { errno: 'ENAMETOOLONG', call: 'mkdir' } });
    expect(inspect(error, { depth: 9 })).not.toContain('secret');
  });

  test('the same commit gives the same tar', async () => {
    await fill();
    const [one, two] = [Buffer.concat(await collect(exportTar(vault))), Buffer.concat(await collect(exportTar(vault)))];
    expect(one.equals(two)).toBe(true);
    expect(one.length % 512).toBe(0);
  });

  test('of an earlier commit, of a folder, of a file', async () => {
    const then = await writeFile(vault, 'x/a.txt', 'old');
    await writeFile(vault, 'x/a.txt', 'new');
    await writeFile(vault, 'b.txt', 'b');
    const exported = async (options: Parameters<typeof exportFolder>[2]) => {
      const target = newFolder();
      await exportFolder(vault, target, options);
      return filesIn(target);
    };
    expect(await exported({ revision: then })).toEqual({ 'x/a.txt': 'old' });
    expect(await exported({ path: at('x') })).toEqual({ 'a.txt': 'new' });
    expect(await exported({ path: at('x/a.txt') })).toEqual({ 'a.txt': 'new' });
    await removePath(vault, 'x');
    await expect(exported({ path: at('x') })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('files are for their owner only', async () => {
    await fill();
    const target = join(newFolder(), 'target');
    await exportFolder(vault, target);
    expect(['', 'deep', 'a.txt'].map((name) => (statSync(join(target, name)).mode & 0o777).toString(8))).toEqual(['700', '700', '600']);
  });

  test('a folder that is not empty is refused, and with leave only files of the same names are replaced', async () => {
    await fill();
    const target = newFolder();
    fillFolder(target, { 'other.txt': 'stays', 'a.txt': 'goes' });
    chmodSync(join(target, 'a.txt'), 0o644);
    await expect(exportFolder(vault, target)).rejects.toMatchObject({ code: 'ALREADY_EXISTS' });
    expect(filesIn(target)).toEqual({ 'other.txt': 'stays', 'a.txt': 'goes' });
    await exportFolder(vault, target, { overwrite: true });
    expect(filesIn(target)).toEqual({ ...FILES, 'other.txt': 'stays' });
    expect(statSync(join(target, 'a.txt')).mode & 0o777).toBe(0o600);
  });

  test('links in the target lead nowhere', async () => {
    await commitChanges(vault, [{ kind: 'write', path: at('a.txt'), content: Buffer.from('a') }, { kind: 'write', path: at('deep/b.txt'), content: Buffer.from('b') }]);
    const outside = newFolder();
    fillFolder(outside, { 'a.txt': 'outside' });
    const target = newFolder();
    symlinkSync(join(outside, 'a.txt'), join(target, 'a.txt'));
    symlinkSync(outside, join(target, 'deep'));
    await expect(exportFolder(vault, target, { overwrite: true })).rejects.toMatchObject({ code: 'ALREADY_EXISTS' });
    expect(filesIn(outside)).toEqual({ 'a.txt': 'outside' });
    expect(readFileSync(join(target, 'a.txt'), 'utf8')).toBe('a');
  });
});
