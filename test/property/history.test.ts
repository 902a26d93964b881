/**
 * Random histories, written to a vault and in clear to a git repository of their own. Every line of text is unlike any other,
 * so that there is one right way to merge, and where both say that they can they must say the same.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { isMemgitError } from '../../src/errors.ts';
import type { Oid } from '../../src/git/objects.ts';
import { blame } from '../../src/history/blame.ts';
import { diff } from '../../src/history/diff.ts';
import { log } from '../../src/history/log.ts';
import { formatPatch } from '../../src/history/patch.ts';
import { restore } from '../../src/history/restore.ts';
import { revert } from '../../src/history/revert.ts';
import { verify } from '../../src/history/verify.ts';
import type { VaultRepository } from '../../src/vault/vault-repository.ts';
import { ClearGit, fillFolder, filesIn } from '../support/clear-git.ts';
import { temporaryFolder } from '../support/git-repository.ts';
import { at, collect, contentsOf, createTmpVault, removePath, renamePath, textOf, writeFile } from '../support/tmp-vault.ts';

const folder = temporaryFolder();
const numRuns = process.env['SLOW'] === '1' ? 500 : 20;

const PATHS = ['a.md', 'notes/b.md', 'notes/deep/c.md', 'd e "f".md', 'ü.md'];

/** What one commit does; numbers choose among what there is. */
type Step =
  | { readonly do: 'create'; readonly pick: number }
  | { readonly do: 'edit'; readonly pick: number; readonly line: number; readonly how: 'replace' | 'insert' | 'delete' }
  | { readonly do: 'remove'; readonly pick: number }
  | { readonly do: 'rename'; readonly pick: number; readonly to: number };

const pick = fc.nat(99);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('create' as const), pick }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('edit' as const), pick, line: fc.nat(30), how: fc.constantFrom('replace' as const, 'insert' as const, 'delete' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), pick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('rename' as const), pick, to: pick }) },
);
const steps = fc.array(step, { minLength: 2, maxLength: 12 });

/** A history in both forms. Commits of one stand at the same index in the other, once git is asked to `finish`. */
interface Twins {
  readonly vault: VaultRepository;
  readonly clear: ClearGit;
  readonly oids: Oid[];
  readonly files: Map<string, string>;
  /** The paths that there were after each commit. */
  readonly paths: (readonly string[])[];
  /** Where files were moved, each with the index of its commit. */
  readonly moves: { readonly index: number; readonly from: string; readonly to: string }[];
  close(): Promise<void>;
}

let lines = 0;
const newLine = () => `line ${(lines += 1)} ${Math.imul(lines, 2654435761) >>> 0}\n`;

async function makeTwins(history: readonly Step[]): Promise<Twins> {
  const home = mkdtempSync(join(folder, 'twins-'));
  const { vault } = await createTmpVault(home);
  const clear = new ClearGit(home);
  const twins: Twins = {
    vault, clear, oids: [], files: new Map(), paths: [], moves: [],
    close: async () => {
      await vault.close();
      rmSync(home, { recursive: true });
    },
  };
  for (const each of history) {
    await take(each, twins);
    while (twins.paths.length < twins.oids.length) twins.paths.push([...twins.files.keys()]);
  }
  return twins;
}

/** Takes a step if it can be taken now. */
async function take(each: Step, { vault, clear, oids, files, moves }: Twins): Promise<void> {
  const present = [...files.keys()];
  const absent = PATHS.filter((path) => !files.has(path));
  const chosen = (from: readonly string[], number: number) => from[number % from.length];
  if (each.do === 'create') {
    const path = chosen(absent, each.pick);
    if (path === undefined) return;
    const text = Array.from({ length: 12 }, newLine).join('');
    files.set(path, text);
    clear.commit({ [path]: text });
    oids.push(await writeFile(vault, path, text, { op: 'create' }));
  } else {
    const path = chosen(present, each.pick);
    if (path === undefined) return;
    if (each.do === 'edit') {
      const text = edit(files.get(path)!, each.line, each.how);
      if (text === files.get(path)) return;
      files.set(path, text);
      clear.commit({ [path]: text });
      oids.push(await writeFile(vault, path, text, { op: 'str_replace' }));
    } else if (each.do === 'remove') {
      files.delete(path);
      clear.commit({ [path]: undefined });
      oids.push(await removePath(vault, path));
    } else {
      const to = chosen(absent, each.to);
      if (to === undefined) return;
      files.set(to, files.get(path)!);
      files.delete(path);
      clear.commit({ [path]: undefined, [to]: files.get(to)! });
      moves.push({ index: oids.length, from: path, to });
      oids.push(await renamePath(vault, path, to));
    }
  }
}

function edit(text: string, number: number, how: 'replace' | 'insert' | 'delete'): string {
  const all = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const place = number % (all.length + 1);
  all.splice(place, how === 'insert' ? 0 : 1, ...(how === 'delete' ? [] : [newLine()]));
  return all.join('');
}

async function filesOf(vault: VaultRepository, oid?: Oid): Promise<Record<string, string>> {
  const contents = await contentsOf(await vault.snapshot(oid));
  return Object.fromEntries(Object.entries(contents).filter(([path]) => !path.endsWith('/')));
}

/** Runs a property on random histories that have at least one commit. */
async function onHistories(check: (twins: Twins, choice: number) => Promise<void>): Promise<void> {
  await fc.assert(
    fc.asyncProperty(steps, fc.nat(99), async (history, choice) => {
      const twins = await makeTwins([{ do: 'create', pick: 0 }, ...history]);
      try {
        await check(twins, choice);
      } finally {
        await twins.close();
      }
    }),
    { numRuns },
  );
}

