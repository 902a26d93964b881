/**
 * Owners of locks and single lock files: what a dead holder leaves is broken and cleared away, and all doubt counts as alive. Seen to fail
 * with the host, the machine, the pid namespace, the start of a process or its being a zombie not looked at, with a lock never broken, and with what a
 * dead owner left not cleared, and with an abandoned owner not forgotten.
 */
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, linkSync, readdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { nodeFileSystem, type FileSystem } from '../../../src/git/fs.ts';
import { decodeOwner, describeSelf, encodeOwner, isDead, type Owner } from '../../../src/git/owner.ts';
import { Repository } from '../../../src/git/repository.ts';
import { addFile, createSample, git, temporaryFolder } from '../../support/git-repository.ts';

const folder = temporaryFolder();
let count = 0;
const self = describeSelf();
const onLinux = self.boot !== '';

/** A process that has ended and was waited for, so its pid is free. */
const gonePid = spawnSync('true').pid;
const gone: Owner = { ...self, id: 'd'.repeat(16), pid: gonePid, started: '1' };

async function sample(options = {}): Promise<{ gitdir: string; lock: string; repository: Repository }> {
  const gitdir = join(folder, `${(count += 1)}.git`);
  return { gitdir, lock: join(gitdir, 'refs/heads/main.lock'), repository: await createSample(gitdir, { lockTimeoutMs: 60, ...options }) };
}

/** Leaves in a repository what `owner` would have left if it had died under the lock. */
function dieUnderLock(gitdir: string, owner: Owner): void {
  const own = join(gitdir, 'memgit', `lock-${owner.id}`);
  writeFileSync(own, encodeOwner(owner));
  linkSync(own, join(gitdir, 'refs/heads/main.lock'));
  writeFileSync(join(gitdir, 'memgit/tmp_memgit_ref'), 'x');
  writeFileSync(join(gitdir, 'objects/pack/tmp_memgit_pack'), 'x');
}

describe('an owner', () => {
  test('comes back as it was written, and nothing else does', () => {
    expect(decodeOwner(encodeOwner(self))).toEqual(self);
    const text = Buffer.from(encodeOwner(self)).toString();
    for (const other of ['', '{}\n', 'null\n', text.slice(0, -1), text.slice(0, 40), text.replace(/"pid":\d+/, '"pid":"1"'), text.replace(self.id, '../../etc')]) {
      expect(decodeOwner(Buffer.from(other))).toBeUndefined();
    }
  });

  test.each<[string, Owner, boolean]>([
    ['this process', self, false],
    ['a process that is gone', gone, true],
    ['a process of another host', { ...gone, host: `not-${hostname()}` }, false],
    ['a process of another machine of the same name', { ...gone, machine: 'another' }, false],
    ['a process that is gone, of whom no machine was written down', { ...gone, machine: undefined }, true],
    ['a process of another pid namespace', { ...gone, pidNamespace: 'pid:[1]' }, false],
    ['a running process without a start time', { ...self, started: '' }, false],
    ...(onLinux
      ? ([
          ['an earlier boot', { ...self, boot: 'earlier' }, true],
          ['a boot of another machine of the same name', { ...self, boot: 'another', machine: 'another' }, false],
          ['an earlier boot of another host', { ...self, boot: 'earlier', host: `not-${hostname()}` }, false],
          ['a process whose pid was used again', { ...self, started: '1' }, true],
        ] satisfies [string, Owner, boolean][])
      : []),
  ])('%s: dead is %s', (_what, owner, dead) => {
    expect(isDead(owner)).toBe(dead);
  });

  (onLinux ? test : test.skip)('a zombie is dead', async () => { // skipped without /proc, which tells it
    // The shell becomes a sleep, which never waits for the child that the shell had.
    const parent = spawn('sh', ['-c', 'sleep 30 & echo $!; exec sleep 30'], { stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      const pid = Number(await new Promise<Buffer>((resolve) => parent.stdout.once('data', resolve)));
      const stat = (): string[] => readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]!.split(' ');
      const until = async (condition: () => boolean): Promise<void> => { while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5)); };
      await until(() => readFileSync(`/proc/${parent.pid!}/comm`, 'latin1') === 'sleep\n');
      expect(isDead({ ...self, pid, started: stat()[19]! })).toBe(false);
      process.kill(pid);
      await until(() => stat()[0] === 'Z');
      expect(isDead({ ...self, pid, started: stat()[19]! })).toBe(true);
    } finally {
      parent.kill();
    }
  });
});

