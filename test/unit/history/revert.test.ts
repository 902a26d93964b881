import { inspect } from 'node:util';
import type { Oid } from '../../../src/git/objects.ts';
import { conflictsOf, type Conflict } from '../../../src/history/conflict.ts';
import { restore } from '../../../src/history/restore.ts';
import { revert, type RevertOptions } from '../../../src/history/revert.ts';
import type { VaultRepository } from '../../../src/vault/vault-repository.ts';
import { temporaryFolder } from '../../support/git-repository.ts';
import { at, commitChanges, contentsOf, copyVault, createTmpVault, mergeCopy, removePath, renamePath, textOf, writeFile, type TmpVault } from '../../support/tmp-vault.ts';

const folder = temporaryFolder();
let tmp: TmpVault;
let vault: VaultRepository;
beforeEach(async () => {
  tmp = await createTmpVault(folder);
  ({ vault } = tmp);
});
afterEach(() => vault.close());

const memory = async (oid?: Oid) => contentsOf(await vault.snapshot(oid));
const undo = (oid: Oid, options?: RevertOptions) => revert(vault, { revisions: [oid] }, options);

/** The conflicts that an undo ends in, once it is shown that it changed nothing. */
async function clash(oid: Oid): Promise<readonly Conflict[]> {
  const [before, head] = [await memory(), (await vault.head()).oid];
  const error: unknown = await undo(oid).then(() => undefined, (reason: unknown) => reason);
  expect(error).toMatchObject({ code: 'CONFLICT' });
  expect([await memory(), (await vault.head()).oid]).toEqual([before, head]);
  return conflictsOf(error);
}

