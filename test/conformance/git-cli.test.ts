/** System git and memgit on one repository: each must find what the other wrote, also after git has repacked and memgit has folded. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { FOLD_AT_PACKS, planFold } from '../../src/git/fold.ts';
import { oidOf } from '../../src/git/objects.ts';
import { Repository } from '../../src/git/repository.ts';
import { addFile, bodyFromGit, createSample, everyObject, filesAt, git, temporaryFolder } from '../support/git-repository.ts';

const folder = temporaryFolder();
let count = 0;
const freshGitdir = (): string => join(folder, `${(count += 1)}.git`);
const packFiles = (gitdir: string, extension: string): string[] => readdirSync(join(gitdir, 'objects/pack')).filter((name) => name.endsWith(extension));

/** Reads every object that git lists and compares it with what git says it is. */
async function expectSameObjects(repository: Repository, gitdir: string): Promise<number> {
  const objects = everyObject(gitdir);
  for (const { oid, type, size } of objects) {
    const object = await repository.read(oid);
    expect([oid, object.type, object.body.length]).toEqual([oid, type, size]);
  }
  return objects.length;
}

test('git finds every object, and nothing wrong, before, between and after folds', async () => {
  const gitdir = freshGitdir();
  const repository = await createSample(gitdir);
  let most = 0;
  for (let i = 0; i < 100; i += 1) {
    await addFile(repository, `f${i % 30}`, `${i}`);
    most = Math.max(most, (await repository.stats()).packs);
    if (i % 43 === 42) expect(git(gitdir, ['fsck', '--strict', '--full', '--no-dangling'])).toBe('');
  }
  // Those that were folded go bit by bit, and with the last of them when the repository is closed.
  expect(most).toBe(FOLD_AT_PACKS + 1);
  const left = (await repository.stats()).packs;
  await repository.close();
  expect((await repository.stats()).packs).toBeLessThan(left / 2);
  expect(packFiles(gitdir, '.idx').length).toBe(packFiles(gitdir, '.pack').length);
  expect(git(gitdir, ['rev-list', '--count', 'main']).trim()).toBe('101');
  // Each update makes a blob, a tree and a commit.
  expect(await expectSameObjects(repository, gitdir)).toBe(101 * 3);
  for (const { oid, type } of everyObject(gitdir).slice(0, 10)) {
    expect(Buffer.from((await repository.read(oid)).body).equals(bodyFromGit(gitdir, type, oid))).toBe(true);
  }
  for (const index of packFiles(gitdir, '.idx')) git(gitdir, ['verify-pack', join(gitdir, 'objects/pack', index)]);
});

/** What a careful person does to a repository to get its objects loose. */
function unpackAll(gitdir: string): void {
  const packs = join(gitdir, 'objects/pack');
  renameSync(packs, `${gitdir}.packs`);
  mkdirSync(packs);
  for (const name of readdirSync(`${gitdir}.packs`)) if (name.endsWith('.pack')) git(gitdir, ['unpack-objects', '-q'], readFileSync(join(`${gitdir}.packs`, name)));
}

const running = (...commands: string[]) => (gitdir: string): void => { for (const command of commands) git(gitdir, command.split(' ')); };

test.each([
  ['gc', running('gc -q --prune=now')],
  ['repack with long chains', running('repack -adfq --depth=50 --window=100')],
  ['repack with a multi-pack index and bitmaps', running('repack -adq --write-midx --write-bitmap-index')],
  ['repack of some packs', running('repack -dq --geometric=2')],
  ['pack-refs and prune', running('pack-refs --all --prune', 'prune --expire=now')],
  ['unpack-objects', unpackAll],
  ['commit-graph write', running('commit-graph write --reachable')],
  ['maintenance', running('maintenance run --task=gc --task=pack-refs --task=incremental-repack')],
])('after git %s everything is read as before, by whoever had it open and by others', async (_what, maintain) => {
  const gitdir = freshGitdir();
  const repository = await createSample(gitdir);
  for (let i = 0; i < 30; i += 1) await addFile(repository, `a file with a long name ${i}`, `${'some text that repeats '.repeat(20)}${i}`);
  const head = await repository.head();
  const objects = everyObject(gitdir);
  maintain(gitdir);
  const other = await Repository.open(gitdir);
  for (const reader of [repository, other]) {
    expect(await reader.head()).toBe(head);
    expect(await expectSameObjects(reader, gitdir)).toBe(objects.length);
  }
  await addFile(other, 'after', 'after');
  expect((await filesAt(repository, await repository.head())).has('after')).toBe(true);
  expect(git(gitdir, ['fsck', '--strict', '--full', '--no-dangling'])).toBe('');
});

