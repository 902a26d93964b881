/**
 * A user's own configuration of git is theirs to have, for what it says of the way to a remote; what it says of packs, refs and the
 * rest changes nothing here. Seen to fail, each by itself, without `pack.indexVersion`, `core.logAllRefUpdates` and `push.pushOption`
 * in the settings; `fetch.unpackLimit` goes before `transfer.unpackLimit` from git 2.43 on only.
 */
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fetchRemote } from '../../src/sync/fetch.ts';
import { pullRemote } from '../../src/sync/pull.ts';
import { pushRemote } from '../../src/sync/push.ts';
import { git } from '../support/git-repository.ts';
import { Bench } from '../support/remote-vault.ts';
import { writeFile } from '../support/tmp-vault.ts';

const CONFIG = `
[fetch]
  unpackLimit = 1000
  prune = true
  fsckObjects = true
[transfer]
  unpackLimit = 1000
[pack]
  indexVersion = 1
  packSizeLimit = 1m
  compression = 0
[push]
  recurseSubmodules = only
  pushOption = something
  followTags = true
  default = nothing
[core]
  logAllRefUpdates = always
  sharedRepository = all
  bigFileThreshold = 1k
[feature]
  experimental = true
[gc]
  auto = 1
`;

const bench = new Bench();
const saved = process.env['HOME'];
beforeAll(() => {
  const home = join(bench.folder, 'home');
  mkdirSync(home);
  writeFileSync(join(home, '.gitconfig'), CONFIG);
  process.env['HOME'] = home;
});
afterAll(async () => {
  process.env['HOME'] = saved;
  await bench.close();
});

test('pushed, cloned, pulled and packed as without it', async () => {
  const bare = bench.bare();
  const remote = { name: 'origin', url: bare };
  const { vault, gitdir, wrapKey } = await bench.vault();
  await writeFile(vault, 'a.txt', 'a\n');
  expect(await pushRemote(vault, remote)).toMatchObject({ commits: 2 });
  const copy = await bench.clone(bare, wrapKey);
  await writeFile(vault, 'b.txt', 'b\n');
  expect(await pushRemote(vault, remote)).toMatchObject({ commits: 1 });
  expect(await fetchRemote(copy.vault, remote)).toMatchObject({ commits: 1 });
  await pullRemote(copy.vault, remote);
  expect((await copy.vault.head()).oid).toBe((await vault.head()).oid);
  for (const each of [{ vault, gitdir }, copy]) {
    await each.vault.repository.gc();
    await each.vault.repository.gc();
    const files = readdirSync(each.gitdir, { recursive: true, encoding: 'utf8' });
    expect(files.filter((name) => name.endsWith('.pack'))).toHaveLength(1);
    expect(files.filter((name) => /^(?:logs|objects\/[0-9a-f]{2})(?:\/|$)/.test(name))).toEqual([]);
    expect(files.filter((name) => (statSync(join(each.gitdir, name)).mode & 0o077) !== 0)).toEqual([]);
    expect(git(each.gitdir, ['fsck', '--strict', '--full'])).toBe('');
    await writeFile(each.vault, 'c.txt', 'c\n');
  }
});
