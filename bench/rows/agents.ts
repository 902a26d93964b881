/** Several agents at once in one process, each on a vault of its own: how much gets done, and how long others wait for the loop. */
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { sized, type Context } from '../context.ts';
import { importFiles } from '../make-vault.ts';
import { single, summarize } from '../measure.ts';
import { makeNotes, notePath, Replacements } from '../notes.ts';
import { makeSdkTool, sdkRival } from '../rivals.ts';
import { atLeastTimes, atMostTimes, row, type Row } from '../row.ts';
import { vaultJobs } from '../vault-jobs.ts';
import { makeStore } from '../vaults.ts';

const AGENTS = 8;
/** How often the loop is looked at; part of every delay that the histogram holds. */
const RESOLUTION_MS = 1;

const DELAY = [
  'a mutation computes about a millisecond in one piece (delta, sealing, two trees, signature, pack), the SDK\'s tool a tenth of that. Turns between',
  'vaults took the median from 4.8 to 1.4 ms and this from 30 to 15 at the same throughput; creates, renames and removals in the thread pool took 2 to 5 ms',
  'pieces away; dividing a mutation further made it slower than it made the delay shorter',
].join(' ');

type Agent = (path: string) => Promise<unknown>;

export async function agentRows(context: Context): Promise<Row[]> {
  const dir = join(context.dir, 'agents');
  const files = makeNotes(sized(context, 4, 100));
  const opened = await Promise.all(Array.from({ length: AGENTS }, (_, i) => makeStore(join(dir, `store-${i}`))));
  for (const { repository } of opened) await importFiles(repository, files);
  const vaults = opened.map(({ vault }) => vaultJobs(vault).replace);
  const tools: Agent[] = [];
  for (let i = 0; i < AGENTS; i += 1) tools.push(await sdkAgent(join(dir, `sdk-${i}`), files));

  const rounds = sized(context, 2, 8, 20);
  const each = sized(context, 2, 25);
  const rates = { one: [] as number[], all: [] as number[] };
  const delays = { memgit: [] as number[], sdk: [] as number[] };
  for (let round = -1; round < rounds; round += 1) {
    const one = await work(vaults.slice(0, 1), each * 2, files.size);
    const all = await work(vaults, each, files.size);
    const sdk = await work(tools, each, files.size);
    if (round < 0) continue;
    rates.one.push(one.perSecond);
    rates.all.push(all.perSecond);
    delays.memgit.push(all.delayMs);
    delays.sdk.push(sdk.delayMs);
  }
  for (const { vault } of opened) await vault.close();
  return [
    row(`str_replace by ${AGENTS} agents on ${AGENTS} vaults`, 'per second', summarize(rates.all), [atLeastTimes('one agent on one vault', summarize(rates.one), 1.5)]),
    row(`event-loop delay meanwhile, 99th percentile`, 'ms', single(summarize(delays.memgit).median), [
      atMostTimes(`${AGENTS} SDK tools`, single(summarize(delays.sdk).median), 2),
    ], { remark: `median of ${rounds} rounds; ${RESOLUTION_MS} ms of each figure is the sampling interval`, shortfall: DELAY }),
  ];
}

async function sdkAgent(dir: string, files: ReadonlyMap<string, string>): Promise<Agent> {
  const rival = sdkRival(await makeSdkTool(dir, files));
  const replacements = new Replacements();
  return (path) => {
    const { before, after } = replacements.next(path);
    return rival.replace(path, before, after);
  };
}

async function work(agents: readonly Agent[], each: number, files: number): Promise<{ perSecond: number; delayMs: number }> {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  const started = performance.now();
  await Promise.all(
    agents.map(async (agent) => {
      for (let i = 0; i < each; i += 1) await agent(notePath(i % files));
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  delay.disable();
  return { perSecond: (agents.length * each) / seconds, delayMs: delay.percentile(99) / 1e6 };
}
