/** Agents as processes of their own, on the built package. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readTold, type Call } from './replay.ts';

export interface AgentTask {
  readonly dir: string;
  readonly key: string;
  readonly who: string;
  readonly seed: number;
  readonly count: number;
}

export interface RunningAgent {
  readonly process: ChildProcess;
  /** Resolves when the process is over, however it ended. */
  readonly calls: Promise<{ readonly calls: readonly Call[]; readonly stderr: string; readonly exit: number | null }>;
}

export function startAgent({ dir, key, who, seed, count }: AgentTask): RunningAgent {
  const env = { ...process.env, STORE: dir, MEMGIT_KEY: key, WHO: who, SEED: `${seed}`, COUNT: `${count}` };
  const child = spawn(process.execPath, ['test/support/busy-agent.mjs'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => { said[name] += text; });
  }
  const calls = async () => {
    const [exit] = (await once(child, 'close')) as [number | null];
    return { calls: readTold(said.stdout), stderr: said.stderr, exit };
  };
  return { process: child, calls: calls() };
}
