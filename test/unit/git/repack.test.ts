/** `Repository.gc`: it makes one small pack, loses nothing whoever else is at work and wherever it stops, and needs no git. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { isMemgitError } from '../../../src/errors.ts';
import { nodeFileSystem, type FileSystem } from '../../../src/git/fs.ts';
import { describeSelf, encodeOwner } from '../../../src/git/owner.ts';
import { oidOf, type Oid } from '../../../src/git/objects.ts';
import { PackIndex } from '../../../src/git/pack-index.ts';
import { assemblePack, encodePackEntry } from '../../../src/git/pack-write.ts';
import { Repository } from '../../../src/git/repository.ts';
import { addFile, blob, commitObjects, createSample, everyObject, filesAt, git, temporaryFolder } from '../../support/git-repository.ts';

const folder = temporaryFolder();
let count = 0;
const freshGitdir = (): string => join(folder, `${(count += 1)}.git`);
const packs = (gitdir: string): string[] => readdirSync(join(gitdir, 'objects/pack')).filter((name) => name.endsWith('.pack'));
const own = (gitdir: string): string[] => readdirSync(join(gitdir, 'memgit')).filter((name) => name.startsWith('repack-'));

async function createBusy(gitdir: string, files = 20): Promise<Repository> {
  const repository = await createSample(gitdir);
  for (let i = 0; i < files; i += 1) await addFile(repository, `a file with a long name ${i}`, `text ${i}`);
  return repository;
}

async function expectAll(repository: Repository, oids: readonly Oid[]): Promise<void> {
  for (const oid of oids) {
    const { type, body } = await repository.read(oid);
    expect(oidOf(type, body)).toBe(oid);
  }
}

async function withoutGit<T>(action: () => Promise<T>): Promise<T> {
  const path = process.env['PATH'];
  process.env['PATH'] = '';
  try {
    return await action();
  } finally {
    process.env['PATH'] = path;
  }
}

test('leaves one pack, with deltas and with what no ref leads to, and whoever had the repository open reads on', async () => {
  const gitdir = freshGitdir();
  const repository = await createBusy(gitdir);
  const lost = blob('written by someone who died before the ref moved');
  await repository.update(async (head) => ({ ...commitObjects([], [head]), objects: [lost, ...commitObjects([], [head]).objects], result: undefined }));
  git(gitdir, ['update-ref', 'refs/heads/main', git(gitdir, ['rev-parse', 'main^']).trim()]);
  const objects = everyObject(gitdir).map(({ oid }) => oid);
  const reader = await Repository.open(gitdir, { readOnly: true });
  const before = await repository.stats();

  await repository.gc();
  const after = await repository.stats();
  expect([after.packs, after.bytesOnDisk < before.bytesOnDisk / 3]).toEqual([1, true]);
  expect(objects).toContain(oidOf('blob', lost.body));
  for (const each of [repository, reader, await Repository.open(gitdir)]) await expectAll(each, objects);
  expect(git(gitdir, ['fsck', '--strict', '--full', '--no-dangling'])).toBe('');
  expect(own(gitdir)).toEqual([]);
  for (const name of readdirSync(join(gitdir, 'objects/pack'))) expect(statSync(join(gitdir, 'objects/pack', name)).mode & 0o077).toBe(0);

  await addFile(repository, 'after', 'after');
  await repository.gc();
  await repository.gc();
  expect(packs(gitdir)).toHaveLength(1);
  expect((await filesAt(reader, await reader.head())).has('after')).toBe(true);
});

// Seen to fail without the sync of the pack: those that it replaces are removed once it is there.
test('the pack of everything is on the disk before a pack goes', async () => {
  const gitdir = freshGitdir();
  const repository = await createBusy(gitdir);
  const handle = await open(join(gitdir, 'HEAD'));
  const sync = jest.spyOn(Object.getPrototypeOf(handle) as FileHandle, 'sync');
  const unlink = jest.spyOn(nodeFileSystem, 'unlink');
  await handle.close();
  await repository.gc();
  const firstGone = unlink.mock.invocationCallOrder[unlink.mock.calls.findIndex(([path]) => path.endsWith('.pack'))];
  expect(sync.mock.invocationCallOrder[0]).toBeLessThan(firstGone!);
  sync.mockRestore();
  unlink.mockRestore();
});

describe('packs that are a day old and have no index', () => {
  const pathOf = (gitdir: string, name: string): string => join(gitdir, 'objects/pack', name);
  const indexOf = (pack: string): string => pack.replace(/pack$/, 'idx');

  /** Takes the lock for the first time, which clears what others left. */
  async function clearAfter(gitdir: string, what: (pack: string) => void): Promise<Repository> {
    for (const pack of packs(gitdir)) {
      what(pack);
      utimesSync(pathOf(gitdir, pack), 0, 0);
    }
    const repository = await Repository.open(gitdir);
    await repository.update(async () => ({ result: undefined }));
    return repository;
  }

  // Seen to fail with each of them removed.
  test('get one where they hold what is nowhere else', async () => {
    const gitdir = freshGitdir();
    await (await createBusy(gitdir, 3)).close();
    const objects = everyObject(gitdir).map(({ oid }) => oid);
    const made = packs(gitdir);
    const repository = await clearAfter(gitdir, (pack) => { rmSync(pathOf(gitdir, indexOf(pack))); });
    await expectAll(repository, objects);
    expect(packs(gitdir)).toEqual(made);
    expect(git(gitdir, ['fsck', '--strict', '--full'])).toBe('');
  });

  // Seen to fail with what cannot be read taken for worthless.
  test('stay where they cannot be read', async () => {
    const gitdir = freshGitdir();
    await (await createBusy(gitdir, 3)).close();
    const made = packs(gitdir);
    await clearAfter(gitdir, (pack) => {
      rmSync(pathOf(gitdir, indexOf(pack)));
      const bytes = readFileSync(pathOf(gitdir, pack));
      bytes[bytes.length - 30]! ^= 1;
      writeFileSync(pathOf(gitdir, pack), bytes);
    });
    expect(packs(gitdir)).toEqual(made);
  });

  // Seen to fail with each of them kept, and with those removed that are marked or young.
  test('go where all that they hold is elsewhere', async () => {
    const gitdir = freshGitdir();
    const repository = await createBusy(gitdir, 3);
    const copies = packs(gitdir).map((pack) => [pack, readFileSync(pathOf(gitdir, pack))] as const);
    await repository.gc();
    await repository.close();
    const made = packs(gitdir);
    for (const [pack, bytes] of copies) writeFileSync(pathOf(gitdir, pack), bytes);
    const [marked, young] = copies.map(([pack]) => pack);
    writeFileSync(pathOf(gitdir, marked!.replace(/pack$/, 'keep')), '');
    writeFileSync(pathOf(gitdir, copies[2]![0].replace(/pack$/, 'rev')), '');
    utimesSync(pathOf(gitdir, copies[2]![0].replace(/pack$/, 'rev')), 0, 0);
    for (const [pack] of copies) if (pack !== young) utimesSync(pathOf(gitdir, pack), 0, 0);
    await (await Repository.open(gitdir)).update(async () => ({ result: undefined }));
    expect(packs(gitdir).sort()).toEqual([...made, marked, young].sort());
    expect(readdirSync(join(gitdir, 'objects/pack')).filter((name) => name.endsWith('.rev'))).toEqual([]);
  });

  test('are left to git where git made them', async () => {
    const gitdir = freshGitdir();
    const repository = await createBusy(gitdir, 3);
    const objects = everyObject(gitdir).map(({ oid }) => oid);
    await repository.gc();
    await repository.close();
    const made = packs(gitdir);
    await clearAfter(gitdir, (pack) => { rmSync(pathOf(gitdir, indexOf(pack))); });
    expect(packs(gitdir)).toEqual(made);
    git(gitdir, ['index-pack', pathOf(gitdir, made[0]!)]);
    await expectAll(await Repository.open(gitdir), objects);
  });
});

