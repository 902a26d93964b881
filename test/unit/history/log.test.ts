import type { Oid } from '../../../src/git/objects.ts';
import { log, type LogFilter } from '../../../src/history/log.ts';
import { revert } from '../../../src/history/revert.ts';
import { show, showFile } from '../../../src/history/show.ts';
import { temporaryFolder } from '../../support/git-repository.ts';
import { at, collect, commitChanges, copyVault, createTmpVault, FIRST_TIME_MS, mergeCopy, MINUTE_MS, removePath, renamePath, writeFile, type TmpVault } from '../../support/tmp-vault.ts';

const folder = temporaryFolder();
let tmp: TmpVault;
const oids: Record<string, Oid> = {};

beforeAll(async () => {
  tmp = await createTmpVault(folder);
  const { vault } = tmp;
  oids['init'] = (await vault.head()).oid;
  oids['a1'] = await writeFile(vault, 'notes/a.txt', 'one\ntwo\n', { op: 'create', session: 's1', toolUseId: 't1', model: 'claude', actor: 'agent', note: 'a note' });
  oids['b1'] = await writeFile(vault, 'other/b.txt', 'bee\n', { op: 'create', session: 's1', actor: 'agent' });
  oids['a2'] = await writeFile(vault, 'notes/a.txt', 'one\ntwo\nthree\n', { op: 'insert', session: 's2' });
  oids['folder'] = await renamePath(vault, 'notes', 'archive');
  oids['a3'] = await writeFile(vault, 'archive/a.txt', 'one\nthree\n', { op: 'str_replace' });
  oids['file'] = await renamePath(vault, 'archive/a.txt', 'archive/z.txt');
  oids['gone'] = await removePath(vault, 'other/b.txt', { actor: 'operator' });
});

afterAll(() => tmp.vault.close());

async function logged(filter: LogFilter): Promise<string[]> {
  const names = new Map(Object.entries(oids).map(([name, oid]) => [oid as string, name]));
  return (await collect(log(tmp.vault, filter))).map(({ oid }) => names.get(oid) ?? oid);
}

const minute = (count: number) => new Date(FIRST_TIME_MS + count * MINUTE_MS);

test.each<[what: string, filter: () => LogFilter, expected: string[]]>([
  ['everything, newest first', () => ({}), ['gone', 'file', 'a3', 'folder', 'a2', 'b1', 'a1', 'init']],
  ['so many', () => ({ limit: 2 }), ['gone', 'file']],
  ['none', () => ({ limit: 0 }), []],
  ['the newest, told from the oldest', () => ({ limit: 2, reverse: true }), ['file', 'gone']],
  ['an operation', () => ({ op: 'create' }), ['b1', 'a1']],
  ['a session', () => ({ session: 's1' }), ['b1', 'a1']],
  ['a tool use', () => ({ toolUseId: 't1' }), ['a1']],
  ['an actor', () => ({ actor: 'agent' }), ['b1', 'a1']],
  ['since', () => ({ since: minute(5) }), ['gone', 'file', 'a3']],
  ['until', () => ({ until: minute(1) }), ['a1', 'init']],
  ['since and until as text', () => ({ since: minute(2).toISOString(), until: minute(3).toISOString() }), ['a2', 'b1']],
  ['a file, through renames', () => ({ path: at('archive/z.txt') }), ['file', 'a3', 'folder', 'a2', 'a1']],
  ['a folder, through its rename', () => ({ path: at('archive') }), ['file', 'a3', 'folder', 'a2', 'a1']],
  ['a file that is gone', () => ({ path: at('other/b.txt') }), ['gone', 'b1']],
  ['a folder whose files are gone', () => ({ path: at('other') }), ['gone', 'b1']],
  ['the root', () => ({ path: at('') }), ['gone', 'file', 'a3', 'folder', 'a2', 'b1', 'a1', 'init']],
  ['from another commit', () => ({ revision: oids['a2']!, path: at('notes/a.txt') }), ['a2', 'a1']],
  ['a range', () => ({ revision: `${oids['a2']!}..${oids['file']!}` }), ['file', 'a3', 'folder']],
  ['a range and a path', () => ({ revision: `${oids['a1']!}..HEAD`, path: at('archive/z.txt') }), ['file', 'a3', 'folder', 'a2']],
  ['text that came', () => ({ grep: 'three' }), ['a2']],
  ['text that went', () => ({ grep: 'two' }), ['a3', 'a1']],
  ['a pattern', () => ({ grep: /^b.e$/ }), ['gone', 'b1']],
  ['several at once', () => ({ session: 's1', path: at('archive'), grep: 'one' }), ['a1']],
])('%s', async (_, filter, expected) => {
  expect(await logged(filter())).toEqual(expected);
});

