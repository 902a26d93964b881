/** Moving a long history to a remote and back through the library, against plain git on the same repository. */
import { join } from 'node:path';
import type { VaultRepository } from '../../src/vault/vault-repository.ts';
import { cloneVault } from '../../src/sync/clone.ts';
import { pushRemote } from '../../src/sync/push.ts';
import { invoke, plainGit } from '../cli.ts';
import { sized, type Context } from '../context.ts';
import { longHistory } from '../long-history.ts';
import { applyStep } from '../make-vault.ts';
import { takeTurns } from '../measure.ts';
import { git } from '../processes.ts';
import { atMostTimes, atMostTimesOrOver, row, type Row } from '../row.ts';
import { openVault } from '../vaults.ts';

export async function syncRows(context: Context): Promise<Row[]> {
  const { store } = await longHistory(context);
  const { vault, repository } = await openVault(store);
  const { gitdir, wrapKey } = store;
  const dir = join(context.dir, 'remotes');
  let remotes = 0;
  /** A fresh bare repository each time: its address and folder. */
  const nextRemote = (): { name: string; folder: string; url: string } => {
    const name = `remote-${(remotes += 1)}`;
    const folder = join(dir, `${name}.git`);
    git(['init', '-q', '--bare', '-b', 'main', folder]);
    return { name, folder, url: `file://${folder}` };
  };

  let remote = nextRemote();
  const renew = async (): Promise<void> => {
    remote = nextRemote();
  };
  const rounds = { count: sized(context, 1, 2, 5), warmup: 0 };
  const firstPush = await takeTurns(rounds, {
    memgit: { before: renew, run: () => pushRemote(repository, remote) },
    git: { before: renew, run: () => invoke(plainGit(gitdir, 'push', '-q', remote.url, 'main'))() },
  });

  const ours = nextRemote();
  const theirs = nextRemote();
  await pushRemote(repository, ours);
  git(['push', '-q', theirs.url, 'main'], { cwd: gitdir });
  const oneMore = async (): Promise<void> => addCommit(repository, (remotes += 1));
  const nextPush = await takeTurns({ count: sized(context, 1, 8, 15) }, {
    memgit: { before: oneMore, run: () => pushRemote(repository, ours) },
    git: { before: oneMore, run: () => invoke(plainGit(gitdir, 'push', '-q', theirs.url, 'main'))() },
  });

  const clone = await takeTurns(rounds, {
    memgit: {
      run: () => {
        const target = join(dir, `clone-${(remotes += 1)}`, 'vault.git');
        return cloneVault({ remote: ours, folder: join(dir, 'cloning'), place: () => target, unlock: async () => ({ wrapKey }) });
      },
    },
    git: { run: () => invoke({ ...plainGit(''), args: ['clone', '-q', '--bare', ours.url, join(dir, `clone-${(remotes += 1)}.git`)] })() },
  });
  await vault.close();
  const remark = 'memgit in process, git as a process';
  return [
    row('first push of 10,000 commits', 'ms', firstPush.memgit, [atMostTimes('git push', firstPush.git, 3)], remark),
    row('push of one more commit', 'ms', nextPush.memgit, [atMostTimesOrOver('git push', nextPush.git, { factor: 2, extra: 200 })], remark),
    row('clone of 10,000 commits', 'ms', clone.memgit, [atMostTimes('git clone', clone.git, 5)], `${remark}; every signature is checked`),
  ];
}

async function addCommit(repository: VaultRepository, n: number): Promise<void> {
  await applyStep(repository, { op: 'create', path: `pushed/${n}.md`, text: `one more ${n}\n`, toolUseId: 'toolu_01A09q90qw90lq917835lq9' });
}