/** Seen to fail where the copy that was met last was kept: packs are met by size. */
test.each([['a larger', 1], ['a smaller', 0]])('of two copies, one of them broken and in %s pack, the whole one is kept', async (_, others) => {
  const gitdir = freshGitdir();
  const repository = await createBusy(gitdir, 2);
  const oids = everyObject(gitdir).map(({ oid }) => oid);
  const copies = await Promise.all(oids.map(async (oid) => encodePackEntry(await repository.read(oid))));
  for (const [i, copy] of copies.entries()) {
    // The checksum of the compressed bytes is what only unpacking looks at.
    const bytes = Buffer.from(copy.bytes);
    bytes[bytes.length - 1]! ^= 1;
    const large = await Promise.all(Array.from({ length: others * 20 }, async (_unused, n) => encodePackEntry(blob(`${i} ${n} ${'x'.repeat(n)}`))));
    const { name, pack, index } = assemblePack([{ ...copy, bytes, crc32: crc32(bytes) }, ...large]);
    for (const [extension, content] of [['pack', pack], ['idx', index]] as const) writeFileSync(join(gitdir, `objects/pack/pack-${name}.${extension}`), content);
  }
  await withoutGit(async () => (await Repository.open(gitdir)).gc());
  expect(packs(gitdir)).toHaveLength(1);
  await expectAll(await Repository.open(gitdir), oids);
});