test('an entry tells all that the record holds', async () => {
  const [entry] = await collect(log(tmp.vault, { toolUseId: 't1', path: at('archive/z.txt') }));
  expect(entry).toEqual({
    oid: oids['a1'], parents: [oids['init']], time: minute(1).toISOString(), timeMs: minute(1).getTime(), sequence: 1, op: 'create',
    paths: ['/memories/notes/a.txt'], session: 's1', toolUseId: 't1', model: 'claude', actor: 'agent', note: 'a note',
    addedBytes: 8, removedBytes: 0, followed: '/memories/notes/a.txt',
  });
});

test('a path that never existed says so, and one that is gone says in which commit', async () => {
  await expect(logged({ path: at('never.txt') })).rejects.toMatchObject({ code: 'NOT_FOUND', details: {} });
  await expect(showFile(tmp.vault, 'HEAD', at('other/b.txt'))).rejects.toMatchObject({ code: 'NOT_FOUND', details: { removedIn: oids['gone'] } });
  await expect(showFile(tmp.vault, 'HEAD', at('archive/a.txt'))).rejects.toMatchObject({ code: 'NOT_FOUND', details: { removedIn: oids['file'] } });
  await expect(showFile(tmp.vault, 'HEAD', at('never.txt'))).rejects.toMatchObject({ code: 'NOT_FOUND', details: {} });
  await expect(showFile(tmp.vault, 'HEAD', at('archive'))).rejects.toMatchObject({ code: 'NOT_A_FILE' });
});

test('a file as a commit had it', async () => {
  expect(Buffer.from(await showFile(tmp.vault, oids['a1']!, at('notes/a.txt'))).toString()).toBe('one\ntwo\n');
});

test('a commit with what it changed', async () => {
  expect(await show(tmp.vault, oids['folder'])).toMatchObject({
    op: 'rename',
    paths: ['/memories/notes', '/memories/archive'],
    files: [{ change: 'renamed', from: '/memories/notes/a.txt', path: '/memories/archive/a.txt', contentChanged: false, hunks: [] }],
  });
  expect((await show(tmp.vault, oids['init'])).files).toEqual([]);
});

test.each(['not a time', new Date(NaN)])('%p is no time', async (since) => {
  await expect(logged({ since })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
});

test('a file and a folder are followed through a revert of their rename, which no record calls one', async () => {
  const { vault } = await createTmpVault(folder);
  const made = await writeFile(vault, 'x/a.txt', 'one\n');
  const there = await renamePath(vault, 'x', 'y');
  const edit = await writeFile(vault, 'y/a.txt', 'two\n');
  const back = (await revert(vault, { revisions: [there] })).commit!.oid;
  for (const path of ['x', 'x/a.txt']) {
    expect((await collect(log(vault, { path: at(path) }))).map(({ oid }) => oid)).toEqual([back, edit, there, made]);
  }
  expect((await show(vault, back)).files).toMatchObject([{ change: 'renamed', from: '/memories/y/a.txt', path: '/memories/x/a.txt', contentChanged: false }]);
  await vault.close();
});

test('both sides of a merge are told, each commit after its children; the merge itself only where it differs from both', async () => {
  const ours = await createTmpVault(folder);
  const base = await writeFile(ours.vault, 'a.txt', 'one\n');
  const theirs = await copyVault(ours);
  const left = await writeFile(ours.vault, 'b.txt', 'left\n');
  const right = await writeFile(theirs.vault, 'a.txt', 'right\n');
  const alsoRight = await writeFile(theirs.vault, 'c.txt', 'see\n');
  const clean = await mergeCopy(ours, theirs, [
    { kind: 'write', path: at('a.txt'), content: Buffer.from('right\n') },
    { kind: 'write', path: at('c.txt'), content: Buffer.from('see\n') },
  ]);
  const oidsOf = async (filter: LogFilter) => (await collect(log(ours.vault, filter))).map(({ oid }) => oid);
  const all = await oidsOf({});
  expect(new Set(all.slice(0, -2))).toEqual(new Set([clean, alsoRight, right, left]));
  expect(all.indexOf(alsoRight)).toBeLessThan(all.indexOf(right));
  expect(all.indexOf(base)).toBe(4);
  // The merge took the blob anew, so it differs from both in oids, and in contents from neither.
  expect(await oidsOf({ path: at('a.txt') })).toEqual(expect.arrayContaining([right, base]));
  expect(await oidsOf({ path: at('b.txt') })).toEqual([left]);
  expect(await oidsOf({ revision: `${left}..HEAD` })).toEqual([clean, alsoRight, right]);
  await Promise.all([ours.vault.close(), theirs.vault.close()]);
});

test('the first entries come without the rest being read', async () => {
  const { vault } = await createTmpVault(folder);
  for (let i = 0; i < 20; i += 1) await commitChanges(vault, [{ kind: 'write', path: at('a.txt'), content: Buffer.from(`${i}`) }]);
  const read = jest.spyOn(vault.repository, 'read');
  expect(await collect(log(vault, { limit: 3 }))).toHaveLength(3);
  expect(read.mock.calls.length).toBeLessThan(6);
  await vault.close();
});
