/** Push, fetch, pull and clone over a path, with the git that is installed. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { nodeFileSystem } from '../../src/git/fs.ts';
import type { Remote } from '../../src/git/remotes.ts';
import { fetchRemote } from '../../src/sync/fetch.ts';
import { pullRemote } from '../../src/sync/pull.ts';
import { pushRemote } from '../../src/sync/push.ts';
import { VaultRepository } from '../../src/vault/vault-repository.ts';
import { Bench } from '../support/remote-vault.ts';
import { contentsOf, reopen, textOf, writeFile } from '../support/tmp-vault.ts';

const bench = new Bench();
afterAll(async () => bench.close());

const origin = (url: string) => ({ name: 'origin', url });

test('a push, and a clone that has the same memory', async () => {
  const { vault, wrapKey } = await bench.vault();
  await writeFile(vault, 'a.txt', 'one\n');
  await writeFile(vault, 'b/c.txt', 'two\n');
  const url = bench.bare();
  const { oid: head } = await vault.head();
  expect(await pushRemote(vault, origin(url))).toEqual({ remote: 'origin', head, from: undefined, commits: 3 });
  expect(await pushRemote(vault, origin(url))).toEqual({ remote: 'origin', head, from: head, commits: 0 });

  const copy = await bench.clone(url, wrapKey);
  expect(await contentsOf(await copy.vault.snapshot())).toEqual(await contentsOf(await vault.snapshot()));
  expect((await copy.vault.head()).oid).toBe(head);
  expect(await copy.vault.repository.remotes()).toEqual([origin(url)]);
  expect(await copy.vault.repository.seenAt('origin')).toBe(head);
  expect(readdirSync(join(copy.gitdir, 'memgit'))).toEqual([]);
  execFileSync('git', ['--git-dir', copy.gitdir, 'fsck', '--strict']);

  await writeFile(copy.vault, 'b/c.txt', 'two and a half\n');
  const pushed = await pushRemote(copy.vault, origin(url));
  expect(pushed.commits).toBe(1);
  expect(await fetchRemote(vault, origin(url))).toEqual({ remote: 'origin', head: pushed.head, seen: head, commits: 1 });
  expect(await textOf(vault, 'b/c.txt')).toBe('two\n');
  expect(await pullRemote(vault, origin(url))).toMatchObject({ outcome: 'forward', head: pushed.head, conflicts: [] });
  expect(await textOf(vault, 'b/c.txt')).toBe('two and a half\n');
  expect(existsSync(join(url, 'refs/memgit'))).toBe(false);
});

// Seen to fail without the syncs before the name, and without the one after it.
test('a clone is on the disk before it has its name, and then its name is', async () => {
  const { vault, wrapKey } = await bench.vault();
  const url = bench.bare();
  await pushRemote(vault, origin(url));
  const [sync, rename] = [jest.spyOn(nodeFileSystem, 'syncDirectory'), jest.spyOn(nodeFileSystem, 'rename')];
  const { gitdir } = await bench.clone(url, wrapKey);
  const naming = rename.mock.calls.findIndex(([, to]) => to === gitdir);
  const [made] = rename.mock.calls[naming]!;
  const namedAt = rename.mock.invocationCallOrder[naming]!;
  const syncs = sync.mock.calls.map(([path], i) => ({ path, before: sync.mock.invocationCallOrder[i]! < namedAt }));
  sync.mockRestore();
  rename.mockRestore();
  for (const folder of ['objects/pack', 'objects', 'refs', '']) expect(syncs).toContainEqual({ path: join(made, folder), before: true });
  expect(syncs).toContainEqual({ path: dirname(gitdir), before: false });
});

// Seen to wait for the lock, and then to end in LOCKED, when it was asked for first.
test('a pull of nothing new does not wait for whoever is writing', async () => {
  const { vault, gitdir } = await bench.vault();
  const remote = origin(bench.bare());
  await pushRemote(vault, remote);
  const upToDate = { outcome: 'up-to-date', commits: 0, conflicts: [] };
  const whileLocked = async (): Promise<unknown> => {
    const lock = join(gitdir, 'refs/heads/main.lock');
    writeFileSync(lock, '');
    try {
      return await pullRemote(vault, remote);
    } finally {
      rmSync(lock);
    }
  };
  expect(await whileLocked()).toMatchObject({ ...upToDate, head: (await vault.head()).oid });
  await writeFile(vault, 'a.txt', 'not pushed yet\n');
  expect(await whileLocked()).toMatchObject({ ...upToDate, head: (await vault.head()).oid });
});

// Seen to move the remote's branch, and then to fail at noting where it is.
test('a vault that is open for reading only is not pushed', async () => {
  const made = await bench.vault();
  const url = bench.bare();
  const reading = await VaultRepository.open(made.gitdir, { wrapKey: made.wrapKey }, { readOnly: true });
  await expect(pushRemote(reading, origin(url))).rejects.toMatchObject({ code: 'READ_ONLY' });
  await reading.close();
  expect(readdirSync(join(url, 'refs/heads'))).toEqual([]);
});

/** Has something happen between what a vault finds out about its remote and its noting it. */
function beforeNoting({ repository }: VaultRepository, happen: () => Promise<unknown>): void {
  const accept = repository.acceptFrom.bind(repository);
  jest.spyOn(repository, 'acceptFrom').mockImplementationOnce(async (...args) => {
    await happen();
    return accept(...args);
  });
}

// Seen to put the pin back, and then to find nothing wrong with a host that went back, when it was noted without looking.
test.each<[string, (vault: VaultRepository, remote: Remote) => Promise<unknown>]>([
  ['fetch', async (vault, remote) => fetchRemote(vault, remote)],
  ['push of nothing new', async (vault, remote) => pushRemote(vault, remote)],
])('a slow %s does not put back where the remote was seen', async (what, act) => {
  const writer = await bench.vault();
  const remote = origin(bench.bare());
  await pushRemote(writer.vault, remote);
  const ours = await bench.clone(remote.url, writer.wrapKey);
  const slow = await reopen(ours);
  await writeFile(writer.vault, 'a.txt', 'one\n');
  const { head: first } = await pushRemote(writer.vault, remote);
  if (what !== 'fetch') {
    // Here the head came another way, so that a push only finds out that the remote has it.
    await pullRemote(ours.vault, remote);
    await ours.vault.repository.removeRemote('origin');
  }
  let second = first;
  beforeNoting(slow, async () => {
    await writeFile(writer.vault, 'a.txt', 'two\n');
    ({ head: second } = await pushRemote(writer.vault, remote));
    await pullRemote(ours.vault, remote);
  });
  await act(slow, remote);
  expect(await ours.vault.repository.seenAt('origin')).toBe(second);
  execFileSync('git', ['--git-dir', remote.url, 'update-ref', 'refs/heads/main', first]);
  await expect(pullRemote(ours.vault, remote)).rejects.toMatchObject({ code: 'ROLLBACK_DETECTED' });
  await slow.close();
});