describe('a lock', () => {
  test('of a dead owner is broken, and what it left is cleared', async () => {
    const { gitdir, lock, repository } = await sample();
    await addFile(repository, 'a', 'a');
    dieUnderLock(gitdir, gone);
    await addFile(repository, 'b', 'b');
    await repository.close();
    expect(existsSync(lock)).toBe(false);
    expect(readdirSync(join(gitdir, 'memgit'))).toEqual([]);
    expect(readdirSync(join(gitdir, 'objects/pack')).filter((name) => name.startsWith('tmp'))).toEqual([]);
  });

  test('is taken also where a copy was put in place of the repository, without the file that names its owner', async () => {
    const { gitdir, repository } = await sample();
    cpSync(gitdir, `${gitdir}-copy`, { recursive: true });
    await addFile(repository, 'a', 'a');
    rmSync(gitdir, { recursive: true });
    cpSync(`${gitdir}-copy`, gitdir, { recursive: true });
    await addFile(repository, 'b', 'b');
    await repository.close();
    expect(readdirSync(join(gitdir, 'memgit'))).toEqual([]);
  });

  test('of a dead owner that was being broken by another dead one is broken', async () => {
    const { gitdir, repository } = await sample({ lockTimeoutMs: 5000 });
    await addFile(repository, 'a', 'a');
    const breaker: Owner = { ...gone, id: 'b'.repeat(16) };
    dieUnderLock(gitdir, gone);
    writeFileSync(join(gitdir, 'memgit', `break-${gone.id}`), encodeOwner(breaker));
    writeFileSync(join(gitdir, 'memgit', `break-${breaker.id}`), encodeOwner({ ...gone, id: 'c'.repeat(16) }));
    await addFile(repository, 'b', 'b');
    await repository.close();
    expect(readdirSync(join(gitdir, 'memgit'))).toEqual([]);
  });

  test('files that name each other as breakers end in LOCKED', async () => {
    const { gitdir, repository } = await sample();
    await addFile(repository, 'a', 'a');
    const breaker: Owner = { ...gone, id: 'b'.repeat(16) };
    dieUnderLock(gitdir, gone);
    writeFileSync(join(gitdir, 'memgit', `break-${gone.id}`), encodeOwner(breaker));
    writeFileSync(join(gitdir, 'memgit', `break-${breaker.id}`), encodeOwner(gone));
    await expect(addFile(repository, 'b', 'b')).rejects.toMatchObject({ code: 'LOCKED' });
  });

  test('that a living process is breaking is left to it', async () => {
    const { gitdir, lock, repository } = await sample();
    await addFile(repository, 'a', 'a');
    dieUnderLock(gitdir, gone);
    writeFileSync(join(gitdir, 'memgit', `break-${gone.id}`), encodeOwner({ ...self, id: 'a'.repeat(16) }));
    await expect(addFile(repository, 'b', 'b')).rejects.toMatchObject({ code: 'LOCKED' });
    expect(existsSync(lock)).toBe(true);
  });

  test.each<[string, Owner]>([
    ['a living process', { ...self, id: 'a'.repeat(16) }],
    ['another host', { ...gone, host: 'elsewhere' }],
  ])('of %s is waited for and then named', async (_what, owner) => {
    const { gitdir, lock, repository } = await sample();
    await addFile(repository, 'a', 'a');
    dieUnderLock(gitdir, owner);
    await expect(addFile(repository, 'b', 'b')).rejects.toMatchObject({ code: 'LOCKED', details: { host: owner.host, pid: owner.pid } });
    expect(decodeOwner(readFileSync(lock))).toEqual(owner);
    expect(existsSync(join(gitdir, 'memgit/tmp_memgit_ref'))).toBe(true);
    unlinkSync(lock);
    await addFile(repository, 'b', 'b');
  });

  test('of git is respected', async () => {
    const { lock, repository } = await sample();
    writeFileSync(lock, '');
    // Seen to fail without the file in the message: one that a dead git left is waited for in vain until somebody removes it.
    await expect(addFile(repository, 'a', 'a')).rejects.toMatchObject({ code: 'LOCKED', details: {}, message: expect.stringContaining(`remove ${lock}`) as string });
    unlinkSync(lock);
    await addFile(repository, 'a', 'a');
  });

  test('of memgit is respected by git', async () => {
    const { gitdir, repository } = await sample();
    const before = await repository.head();
    await addFile(repository, 'a', 'a');
    await repository.update((head) => {
      expect(() => git(gitdir, ['update-ref', 'refs/heads/main', before])).toThrow(/main\.lock/);
      return Promise.resolve({ result: head });
    });
    git(gitdir, ['update-ref', 'refs/heads/main', before]);
    expect(await repository.head()).toBe(before);
  });

  test('is waited for by another repository of the same process, until it is free', async () => {
    const { gitdir, repository } = await sample();
    const other = await Repository.open(gitdir);
    const impatient = await Repository.open(gitdir, { lockTimeoutMs: 5 });
    let waiting: Promise<unknown> = Promise.resolve();
    await repository.update(async (head) => {
      await expect(addFile(impatient, 'a', 'a')).rejects.toMatchObject({ code: 'LOCKED', details: { pid: process.pid } });
      waiting = addFile(other, 'b', 'b');
      return { result: head };
    });
    await waiting;
  });

  test('is not waited for any longer when the caller gives up', async () => {
    const { lock, repository } = await sample({ lockTimeoutMs: 60_000 });
    writeFileSync(lock, '');
    const controller = new AbortController();
    const waiting = repository.update(() => Promise.resolve({ result: 0 }), { signal: controller.signal });
    setTimeout(() => { controller.abort(); }, 10);
    await expect(waiting).rejects.toMatchObject({ code: 'ABORTED' });
  });
});