test('a pack that is marked stays, and so does one that came while git was packing', async () => {
  const gitdir = freshGitdir();
  const repository = await createBusy(gitdir, 3);
  const kept = packs(gitdir)[0]!;
  writeFileSync(join(gitdir, 'objects/pack', kept.replace('.pack', '.keep')), '');
  const writer = await Repository.open(gitdir);
  const writing = (async () => {
    for (let i = 0; i < 60; i += 1) await addFile(writer, `meanwhile ${i}`, `${i}`);
  })();
  await Promise.all([repository.gc(), writing]);
  expect(packs(gitdir)).toContain(kept);
  expect((await filesAt(repository, await repository.head())).size).toBe(1 + 3 + 60);
  await expectAll(repository, everyObject(gitdir).map(({ oid }) => oid));
  expect(git(gitdir, ['fsck', '--strict', '--full', '--no-dangling'])).toBe('');
});

test('without git, packs are merged as they are', async () => {
  const gitdir = freshGitdir();
  const repository = await createBusy(gitdir);
  const objects = everyObject(gitdir).map(({ oid }) => oid);
  await withoutGit(() => repository.gc());
  expect(packs(gitdir)).toHaveLength(1);
  await expectAll(repository, objects);
  await withoutGit(() => repository.gc());
  expect(git(gitdir, ['fsck', '--strict', '--full', '--no-dangling'])).toBe('');
});

test.each([['with git', false], ['without git', true]])('stopped at any call, %s, it loses nothing', async (_name, alone) => {
  const changing = ['create', 'mkdir', 'rename', 'unlink', 'syncDirectory'] as const;
  for (let stopAt = 1, finished = false; !finished; stopAt += 1) {
    const gitdir = freshGitdir();
    await (await createBusy(gitdir, 2)).close();
    const objects = everyObject(gitdir).map(({ oid }) => oid);
    let calls = 0;
    const failing = { ...nodeFileSystem };
    for (const name of changing) {
      Object.assign(failing, {
        [name]: async (...args: [string, string]) => {
          calls += 1;
          if (calls >= stopAt) throw new Error('the machine is off');
          return (nodeFileSystem[name] as (...args: string[]) => Promise<unknown>)(...args);
        },
      });
    }
    const dying = await Repository.open(gitdir, { fs: failing satisfies FileSystem });
    const collect = () => dying.gc();
    finished = await (alone ? withoutGit(collect) : collect()).then(() => true, () => false);
    git(gitdir, ['fsck', '--strict', '--full', '--no-dangling']);
    const after = await Repository.open(gitdir, { lockTimeoutMs: 50 });
    await expectAll(after, objects);
    expect(stopAt).toBeLessThan(60);
  }
});

test('a damaged object stops it before anything is changed', async () => {
  const gitdir = freshGitdir();
  const repository = await createBusy(gitdir, 3);
  const [first] = packs(gitdir);
  const path = join(gitdir, 'objects/pack', first!);
  const bytes = Buffer.alloc(statSync(path).size, 7);
  writeFileSync(path, bytes);
  const before = packs(gitdir);
  const error: unknown = await repository.gc().catch((thrown: unknown) => thrown);
  expect(isMemgitError(error, 'CORRUPT')).toBe(true);
  expect(packs(gitdir)).toEqual(before);
  expect(own(gitdir)).toEqual([]);
});

/** Seen to fail with the pack that was there kept: the only whole copy went. */
test('a pack of the same name that has rotted is replaced', async () => {
  const gitdir = freshGitdir();
  const repository = await createBusy(gitdir);
  const oids = everyObject(gitdir).map(({ oid }) => oid);
  const objects = await Promise.all(oids.map(async (oid) => repository.read(oid)));
  await repository.gc();
  await repository.close();
  const [made] = packs(gitdir);
  const path = join(gitdir, 'objects/pack', made!);
  const sound = readFileSync(path);
  const rotten = Buffer.from(sound);
  rotten.fill(0, 200, sound.length - 200);
  rmSync(path);
  writeFileSync(path, rotten);
  utimesSync(path, 0, 0);
  const { name, pack, index } = assemblePack(await Promise.all(objects.map(encodePackEntry)));
  for (const [extension, content] of [['pack', pack], ['idx', index]] as const) writeFileSync(join(gitdir, `objects/pack/pack-${name}.${extension}`), content);
  const reader = await Repository.open(gitdir);
  await expectAll(reader, oids);
  await (await Repository.open(gitdir)).gc();
  expect(packs(gitdir)).toEqual([made]);
  expect(readFileSync(path).equals(sound)).toBe(true);
  await expectAll(reader, oids);
});