describe('folding', () => {
  test('leaves deltas and marked packs alone, and a multi-pack index does not come to name packs that are gone', async () => {
    const gitdir = freshGitdir();
    const repository = await createSample(gitdir);
    const text = randomBytes(1000).toString('hex');
    for (let i = 0; i < 6; i += 1) await addFile(repository, `f${i}`, `${text} ${i}`);
    // Without a bitmap, which by itself would keep the pack from being folded.
    git(gitdir, ['repack', '-adfq', '--no-write-bitmap-index']);
    const deltified = packFiles(gitdir, '.pack');
    expect(git(gitdir, ['verify-pack', '-v', join(gitdir, 'objects/pack', deltified[0]!)])).toContain('chain length = 1');
    await addFile(repository, 'kept', 'kept');
    const kept = packFiles(gitdir, '.pack').find((name) => !deltified.includes(name))!;
    writeFileSync(join(gitdir, 'objects/pack', kept.replace('.pack', '.keep')), '');
    // Larger than the other two, which are then the first that a fold would choose.
    const large = (): string => randomBytes(20_000).toString('hex');
    for (let i = 0; i < FOLD_AT_PACKS - 5; i += 1) await addFile(repository, `g${i}`, large());
    git(gitdir, ['multi-pack-index', 'write']);
    for (let i = 0; i < 10; i += 1) await addFile(repository, `h${i}`, large());
    await repository.close();
    expect((await repository.stats()).packs).toBeLessThan(20);
    expect(packFiles(gitdir, '.pack')).toEqual(expect.arrayContaining([...deltified, kept]));
    expect(packFiles(gitdir, 'multi-pack-index')).toEqual([]);
    expect(git(gitdir, ['fsck', '--strict', '--full', '--no-dangling'])).toBe('');
    await expectSameObjects(repository, gitdir);
  });

  test('does not copy a damaged pack, and another process that knew the old packs reads on', async () => {
    const gitdir = freshGitdir();
    const repository = await createSample(gitdir);
    const damaged = packFiles(gitdir, '.pack')[0]!;
    for (let i = 0; i < FOLD_AT_PACKS - 2; i += 1) await addFile(repository, `f${i}`, `${i}`);
    const reader = await Repository.open(gitdir, { readOnly: true });
    const before = await repository.head();
    await filesAt(reader, before);
    rmSync(join(gitdir, 'objects/pack', damaged));
    writeFileSync(join(gitdir, 'objects/pack', damaged), 'PACK');
    for (let i = 0; i < 3; i += 1) await addFile(repository, `g${i}`, `${i}`);
    expect(packFiles(gitdir, '.pack')).toContain(damaged);
    await repository.close();
    expect((await repository.stats()).packs).toBeLessThan(10);
    const results = await Promise.allSettled([before, await repository.head()].map((head) => filesAt(reader, head)));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
  });

  test('removes the largest first of what it replaced, which takes twice the room until then', async () => {
    const gitdir = freshGitdir();
    const repository = await createSample(gitdir);
    const sizes = () => packFiles(gitdir, '.pack').map((name) => statSync(join(gitdir, 'objects/pack', name)).size);
    for (let i = 0; i < FOLD_AT_PACKS; i += 1) await addFile(repository, `f${i}`, randomBytes(i % 3 === 0 ? 2_000 : 10).toString('hex'));
    const [large, small] = [sizes().filter((size) => size > 2_000), sizes().filter((size) => size <= 2_000)];
    for (let i = 0; i < 3; i += 1) await addFile(repository, `g${i}`, `${i}`);
    // The fold added one that is larger than any; of those replaced, two went with each mutation since.
    expect(sizes().filter((size) => size > 2_000 && size <= Math.max(...large)).length).toBeLessThanOrEqual(large.length - 4);
    expect(sizes().filter((size) => size <= 2_000).length).toBeGreaterThanOrEqual(small.length);
    await repository.close();
  });

  test('chooses packs of about one size, each byte being copied a few times only', () => {
    let packs: { name: string; sizeBytes: number }[] = [];
    let [copied, most, written] = [0, 0, 0];
    for (let i = 0; i < 10_000; i += 1) {
      if (packs.length >= FOLD_AT_PACKS) {
        const chosen = new Set(planFold(packs));
        const sizeBytes = packs.reduce((sum, pack) => sum + (chosen.has(pack.name) ? pack.sizeBytes : 0), 0);
        copied += sizeBytes;
        packs = [...packs.filter(({ name }) => !chosen.has(name)), { name: `folded ${i}`, sizeBytes }];
      }
      const sizeBytes = 2_000 + ((i * 7919) % 1_000);
      written += sizeBytes;
      packs.push({ name: `${i}`, sizeBytes });
      most = Math.max(most, packs.length);
    }
    expect(most).toBe(FOLD_AT_PACKS);
    expect(copied / written).toBeLessThan(4);
  });

  test('never folds more at once than a bounded number of bytes', () => {
    const packs = Array.from({ length: 60 }, (_, i) => ({ name: `${i}`, sizeBytes: 4_000_000 }));
    expect(planFold(packs)).toHaveLength(4);
  });
});

