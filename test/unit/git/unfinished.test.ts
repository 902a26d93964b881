/**
 * What a dead process left of a repository that it was making goes; what may still be needed stays. Seen to fail without the note of
 * the maker, and with living makers taken for dead.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRepository } from '../../../src/git/create.ts';
import { nodeFileSystem, type FileSystem } from '../../../src/git/fs.ts';
import { layoutOf } from '../../../src/git/layout.ts';
import { ObjectStore } from '../../../src/git/object-store.ts';
import { oidOf, type GitObject } from '../../../src/git/objects.ts';
import { describeProcess, describeSelf, type Owner } from '../../../src/git/owner.ts';
import { Quarantine } from '../../../src/git/quarantine.ts';
import { makerNote } from '../../../src/git/unfinished.ts';
import { temporaryFolder } from '../../support/git-repository.ts';

const root = temporaryFolder();
let count = 0;
const freshFolder = (): string => {
  const folder = join(root, `${(count += 1)}`);
  mkdirSync(folder);
  return folder;
};

const object: GitObject = { type: 'blob', body: Buffer.from('x') };
const first = { objects: [object], head: oidOf('blob', object.body) };

/** A process that has ended. */
const dead = (): Owner => describeProcess(spawnSync('true').pid);

function leave(folder: string, name: string, maker: Owner | undefined): void {
  const layout = layoutOf(join(folder, name));
  mkdirSync(layout.packs, { recursive: true });
  mkdirSync(layout.own);
  if (maker) writeFileSync(makerNote(layout, maker).path, makerNote(layout, maker).bytes);
}

test('a new repository and a quarantine clear what dead makers left beside them', async () => {
  for (const make of [
    async (folder: string) => createRepository(nodeFileSystem, join(folder, 'new.git'), first),
    async (folder: string) => (await Quarantine.create(nodeFileSystem, folder, undefined)).discard(),
  ]) {
    const folder = freshFolder();
    for (const name of ['tmp_memgit_', 'tmp_memgit_incoming-', 'incoming-']) {
      leave(folder, `${name}00000000000000aa`, dead());
      leave(folder, `${name}00000000000000bb`, describeSelf());
      leave(folder, `${name}00000000000000cc`, undefined);
    }
    leave(folder, '00000000000000dd', dead());
    leave(folder, 'tmp_memgit_mine', dead());
    writeFileSync(join(folder, 'tmp_memgit_00000000000000ee'), '');
    const elsewhere = freshFolder();
    leave(elsewhere, 'kept', dead());
    symlinkSync(join(elsewhere, 'kept'), join(folder, 'tmp_memgit_00000000000000ff'));
    await make(folder);
    expect(readdirSync(folder).filter((name) => name.endsWith('aa'))).toEqual([]);
    expect(readdirSync(folder).filter((name) => name !== 'new.git')).toHaveLength(10);
    expect(readdirSync(elsewhere)).toEqual(['kept']);
  }
});

/** Seen to fail without its note written first, and without what was made of it removed. */
test('a quarantine that cannot be made whole leaves nothing', async () => {
  for (let failing = 1, failed = true; failed; failing += 1) {
    const folder = freshFolder();
    let calls = 0;
    const refuse = <T extends unknown[], R>(call: (...args: T) => Promise<R>) => async (...args: T): Promise<R> => {
      calls += 1;
      if (calls === failing) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
      return call(...args);
    };
    const fs: FileSystem = { ...nodeFileSystem, mkdir: refuse(nodeFileSystem.mkdir), create: refuse(nodeFileSystem.create) };
    const trusted = { layout: layoutOf(folder), store: new ObjectStore(nodeFileSystem, layoutOf(folder)) };
    failed = await Quarantine.create(fs, folder, trusted).then(async (made) => { await made.discard(); return false; }, () => true);
    expect({ failing, left: readdirSync(folder) }).toEqual({ failing, left: [] });
    expect(failing).toBeLessThan(20);
  }
});

test('a maker that is killed before its repository is in place has left its note, and a finished one has none', async () => {
  const folder = freshFolder();
  const stopped = new Promise<void>((resolve) => {
    const fs: FileSystem = {
      ...nodeFileSystem,
      rename: async () => {
        resolve();
        return new Promise(() => undefined);
      },
    };
    void createRepository(fs, join(folder, 'new.git'), first);
  });
  await stopped;
  const [name] = readdirSync(folder);
  expect(readdirSync(join(folder, name!, 'memgit'))).toEqual(['tmp_memgit_maker']);
  await createRepository(nodeFileSystem, join(folder, 'new.git'), first);
  expect(readdirSync(join(folder, 'new.git', 'memgit'))).toEqual([]);
});