/** Seen to fail with what git does by itself. */
test('what no ref leads to is packed where there is a bitmap, too', async () => {
  const gitdir = freshGitdir();
  const repository = await createBusy(gitdir, 3);
  git(gitdir, ['repack', '-adbq']);
  expect(readdirSync(join(gitdir, 'objects/pack')).some((name) => name.endsWith('.bitmap'))).toBe(true);
  const oid = git(gitdir, ['hash-object', '-w', '--stdin'], 'loose').trim() as Oid;
  await repository.gc();
  const [made] = packs(gitdir);
  expect(packs(gitdir)).toHaveLength(1);
  expect(new PackIndex(readFileSync(join(gitdir, 'objects/pack', made!.replace(/pack$/, 'idx')))).offsetOf(oid)).toBeDefined();
});

/** Seen to fail with only files removed, and with the folder left where there is no file. */
test.each([[true], [false]])("git's indexes over several packs go, also those that it keeps in a folder (and in a file: %s)", async (file) => {
  const gitdir = freshGitdir();
  const repository = await createBusy(gitdir, 3);
  if (file) git(gitdir, ['multi-pack-index', 'write']);
  const chain = join(gitdir, 'objects/pack/multi-pack-index.d');
  mkdirSync(chain);
  writeFileSync(join(chain, 'multi-pack-index-chain'), '');
  await repository.gc();
  expect(readdirSync(join(gitdir, 'objects/pack'))).toHaveLength(2);
});

/** Seen to fail with git left to write the pack where it likes: each left a file as large as the repository among the packs. */
test('stopped while git writes it leaves nothing', async () => {
  const gitdir = freshGitdir();
  const repository = await createSample(gitdir);
  for (let i = 0; i < 4; i += 1) await addFile(repository, `${i}`, randomBytes(4_000_000).toString('latin1'));
  const before = readdirSync(join(gitdir, 'objects/pack')).sort();
  for (const stopAtBytes of [1, 1_000_000, 4_000_000]) {
    const stop = new AbortController();
    const packing = repository.gc({ signal: stop.signal });
    packing.catch(() => undefined);
    const written = () => readdirSync(gitdir, { recursive: true, encoding: 'utf8' }).filter((name) => /\/(?:made\.pack|tmp_pack_\w+)$/.test(name)).map((name) => statSync(join(gitdir, name), { throwIfNoEntry: false })?.size ?? 0);
    while (!written().some((size) => size >= stopAtBytes)) await sleep(1);
    stop.abort();
    await expect(packing).rejects.toMatchObject({ code: 'ABORTED' });
    expect(readdirSync(join(gitdir, 'objects/pack')).sort()).toEqual(before);
    expect(own(gitdir)).toEqual([]);
  }
  await repository.gc();
  expect(packs(gitdir)).toHaveLength(1);
});

test('on a full disk it says so, and tries no second time', async () => {
  const gitdir = freshGitdir();
  const repository = await createBusy(gitdir, 3);
  const [before, bin, path] = [packs(gitdir), join(folder, 'full-bin'), process.env['PATH']];
  mkdirSync(bin);
  writeFileSync(join(bin, 'git'), `#!/bin/sh\necho run >>${bin}/runs\necho 'fatal: sha1 file write error: No space left on device' >&2\nexit 128\n`, { mode: 0o755 });
  process.env['PATH'] = `${bin}:${path}`;
  try {
    await expect(repository.gc()).rejects.toMatchObject({ code: 'IO', message: expect.stringContaining('expected room on the disk') });
  } finally {
    process.env['PATH'] = path;
  }
  expect(readFileSync(join(bin, 'runs'), 'utf8')).toBe('run\n');
  expect(packs(gitdir)).toEqual(before);
  expect(own(gitdir)).toEqual([]);
});

test('what a dead one left is cleared, what a living one has is not', async () => {
  const gitdir = freshGitdir();
  const repository = await createBusy(gitdir, 2);
  for (const [name, owner] of [['repack-0000000000000001', { ...describeSelf(), boot: 'another' }], ['repack-0000000000000002', describeSelf()]] as const) {
    mkdirSync(join(gitdir, 'memgit', name));
    writeFileSync(join(gitdir, 'memgit', name, 'owner'), encodeOwner(owner));
  }
  await repository.gc();
  expect(own(gitdir)).toEqual(['repack-0000000000000002']);
});

test('a read-only repository refuses', async () => {
  const gitdir = freshGitdir();
  await createSample(gitdir);
  const error: unknown = await (await Repository.open(gitdir, { readOnly: true })).gc().catch((thrown: unknown) => thrown);
  expect(isMemgitError(error, 'READ_ONLY')).toBe(true);
});