test('reverting a commit, and then reverting that, gives back the same memory', async () => {
  await onHistories(async ({ vault, oids }, choice) => {
    const before = await contentsOf(await vault.snapshot());
    try {
      const { commit } = await revert(vault, { revisions: [oids[choice % oids.length]!] });
      if (commit) await revert(vault, { revisions: [commit.oid] });
    } catch (error) {
      if (!isMemgitError(error, 'CONFLICT')) throw error;
    }
    expect(await contentsOf(await vault.snapshot())).toEqual(before);
  });
});

test('a revert without conflict is the one that git makes', async () => {
  let compared = 0;
  await onHistories(async ({ vault, clear, oids, files, paths, moves }, choice) => {
    const clearOids = clear.finish();
    const index = choice % oids.length;
    // A file that was moved since to where another stood then, or from where another stands now: git compares the two ends
    // only, and sees a change of the other.
    const then = [...paths[index]!, ...(paths[index - 1] ?? [])];
    if (moves.some((move) => move.index > index && (then.includes(move.to) || files.has(move.from)))) return;
    const gitCould = clear.revert(clearOids[index]!);
    try {
      await revert(vault, { revisions: [oids[index]!] });
    } catch (error) {
      if (!isMemgitError(error, 'CONFLICT')) throw error;
      return;
    }
    if (!gitCould) return;
    compared += 1;
    expect(await filesOf(vault)).toEqual(clear.files());
  });
  expect(compared).toBeGreaterThan(numRuns / 4);
});

test('a revert finds a file that was moved to where another was, which git does not', async () => {
  const steps: Step[] = [{ do: 'create', pick: 0 }, { do: 'create', pick: 0 }, { do: 'remove', pick: 0 }, { do: 'rename', pick: 0, to: 0 }];
  const { vault, clear, oids, close } = await makeTwins(steps);
  expect(clear.revert(clear.finish()[1]!)).toBe(true);
  expect(Object.keys(clear.files())).toEqual(['a.md']);
  await revert(vault, { revisions: [oids[1]!] });
  expect(await filesOf(vault)).toEqual({});
  await close();
});

test('undoing a whole history, newest first, leaves the memory as it was in the beginning', async () => {
  await onHistories(async ({ vault, oids }, choice) => {
    const start = choice % oids.length;
    const then = await contentsOf(await vault.snapshot(oids[start]));
    await revert(vault, { revisions: [`${oids[start]!}..HEAD`] }).catch((error: unknown) => {
      // The range is empty when it begins at the head.
      if (!isMemgitError(error, 'BAD_REVISION') || start !== oids.length - 1) throw error;
    });
    expect(await contentsOf(await vault.snapshot())).toEqual(then);
  });
});

test('a restore is what git checkout makes of the whole tree', async () => {
  await onHistories(async ({ vault, clear, oids }, choice) => {
    const clearOids = clear.finish();
    const index = choice % oids.length;
    await restore(vault, oids[index]!);
    expect(await contentsOf(await vault.snapshot())).toEqual(await contentsOf(await vault.snapshot(oids[index])));
    // git takes a pathspec without files for a mistake.
    if (clear.git(['ls-tree', clearOids[index]!]) !== '') clear.git(['checkout', '--no-overlay', '-q', clearOids[index]!, '--', '.']);
    else clear.git(['rm', '-rfq', '--ignore-unmatch', '.']);
    expect(await filesOf(vault)).toEqual(clear.files());
  });
});

test('the log of a file is that of git log --follow', async () => {
  await onHistories(async ({ vault, clear, oids, files }) => {
    const clearOids = clear.finish();
    for (const path of files.keys()) {
      const expected = clear.git(['log', '--follow', '--format=%H', '--', path]).trim().split('\n');
      const found = await collect(log(vault, { path: at(path) }));
      expect(found.map(({ oid }) => clearOids[oids.indexOf(oid as Oid)])).toEqual(expected);
    }
  });
});

test('blame names the commits that git blame names', async () => {
  await onHistories(async ({ vault, clear, oids, files }) => {
    const clearOids = clear.finish();
    for (const path of files.keys()) {
      const expected = [...clear.git(['blame', '-p', 'HEAD', '--', path]).matchAll(/^([0-9a-f]{40}) \d+ \d+/gm)].map(([, oid]) => oid);
      const found = (await textOf(vault, path)) === '' ? [] : await blame(vault, at(path));
      expect(found.map(({ oid }) => clearOids[oids.indexOf(oid as Oid)])).toEqual(expected);
    }
  });
});

test('git apply, and patch, turn one exported memory into the other', async () => {
  await onHistories(async ({ vault, oids }, choice) => {
    const [from, to] = [oids[choice % oids.length]!, oids[(choice * 7) % oids.length]!];
    const patch = formatPatch(await diff(vault, from, to));
    // git apply takes an empty patch for a mistake.
    for (const [program, ...args] of patch === '' ? [] : [['git', 'apply', '-'], ['patch', '-p1', '-s']]) {
      const target = mkdtempSync(join(folder, 'applied-'));
      fillFolder(target, await filesOf(vault, from));
      execFileSync(program!, args, { cwd: target, input: patch, stdio: 'pipe', env: { PATH: process.env['PATH'], GIT_CEILING_DIRECTORIES: folder } });
      expect(filesIn(target)).toEqual(await filesOf(vault, to));
    }
  });
});

test('verify finds nothing wrong after any history and any undo', async () => {
  await onHistories(async ({ vault, oids }, choice) => {
    await revert(vault, { revisions: [oids[choice % oids.length]!] }, { keep: 'theirs' });
    await restore(vault, oids[0]!);
    const { ok, steps: found } = await verify(vault);
    expect(found.flatMap(({ problems }) => problems)).toEqual([]);
    expect(ok).toBe(true);
  });
});