describe('one commit', () => {
  test('its text goes, later edits elsewhere stay, and the record tells', async () => {
    await writeFile(vault, 'a.txt', '1\n2\n3\n4\n5\n');
    const edit = await writeFile(vault, 'a.txt', '1\ntwo\n3\n4\n5\n');
    await writeFile(vault, 'a.txt', '1\ntwo\n3\n4\nfive\n');
    const { commit, files } = await undo(edit, { note: 'why', actor: 'operator', session: 's' });
    expect(await textOf(vault, 'a.txt')).toBe('1\n2\n3\n4\nfive\n');
    expect(commit).toMatchObject({ op: 'revert', targets: [edit], paths: ['/memories/a.txt'], note: 'why', actor: 'operator', session: 's' });
    expect(files).toMatchObject([{ change: 'modified', path: '/memories/a.txt', addedLines: 1, removedLines: 1 }]);
  });

  test('undoing what is undone already makes no commit', async () => {
    await writeFile(vault, 'a.txt', 'one\n');
    const edit = await writeFile(vault, 'a.txt', 'two\n');
    await undo(edit);
    expect(await undo(edit)).toEqual({ commit: undefined, files: [] });
  });

  test('a dry run tells and changes nothing', async () => {
    const made = await writeFile(vault, 'a.txt', 'one\n');
    const before = (await vault.head()).oid;
    expect(await undo(made, { dryRun: true })).toMatchObject({ commit: undefined, files: [{ change: 'removed', path: '/memories/a.txt' }] });
    expect((await vault.head()).oid).toBe(before);
  });

  test('the first commit cannot be undone', async () => {
    await expect(undo((await vault.head()).oid)).rejects.toMatchObject({ code: 'BAD_REVISION' });
  });

  test.each<[what: string, prepare: () => Promise<unknown>, step: () => Promise<Oid>]>([
    ['a new file in new folders', async () => {}, () => writeFile(vault, 'x/y/a.txt', 'a')],
    ['a new file in an empty folder', () => commitChanges(vault, [{ kind: 'makeDirectory', path: at('x') }]), () => writeFile(vault, 'x/a.txt', 'a')],
    ['the removal of the last file of a folder', () => writeFile(vault, 'x/a.txt', 'a'), () => removePath(vault, 'x/a.txt')],
    ['the removal of a folder', () => writeFile(vault, 'x/y/a.txt', 'a'), () => removePath(vault, 'x')],
    ['the removal of an empty folder', () => commitChanges(vault, [{ kind: 'makeDirectory', path: at('x/y') }]), () => removePath(vault, 'x')],
    ['a new empty folder', async () => {}, () => commitChanges(vault, [{ kind: 'makeDirectory', path: at('x/y') }])],
    ['the rename of a file into a new folder', () => writeFile(vault, 'a.txt', 'a'), () => renamePath(vault, 'a.txt', 'x/b.txt')],
    ['the rename of a folder', () => writeFile(vault, 'x/y/a.txt', 'a'), () => renamePath(vault, 'x', 'z/x')],
    ['the rename of an empty file', () => writeFile(vault, 'a.txt', ''), () => renamePath(vault, 'a.txt', 'b.txt')],
    ['the rename of an empty folder', () => commitChanges(vault, [{ kind: 'makeDirectory', path: at('x') }]), () => renamePath(vault, 'x', 'y')],
    ['a file in the place of a folder', () => writeFile(vault, 'x/a.txt', 'a'), () => commitChanges(vault, [{ kind: 'remove', path: at('x') }, { kind: 'write', path: at('x'), content: Buffer.from('file') }])],
    ['a folder in the place of a file', () => writeFile(vault, 'x', 'a'), () => commitChanges(vault, [{ kind: 'remove', path: at('x') }, { kind: 'write', path: at('x/a.txt'), content: Buffer.from('a') }])],
    ['two files that took each other\'s place', async () => {
      await writeFile(vault, 'a', 'A\n');
      await writeFile(vault, 'b', 'B\n');
    }, () => commitChanges(vault, [{ kind: 'write', path: at('a'), content: Buffer.from('B\n') }, { kind: 'write', path: at('b'), content: Buffer.from('A\n') }])],
  ])('%s, and that undo again', async (_, prepare, step) => {
    await writeFile(vault, 'other.txt', 'stays\n');
    await prepare();
    const before = await memory();
    const oid = await step();
    const after = await memory();
    const { commit } = await undo(oid);
    expect(await memory()).toEqual(before);
    await undo(commit!.oid as Oid);
    expect(await memory()).toEqual(after);
  });

  test('an edit is undone where the file is now', async () => {
    await writeFile(vault, 'x/a.txt', '1\n2\n3\n');
    const edit = await writeFile(vault, 'x/a.txt', '1\ntwo\n3\n');
    await renamePath(vault, 'x', 'y');
    await renamePath(vault, 'y/a.txt', 'b.txt');
    await undo(edit);
    expect(await memory()).toEqual({ 'b.txt': '1\n2\n3\n', 'y/': '' });
  });

  test('an edit is undone where the file is now, not in another that has its old name', async () => {
    await writeFile(vault, 'a.txt', '1\n2\n3\n');
    const edit = await writeFile(vault, 'a.txt', '1\ntwo\n3\n');
    await renamePath(vault, 'a.txt', 'b.txt');
    await writeFile(vault, 'a.txt', '1\ntwo\n3\n');
    await undo(edit);
    expect(await memory()).toEqual({ 'a.txt': '1\ntwo\n3\n', 'b.txt': '1\n2\n3\n' });
  });

  test('a new file goes where it is now, and where it is gone another that has its name stays', async () => {
    const made = await writeFile(vault, 'a.txt', 'a\n');
    await renamePath(vault, 'a.txt', 'b.txt');
    const gone = await writeFile(vault, 'a.txt', 'a\n');
    await undo(made);
    expect(await memory()).toEqual({ 'a.txt': 'a\n' });
    expect(await undo(made)).toEqual({ commit: undefined, files: [] });
    await undo(gone);
    expect(await memory()).toEqual({});
  });

  test('what was too deep for the name that its folder has now is undone all the same', async () => {
    const long = ['n'.repeat(255), 'n'.repeat(255), 'n'.repeat(255)].join('/');
    const deep = await writeFile(vault, `x/${long}/a.txt`, 'a\n');
    await removePath(vault, 'x');
    await writeFile(vault, 'x/b.txt', 'b\n');
    await renamePath(vault, 'x', 'm'.repeat(255));
    await undo(deep);
    expect(await memory()).toEqual({ [`${'m'.repeat(255)}/b.txt`]: 'b\n' });
  });

  test('a rename is undone and later edits go along', async () => {
    await writeFile(vault, 'a.txt', '1\n2\n');
    const rename = await renamePath(vault, 'a.txt', 'b.txt');
    await writeFile(vault, 'b.txt', '1\ntwo\n');
    const { commit } = await undo(rename);
    expect(await memory()).toEqual({ 'a.txt': '1\ntwo\n' });
    // The content did not come and go, it moved.
    expect(commit).toMatchObject({ addedBytes: 0, removedBytes: 0 });
  });

  test('a merge is undone relative to its first parent', async () => {
    await writeFile(vault, 'a.txt', 'a\n');
    const theirs = await copyVault(tmp);
    await writeFile(vault, 'ours.txt', 'ours\n');
    await writeFile(theirs.vault, 'theirs.txt', 'theirs\n');
    const merge = await mergeCopy(tmp, theirs, [{ kind: 'write', path: at('theirs.txt'), content: Buffer.from('theirs\n') }]);
    await undo(merge);
    expect(await memory()).toEqual({ 'a.txt': 'a\n', 'ours.txt': 'ours\n' });
    await theirs.vault.close();
  });
});

