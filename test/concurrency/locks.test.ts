/**
 * Locks whose holders are dead, slow or many: a dead one's is broken once and by one, a living one's never, and nobody waits for
 * longer than the time that was set. What a single lock file says is in test/unit/git/lock.test.ts. Seen to fail with a lock broken
 * without the second lock, with a stopped process taken for dead, and with a `close` that takes the lock beside another one.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, linkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FOLD_AT_PACKS } from '../../src/git/fold.ts';
import { nodeFileSystem, type FileSystem } from '../../src/git/fs.ts';
import { describeSelf, encodeOwner } from '../../src/git/owner.ts';
import { Repository } from '../../src/git/repository.ts';
import { generateKey, openStore } from '../../src/index.ts';
import { VaultRepository } from '../../src/vault/vault-repository.ts';
import { expectWhole } from '../support/doomed-vault.ts';
import { addFile, createSample, filesAt, git, temporaryFolder } from '../support/git-repository.ts';
import { startAgent } from '../support/processes.ts';
import { randomFrom, seed } from '../support/random.ts';
import { judge } from '../support/replay.ts';
import { collect, createTmpVault, FIRST_TIME_MS, writeFile } from '../support/tmp-vault.ts';

jest.setTimeout(process.env['SLOW'] === '1' ? 3_600_000 : 300_000);

const folder = temporaryFolder();
const slow = process.env['SLOW'] === '1';

/** A disk on which every call takes its time, each another: calls of several meet in every order. */
function unevenDisk(random: () => number): FileSystem {
  const slowed = Object.entries(nodeFileSystem).map(([name, call]) => [name, async (...args: never[]) => {
    for (let turns = Math.floor(random() * 4); turns > 0; turns -= 1) await new Promise((resolve) => setImmediate(resolve));
    return (call as (...args: never[]) => unknown).apply(nodeFileSystem, args);
  }] as const);
  return { ...(Object.fromEntries(slowed) as unknown as FileSystem), syncDirectory: async () => {} };
}

test(`many who find a dead lock at once break it once, and all get their turn (SEED=${seed})`, async () => {
  const { pid } = spawnSync('true');
  const random = randomFrom(seed);
  for (let round = 0; round < (slow ? 1000 : 20); round += 1) {
    const gitdir = join(folder, `dead-${round}.git`);
    await (await createSample(gitdir)).close();
    const others = await Promise.all(Array.from({ length: 4 }, () => Repository.open(gitdir, { fs: unevenDisk(random) })));
    await addFile(others[0]!, 'first', 'first');
    const dead = { ...describeSelf(), id: 'd'.repeat(16), pid, started: '1' };
    const own = join(gitdir, 'memgit', `lock-${dead.id}`);
    writeFileSync(own, encodeOwner(dead));
    linkSync(own, join(gitdir, 'refs/heads/main.lock'));
    await Promise.all(others.map((each, i) => addFile(each, `${i}`, `${i}`)));
    expect((await filesAt(others[0]!, await others[0]!.head())).size).toBe(2 + others.length);
    expect(git(gitdir, ['rev-list', '--count', 'main'])).toBe(`${2 + others.length}\n`);
    await Promise.all(others.map((each) => each.close()));
  }
});

test('a holder that is stopped in the middle is waited for, named, and not robbed', async () => {
  const [dir, key] = [join(folder, 'stopped'), await generateKey()];
  const store = await openStore({ dir, key, lockTimeoutMs: 200 });
  const vault = await store.vault('alice');
  const agent = startAgent({ dir, key, who: 'slow', seed: 1, count: 300 });
  const lock = join(vault.gitdir, 'refs/heads/main.lock');
  try {
    await new Promise((resolve) => agent.process.stdout!.once('data', resolve));
    for (let held = false; !held; ) {
      agent.process.kill('SIGSTOP');
      await sleep(20);
      held = existsSync(lock);
      if (!held) agent.process.kill('SIGCONT');
      await sleep(3);
    }
    await expect(vault.write('/memories/mine.md', 'mine')).rejects.toMatchObject({ code: 'LOCKED', details: { pid: agent.process.pid } });
    agent.process.kill('SIGCONT');
    const { calls, stderr } = await agent.calls;
    expect(stderr).toBe('');
    const { unacknowledged } = await judge([calls], await collect(vault.log({ reverse: true })));
    expect(unacknowledged).toBe(0);
    await vault.write('/memories/mine.md', 'mine');
  } finally {
    agent.process.kill('SIGKILL');
  }
  await store.close();
});

test('closed by several at once, with changes still to come, it holds the lock once at a time', async () => {
  const gitdir = join(folder, 'closed.git');
  const [lock, calls] = [join(gitdir, 'refs/heads/main.lock'), [] as string[]];
  const fs: FileSystem = {
    ...unevenDisk(randomFrom(seed)),
    link: async (existing, path) => {
      const made = await nodeFileSystem.link(existing, path);
      if (path === lock) calls.push(made ? 'taken' : 'met');
      return made;
    },
    unlink: async (path) => {
      if (path === lock) calls.push('given');
      return nodeFileSystem.unlink(path);
    },
  };
  const repository = await createSample(gitdir, { fs });
  // The last of these packs the others, which are removed at the end, under the lock.
  for (let i = 0; i <= FOLD_AT_PACKS; i += 1) await addFile(repository, `${i}`, `${i}`);
  calls.length = 0;
  const changes = [1, 2].map((i) => addFile(repository, `late ${i}`, `${i}`));
  await Promise.all([...changes, repository.close(), repository.close(), repository.close()]);
  await repository.close();
  expect(calls).toEqual(Array(3).fill(['taken', 'given']).flat());
  expect(git(gitdir, ['rev-list', '--count', 'main'])).toBe(`${FOLD_AT_PACKS + 4}\n`);
  await expect(addFile(repository, 'x', 'x')).rejects.toMatchObject({ code: 'CLOSED' });
});

test('a clock that is set back changes nothing but what records claim', async () => {
  const made = await createTmpVault(folder);
  await made.vault.close();
  let timeMs = FIRST_TIME_MS;
  const vault = await VaultRepository.open(made.gitdir, made, { clock: () => (timeMs -= 86_400_000) });
  for (let i = 0; i < 5; i += 1) await writeFile(vault, 'a.txt', `${i}`);
  const times = git(made.gitdir, ['log', '--format=%ct', 'main']).trim().split('\n').map(Number);
  expect(times).toEqual([...times].sort((a, b) => b - a));
  expect((await vault.head()).record.sequence).toBe(5);
  await expectWhole(vault);
  await vault.close();
});
