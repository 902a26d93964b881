/** Moving a long history to a remote and back, as whole processes, against plain git on the same repository. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { nodeFileSystem } from '../../src/git/fs.ts';
import { pushRemote } from '../../src/sync/push.ts';
import type { VaultRepository } from '../../src/vault/vault-repository.ts';
import { StandIn } from '../../test/support/servers/stand-in.ts';
import { invoke, plainGit, type Invocation } from '../cli.ts';
import { sized, type Context } from '../context.ts';
import { countingReads } from '../file-systems.ts';
import { longHistory } from '../long-history.ts';
import { applyStep } from '../make-vault.ts';
import { single, takeTurns } from '../measure.ts';
import { git } from '../processes.ts';
import { atMost, atMostTimes, atMostTimesOrOver, row, type Row } from '../row.ts';
import { openVault, type BenchStore } from '../vaults.ts';

const FILES_READ_MAX = 199;

const ONE_PUSH = [
  'four fifths are the start of the command, opening the vault, and one run of git, which starts six processes more on both ends, as plain git push does.',
  'The remote is not asked first where it was seen before; relating the heads, checking four objects and noting where the remote is take about 20 ms. See docs/BENCHMARKS.md',
].join(' ');
const WITHOUT_GIT = { PATH: '/nonexistent' };

export async function syncRows(context: Context): Promise<Row[]> {
  const { store, memgit } = await longHistory(context);
  const { gitdir } = store;
  const dir = join(context.dir, 'remotes');
  mkdirSync(dir);
  let names = 0;
  /** A fresh bare repository each time, which the vault knows by its name. */
  const nextRemote = async (): Promise<{ name: string; folder: string; url: string }> => {
    const name = `remote-${(names += 1)}`;
    const folder = join(dir, `${name}.git`);
    const url = `file://${folder}`;
    git(['init', '-q', '--bare', '-b', 'main', folder]);
    await invoke(memgit('remote', 'add', name, url))();
    return { name, folder, url };
  };
  const push = (url: string): Invocation => plainGit(gitdir, 'push', '-q', url, 'main');

  let remote = await nextRemote();
  const renew = async (): Promise<void> => {
    remote = await nextRemote();
  };
  const rounds = { count: sized(context, 1, 2, 5), warmup: 0 };
  const firstPush = await takeTurns(rounds, {
    memgit: { before: renew, run: () => invoke(memgit('push', remote.name))() },
    git: { before: renew, run: () => invoke(push(remote.url))() },
  });

  const [ours, theirs] = [await nextRemote(), await nextRemote()];
  await invoke(memgit('push', ours.name))();
  await invoke(push(theirs.url))();
  const { vault, repository } = await openVault(store);
  const oneMore = async (): Promise<void> => addCommit(repository, (names += 1));
  const nextPush = await takeTurns({ count: sized(context, 1, 8, 15) }, {
    memgit: { before: oneMore, run: invoke(memgit('push', ours.name)) },
    git: { before: oneMore, run: invoke(push(theirs.url)) },
  });
  await vault.close();

  const nextClone = (): string => join(dir, `clone-${(names += 1)}.git`);
  const clone = await takeTurns(rounds, {
    memgit: { run: () => invoke(memgit('clone', ours.url, nextClone()))() },
    git: { run: () => invoke({ ...plainGit(''), args: ['clone', '-q', '--bare', ours.url, nextClone()] })() },
  });
  const filesRead = await filesReadWithoutGit(store, dir, ours.name);
  return [
    row('first push of 10,000 commits', 'ms', firstPush.memgit, [atMostTimes('git push', firstPush.git, 3)]),
    row('push of one more commit', 'ms', nextPush.memgit, [atMostTimesOrOver('git push', nextPush.git, { factor: 2, extra: 200 })], { shortfall: ONE_PUSH }),
    row('clone of 10,000 commits', 'ms', clone.memgit, [atMostTimes('git clone', clone.git, 5)]),
    row('push of one more commit without git: files read', 'count', single(filesRead), [atMost(FILES_READ_MAX)], { remark: 'over HTTP' }),
  ];
}

/** How many files a push of one commit reads where there is no git, counted from the opening of the vault. */
async function filesReadWithoutGit(store: BenchStore, served: string, name: string): Promise<number> {
  const server = await StandIn.start(served);
  const remote = { name, url: server.url(`${name}.git`) };
  const saved = { PATH: process.env['PATH'] };
  Object.assign(process.env, WITHOUT_GIT);
  try {
    const before = await openVault(store);
    await pushRemote(before.repository, remote);
    await addCommit(before.repository, 0);
    await before.vault.close();

    const { fs, reads } = countingReads(nodeFileSystem);
    const { vault, repository } = await openVault(store, { fs });
    await pushRemote(repository, remote);
    await vault.close();
    return reads.files;
  } finally {
    Object.assign(process.env, saved);
    await server.stop();
  }
}

async function addCommit(repository: VaultRepository, n: number): Promise<void> {
  await applyStep(repository, { op: 'create', path: `pushed/${n}.md`, text: `one more ${n}\n`, toolUseId: 'toolu_01A09q90qw90lq917835lq9' });
}