describe('what a commit changed is found', () => {
  const [before, edited, later] = ['1\n2\n3\n4\n5\n6\n', '1\ntwo\n3\n4\n5\n6\n', '1\ntwo\n3\n4\n5\nsix\n'];

  test('where an undo, or a restore, has put it back under its old name', async () => {
    const made = await writeFile(vault, 'x/a.txt', before);
    const edit = await writeFile(vault, 'x/a.txt', edited);
    await renamePath(vault, 'x', 'y');
    await writeFile(vault, 'y/a.txt', later);
    await revert(vault, { revisions: [`${edit}..HEAD`] });
    await undo(edit);
    expect(await memory()).toEqual({ 'x/a.txt': before });
    await restore(vault, made);
    await undo(made);
    expect(await memory()).toEqual({});
  });

  test('not in another that had its name once it was removed', async () => {
    await writeFile(vault, 'a.txt', before);
    const edit = await writeFile(vault, 'a.txt', edited);
    const removal = await removePath(vault, 'a.txt');
    await writeFile(vault, 'a.txt', later);
    await renamePath(vault, 'a.txt', 'b.txt');
    expect(await clash(edit)).toMatchObject([{ path: '/memories/a.txt', reason: 'removed' }]);
    // Unless that removal is undone as well, or somebody wrote the same again.
    await writeFile(vault, 'a.txt', edited);
    await revert(vault, { revisions: [edit, removal] });
    expect(await memory()).toEqual({ 'a.txt': before, 'b.txt': later });
  });

  test('and a new file that was removed since is not looked for elsewhere', async () => {
    const made = await writeFile(vault, 'a.txt', before);
    await removePath(vault, 'a.txt');
    await writeFile(vault, 'a.txt', before);
    await renamePath(vault, 'a.txt', 'b.txt');
    expect(await undo(made)).toEqual({ commit: undefined, files: [] });
  });

  test('on its own side of a merge, whatever the other side called alike', async () => {
    await writeFile(vault, 'x/a.txt', 'a\n');
    const theirs = await copyVault(tmp);
    const ours = await writeFile(vault, 'x/new.txt', 'private\n');
    const alike = await writeFile(vault, 'a.txt', 'ours\n');
    await writeFile(theirs.vault, 'a.txt', 'theirs\n');
    await renamePath(theirs.vault, 'a.txt', 'b.txt');
    await renamePath(theirs.vault, 'x', 'y');
    const files = { 'b.txt': 'theirs\n', 'y/a.txt': 'a\n' };
    await mergeCopy(tmp, theirs, [{ kind: 'remove', path: at('x/a.txt') }, ...Object.entries(files).map(([path, text]) => ({ kind: 'write', path: at(path), content: Buffer.from(text) }) as const)]);
    await theirs.vault.close();
    await undo(ours);
    await undo(alike);
    expect(await memory()).toEqual({ ...files, 'x/': '' });
  });

  test('where it stayed, when a conflict kept its move from being undone', async () => {
    await writeFile(vault, 'x/f', before);
    const edit = await writeFile(vault, 'x/f', edited);
    const move = await renamePath(vault, 'x', 'y');
    await writeFile(vault, 'x/f', later);
    await revert(vault, { revisions: [edit, move] }, { keep: 'ours' });
    expect(await memory()).toEqual({ 'x/f': later, 'y/f': before });
  });
});

