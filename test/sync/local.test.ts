/** Push, fetch, pull and clone over a path, with the git that is installed. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fetchRemote } from '../../src/sync/fetch.ts';
import { pullRemote } from '../../src/sync/pull.ts';
import { pushRemote } from '../../src/sync/push.ts';
import { Bench } from '../support/remote-vault.ts';
import { contentsOf, textOf, writeFile } from '../support/tmp-vault.ts';

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