test('git pushes and clones what memgit wrote, and memgit opens the clone', async () => {
  const gitdir = freshGitdir();
  const repository = await createSample(gitdir);
  for (let i = 0; i < 5; i += 1) await addFile(repository, `f${i}`, `${i}`);
  const clone = freshGitdir();
  git(clone, ['clone', '--mirror', '-q', '--no-local', gitdir, clone]);
  const opened = await Repository.open(clone);
  expect(await opened.head()).toBe(await repository.head());
  await addFile(opened, 'in the clone', 'x');
  git(clone, ['-c', 'remote.origin.mirror=false', 'push', '-q', gitdir, 'refs/heads/main:refs/heads/main']);
  expect((await filesAt(repository, await repository.head())).has('in the clone')).toBe(true);
});

test('two processes and two repositories of this one lose nothing', async () => {
  const gitdir = freshGitdir();
  await (await createSample(gitdir)).close();
  const script = join(folder, 'writer.cjs');
  buildSync({ entryPoints: [join(__dirname, '../support/git-writer.ts')], outfile: script, bundle: true, platform: 'node', format: 'cjs', logLevel: 'error' });
  const run = (prefix: string): Promise<number | null> =>
    new Promise((resolve) => spawn(process.execPath, [script, gitdir, prefix, '60'], { stdio: 'inherit' }).on('exit', resolve));
  const here = [await Repository.open(gitdir), await Repository.open(gitdir)];
  const local = here.map(async (repository, n) => {
    for (let i = 0; i < 20; i += 1) await addFile(repository, `here${n}-${i}`, `${i}`);
  });
  expect(await Promise.all([run('x'), run('y')])).toEqual([0, 0]);
  await Promise.all(local);
  const files = await filesAt(here[0]!, await here[0]!.head());
  const expected = ['start', ...['x', 'y'].flatMap((p) => Array.from({ length: 60 }, (_, i) => `${p}-${i}`)), ...[0, 1].flatMap((n) => Array.from({ length: 20 }, (_, i) => `here${n}-${i}`))];
  expect([...files.keys()].sort()).toEqual(expected.sort());
  expect(files.get('x-7')).toBe(oidOf('blob', Buffer.from('x 7')));
  expect(git(gitdir, ['rev-list', '--count', 'main']).trim()).toBe('161');
  expect(git(gitdir, ['fsck', '--strict', '--full'])).toBe('');
});