describe('several commits', () => {
  test('what the removal took away comes back under its name, and is what was edited before, not another that had it since', async () => {
    await writeFile(vault, 'a.txt', '1\n2\n');
    const edit = await writeFile(vault, 'a.txt', '1\ntwo\n');
    const removal = await removePath(vault, 'a.txt');
    await writeFile(vault, 'a.txt', '1\ntwo\nof another\n');
    await renamePath(vault, 'a.txt', 'b.txt');
    await revert(vault, { revisions: [edit, removal] });
    expect(await memory()).toEqual({ 'a.txt': '1\n2\n', 'b.txt': '1\ntwo\nof another\n' });
  });

  test('a session, in between others, as one commit', async () => {
    await writeFile(vault, 'a.txt', '1\n2\n3\n4\n5\n6\n7\n');
    const one = await writeFile(vault, 'a.txt', 'one\n2\n3\n4\n5\n6\n7\n', { session: 's' });
    await writeFile(vault, 'a.txt', 'one\n2\n3\nfour\n5\n6\n7\n');
    const two = await writeFile(vault, 'a.txt', 'ONE\n2\n3\nfour\n5\n6\n7\n', { session: 's' });
    const three = await writeFile(vault, 'b.txt', 'b', { session: 's' });
    const { commit } = await revert(vault, { session: 's' });
    expect(await memory()).toEqual({ 'a.txt': '1\n2\n3\nfour\n5\n6\n7\n' });
    expect(commit!.targets).toEqual([three, two, one]);
  });

  test('a range over a merge undoes what either side did since it began, once', async () => {
    await writeFile(vault, 'a.txt', '0\n');
    const theirs = await copyVault(tmp);
    const ours = await writeFile(vault, 'ours.txt', 'ours\n');
    const shared = await writeFile(theirs.vault, 'a.txt', '1\n');
    await writeFile(theirs.vault, 'a.txt', '2\n');
    await mergeCopy(tmp, theirs, [{ kind: 'write', path: at('a.txt'), content: Buffer.from('2\n') }]);
    const merged = await writeFile(vault, 'later.txt', 'later\n');
    await revert(vault, { revisions: [`${ours}..HEAD`] });
    expect(await memory()).toEqual({ 'a.txt': '0\n', 'ours.txt': 'ours\n' });
    // Seen from a commit of the other side, ours is what came in.
    await restore(vault, merged);
    await revert(vault, { revisions: [`${shared}..${merged}`] });
    expect(await memory()).toEqual({ 'a.txt': '1\n' });
    await theirs.vault.close();
  });

  test('a tool use, a range, and revisions in any order', async () => {
    const base = await writeFile(vault, 'a.txt', '0\n', { toolUseId: 't' });
    const one = await writeFile(vault, 'a.txt', '1\n', { toolUseId: 't' });
    const two = await writeFile(vault, 'a.txt', '2\n');
    await revert(vault, { revisions: [`${base}..${two}`] });
    expect(await textOf(vault, 'a.txt')).toBe('0\n');
    await restore(vault, two);
    await revert(vault, { revisions: [one, two] });
    expect(await textOf(vault, 'a.txt')).toBe('0\n');
    await restore(vault, one);
    await revert(vault, { toolUseId: 't' });
    expect(await memory()).toEqual({});
  });

  test.each([{}, { session: 'none' }, { toolUseId: 'none' }, { revisions: [] }, { revisions: ['HEAD..HEAD'] }])('%j names none', async (targets) => {
    await expect(revert(vault, targets)).rejects.toMatchObject({ code: 'BAD_REVISION' });
  });
});

