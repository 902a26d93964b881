/** Agents as processes of their own, on the built package. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
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
  const calls = async () => {
    const [stdout, stderr, [exit]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close') as Promise<[number | null]>]);
    return { calls: readTold(stdout), stderr, exit };
  };
  return { process: child, calls: calls() };
}
