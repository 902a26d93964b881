/** The vault that questions about history are asked of: 10,000 commits by 200 sessions on 200 notes; and the same in clear. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { commandFor, type Memgit } from './cli.ts';
import { sized, type Context } from './context.ts';
import { makeVault } from './make-vault.ts';
import { makePlainTwin } from './plain-twin.ts';
import { git } from './processes.ts';
import { openVault, type BenchStore } from './vaults.ts';

export interface LongHistory {
  readonly store: BenchStore;
  readonly memgit: Memgit;
  /** A bare repository, after `git gc`. */
  readonly plain: string;
  readonly commits: number;
  /** The file that is there and whose number of versions is nearest to the wanted one. */
  readonly fileWith: (versions: number) => { path: string; versions: number };
}

const made = new WeakMap<Context, Promise<LongHistory>>();

/** Makes it when it is first asked for. */
export async function longHistory(context: Context): Promise<LongHistory> {
  let history = made.get(context);
  if (!history) made.set(context, (history = make(context)));
  return history;
}

async function make(context: Context): Promise<LongHistory> {
  context.say('making a long history');
  const commits = sized(context, 60, 10_000);
  const plan = { seed: 3, commits, notes: sized(context, 10, 200), noteBytes: 4096, sessions: sized(context, 3, 200) };
  const built = await makeVault(join(context.scratch, 'history'), plan);
  const dir = join(context.dir, 'history');
  cpSync(built.dir, dir, { recursive: true });
  const store = { ...built, dir, gitdir: built.gitdir.replace(built.dir, dir) };

  const plain = join(context.dir, 'history-in-clear.git');
  const { vault, repository } = await openVault(store);
  await makePlainTwin(repository, plain);
  await vault.close();
  return { store, memgit: commandFor(store, join(context.scratch, 'program')), plain, commits, fileWith: countVersions(plain) };
}

function countVersions(plain: string): LongHistory['fileWith'] {
  const counts = new Map<string, number>();
  for (const path of git(['log', '--no-renames', '--name-only', '--format='], { cwd: plain }).split('\n')) counts.set(path, (counts.get(path) ?? 0) + 1);
  const present = git(['ls-tree', '-r', '--name-only', 'main'], { cwd: plain }).trim().split('\n').filter((path) => path.endsWith('.md'));
  return (versions) => {
    const distance = (path: string): number => Math.abs(counts.get(path)! - versions);
    const path = present.reduce((best, next) => (distance(next) < distance(best) ? next : best));
    return { path, versions: counts.get(path)! };
  };
}