describe('a conflict', () => {
  test('where later edits touch the same lines, with the lines of both', async () => {
    await writeFile(vault, 'a.txt', '1\n2\n3\n');
    const edit = await writeFile(vault, 'a.txt', '1\ntwo\n3\n');
    await writeFile(vault, 'a.txt', '1\nTWO!\n3\n');
    expect(await clash(edit)).toEqual([
      { path: '/memories/a.txt', oid: edit, reason: 'same-lines', regions: [{ line: 2, ours: ['TWO!\n'], base: ['two\n'], theirs: ['2\n'] }] },
    ]);
  });

  test.each<[reason: Conflict['reason'], path: string, prepare: () => Promise<Oid>]>([
    ['changed', 'a.txt', async () => {
      const made = await writeFile(vault, 'a.txt', 'a');
      await writeFile(vault, 'a.txt', 'b');
      return made;
    }],
    ['changed', 'a.bin', async () => {
      await writeFile(vault, 'a.bin', Uint8Array.of(0, 1));
      const edit = await writeFile(vault, 'a.bin', Uint8Array.of(0, 2));
      await writeFile(vault, 'a.bin', Uint8Array.of(0, 3));
      return edit;
    }],
    ['removed', 'a.txt', async () => {
      await writeFile(vault, 'a.txt', 'a');
      const edit = await writeFile(vault, 'a.txt', 'b');
      await removePath(vault, 'a.txt');
      return edit;
    }],
    ['removed', 'b.txt', async () => {
      await writeFile(vault, 'a.txt', 'a');
      const rename = await renamePath(vault, 'a.txt', 'b.txt');
      await removePath(vault, 'b.txt');
      return rename;
    }],
    ['taken', 'a.txt', async () => {
      await writeFile(vault, 'a.txt', 'a');
      const gone = await removePath(vault, 'a.txt');
      await writeFile(vault, 'a.txt', 'another');
      return gone;
    }],
    ['taken', 'x/a.txt', async () => {
      await writeFile(vault, 'x/a.txt', 'a');
      const gone = await removePath(vault, 'x');
      await writeFile(vault, 'x', 'a file');
      return gone;
    }],
    ['taken', 'a.txt', async () => {
      await writeFile(vault, 'a.txt', 'a');
      const rename = await renamePath(vault, 'a.txt', 'b.txt');
      await writeFile(vault, 'a.txt', 'another');
      return rename;
    }],
  ])('%s %s', async (reason, path, prepare) => {
    expect(await clash(await prepare())).toMatchObject([{ path: `/memories/${path}`, reason, regions: [] }]);
  });

  test('its error can be logged without showing the memory', async () => {
    await writeFile(vault, 'secret-name.txt', 'secret one\n');
    const edit = await writeFile(vault, 'secret-name.txt', 'secret two\n');
    await writeFile(vault, 'secret-name.txt', 'secret three\n');
    const error: unknown = await undo(edit).catch((reason: unknown) => reason);
    expect(conflictsOf(error)).toHaveLength(1);
    expect(JSON.stringify(error) + inspect(error, { depth: null, showHidden: true })).not.toContain('secret');
    expect(conflictsOf(new Error('another'))).toEqual([]);
  });

  test('is decided by keep, and only where there is one', async () => {
    await writeFile(vault, 'a.txt', '1\n2\n3\n4\n5\n');
    const edit = await writeFile(vault, 'a.txt', '1\ntwo\n3\n4\nfive\n');
    const last = await writeFile(vault, 'a.txt', '1\nTWO\n3\n4\nfive\n');
    await undo(edit, { keep: 'ours' });
    expect(await textOf(vault, 'a.txt')).toBe('1\nTWO\n3\n4\n5\n');
    await restore(vault, last);
    await undo(edit, { keep: 'theirs' });
    expect(await textOf(vault, 'a.txt')).toBe('1\n2\n3\n4\n5\n');
  });

  test('of whole files is decided by keep too', async () => {
    const made = await writeFile(vault, 'a.txt', 'a');
    await writeFile(vault, 'a.txt', 'b');
    expect((await undo(made, { keep: 'ours' })).commit).toBeUndefined();
    await undo(made, { keep: 'theirs' });
    expect(await memory()).toEqual({});
  });
});

describe('restore', () => {
  test('everything, a folder, a file; what was not there goes', async () => {
    await writeFile(vault, 'x/a.txt', 'a');
    const then = await writeFile(vault, 'b.txt', 'b');
    await writeFile(vault, 'x/a.txt', 'A');
    await writeFile(vault, 'x/new.txt', 'new');
    const now = await writeFile(vault, 'b.txt', 'B');

    const { commit } = await restore(vault, then, [at('x')], { actor: 'operator' });
    expect(commit).toMatchObject({ op: 'restore', targets: [then], paths: ['/memories/x'], actor: 'operator' });
    expect(await memory()).toEqual({ 'x/a.txt': 'a', 'b.txt': 'B' });
    await restore(vault, now);
    expect(await memory()).toEqual(await memory(now));
    await restore(vault, then, [at('b.txt'), at('x/new.txt')]);
    expect(await memory()).toEqual({ 'x/a.txt': 'A', 'b.txt': 'b' });
  });

  test('to what is there already makes no commit; a dry run only tells', async () => {
    const then = await writeFile(vault, 'a.txt', 'a');
    expect(await restore(vault, then)).toEqual({ commit: undefined, files: [] });
    await writeFile(vault, 'a.txt', 'b');
    expect(await restore(vault, then, [], { dryRun: true })).toMatchObject({ commit: undefined, files: [{ path: '/memories/a.txt' }] });
    expect(await textOf(vault, 'a.txt')).toBe('b');
  });

  test('to the very first commit empties the memory, and can be undone', async () => {
    const first = (await vault.head()).oid;
    await writeFile(vault, 'x/a.txt', 'a');
    const { commit } = await restore(vault, first);
    expect(await memory()).toEqual({});
    await undo(commit!.oid as Oid);
    expect(await memory()).toEqual({ 'x/a.txt': 'a' });
  });

  test('refuses a path that never was, and one below what is now a file', async () => {
    const then = await writeFile(vault, 'x/a.txt', 'a');
    await expect(restore(vault, then, [at('none')])).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await removePath(vault, 'x');
    await writeFile(vault, 'x', 'a file');
    await expect(restore(vault, then, [at('x/a.txt')])).rejects.toMatchObject({ code: 'NOT_A_DIRECTORY' });
    await restore(vault, then, [at('x')]);
    expect(await memory()).toEqual({ 'x/a.txt': 'a' });
  });
});
