/** What an operator asks of a long history, as whole processes, against plain git on the same history in clear. */
import { join } from 'node:path';
import { BARE_NODE, invoke, peakMemory, plainGit, type Invocation } from '../cli.ts';
import { sized, type Context } from '../context.ts';
import { longHistory } from '../long-history.ts';
import { single, takeTurns } from '../measure.ts';
import { runToFirstOutput } from '../processes.ts';
import { atMost, atMostOver, atMostTimesOrOver, row, type Row } from '../row.ts';

const MEMORY_BYTES_MAX = 200e6;

const START = [
  'the start of the command decides, with code that an earlier run compiled: half of it is node\'s own modules, that code and libsodium, a third opening the vault (the indexes of all packs, its keyring, the',
  'signature of its head). See docs/BENCHMARKS.md',
].join(' ');
const SIZES = 'status also takes the sizes of 400 entries from the path list, about 15 ms; the first one opens each of them.';
const VERSIONS = [
  'a third is the start of the command; opening 706 versions, inflating them and walking the index are a third, the rest is reading the index, comparing lines and collecting garbage.',
  'It took 17.8 times git\'s without the history index, and a sixth more of CPU before headers were decoded without encoding them again. See docs/BENCHMARKS.md',
].join(' ');

export async function historyRows(context: Context): Promise<Row[]> {
  const { memgit, plain, fileWith } = await longHistory(context);
  const count = sized(context, 1, 10, 20);
  const rows: Row[] = [];

  for (const args of [['log', '-n', '20'], ['show', 'HEAD'], ['status']]) {
    const figures = await takeTurns({ count }, { memgit: { run: invoke(memgit(...args)) }, node: { run: invoke(BARE_NODE) } });
    rows.push(row(`memgit ${args.join(' ')}`, 'ms', figures.memgit, [atMostOver('node -e 0', figures.node, 100)], { shortfall: args[0] === 'status' ? `${SIZES} Beyond that ${START}` : START }));
  }
  const { program, args, env } = memgit('log');
  const first = await takeTurns({ count }, { memgit: { run: () => runToFirstOutput(program, args, env) }, node: { run: invoke(BARE_NODE) } });
  rows.push(row('first line of memgit log', 'ms', first.memgit, [atMostOver('node -e 0', first.node, 100)], { shortfall: START }));

  const fifty = fileWith(50);
  const many = fileWith(500);
  const questions: [job: string, memgit: Invocation, git: Invocation][] = [
    ['memgit log --json, all of it', memgit('log', '--json'), plainGit(plain, 'log', '--numstat', 'main')],
    [`memgit log --path of a file with ${fifty.versions} changes`, memgit('log', '--path', `/memories/${fifty.path}`), plainGit(plain, 'log', '--follow', 'main', '--', fifty.path)],
    [`memgit blame of a file with ${many.versions} versions`, memgit('blame', `/memories/${many.path}`), plainGit(plain, 'blame', 'main', '--', many.path)],
  ];
  for (const [job, ours, theirs] of questions) {
    const figures = await takeTurns({ count: sized(context, 1, 5, 10), warmup: 1 }, { memgit: { run: invoke(ours) }, git: { run: invoke(theirs) } });
    const name = `git ${theirs.args.slice(1).filter((arg) => arg !== 'main' && arg !== '--' && !arg.includes('/')).join(' ')}`;
    rows.push(row(job, 'ms', figures.memgit, [atMostTimesOrOver(name, figures.git, { factor: 4, extra: 150, short: 50 })], job.includes('blame') ? { shortfall: VERSIONS } : {}));
    rows.push(row(`${job}: memory`, 'bytes', single(await peakMemory(ours, join(context.dir, 'peak'))), [atMost(MEMORY_BYTES_MAX)]));
  }
  return rows;
}