describe('calls that wait in a row', () => {
  /** Counts how often each looked for the lock. */
  function counting(lock: () => string, looks: { count: number }, given?: () => void): FileSystem {
    return {
      ...nodeFileSystem,
      link: async (existing, path) => {
        if (path === lock()) looks.count += 1;
        return nodeFileSystem.link(existing, path);
      },
      unlink: async (path) => {
        await nodeFileSystem.unlink(path);
        if (path === lock()) given?.();
      },
    };
  }

  // Seen to fail with a timeout of its own for each.
  test('wait for a stuck holder together', async () => {
    const looks = { count: 0 };
    const { lock, repository } = await sample({ fs: counting(() => lock, looks) });
    writeFileSync(lock, '');
    const failed: number[] = [];
    const calls = ['a', 'b', 'c', 'd'].map(async (name) => addFile(repository, name, name).catch((error: unknown) => {
      failed.push(looks.count);
      expect(error).toMatchObject({ code: 'LOCKED' });
    }));
    await Promise.all(calls);
    expect(failed[0]).toBeGreaterThan(2);
    expect(failed.slice(1)).toEqual([1, 2, 3].map((more) => failed[0]! + more));
    unlinkSync(lock);
    await addFile(repository, 'e', 'e');
    await repository.close();
  });

  // Seen to fail with a timeout from when it was asked for, whatever was done meanwhile.
  test('have their whole time for another one after those before them', async () => {
    let taken = 0;
    const { lock, repository } = await sample({ lockTimeoutMs: 1000, fs: counting(() => lock, { count: 0 }, () => {
      if ((taken += 1) > 1) return;
      writeFileSync(lock, '');
      setTimeout(() => unlinkSync(lock), 100);
    }) });
    const slow = repository.update(async () => {
      await sleep(1100);
      return { result: undefined };
    });
    await Promise.all([slow, addFile(repository, 'a', 'a')]);
    expect(taken).toBe(2);
    await repository.close();
  });
});

test('a repository that was dropped without closing leaves no owner behind', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const gitdir = join(folder, 'dropped.git');
  const owners = () => readdirSync(join(gitdir, 'memgit')).filter((name) => name.startsWith('lock-'));
  const kept = await createSample(gitdir);
  const dropped = await Promise.all([1, 2, 3].map(() => Repository.open(gitdir)));
  for (const [i, each] of dropped.entries()) await addFile(each, `${i}`, 'x');
  expect(owners().length).toBeGreaterThan(2);
  dropped.length = 0;
  for (let tries = 0; owners().length > 1 && tries < 200; tries += 1) {
    collect();
    await sleep(5);
  }
  expect(owners().length).toBeLessThanOrEqual(1);
  await addFile(kept, 'still', 'x');
  await kept.close();
});
