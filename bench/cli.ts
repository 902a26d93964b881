/** The command as an operator runs it: a process of its own, from the built program. */
import { cpSync, existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GIT_ENVIRONMENT, run } from './processes.ts';
import { USER, type BenchStore } from './vaults.ts';

const BUILT = 'dist';

/** What to start, and with which arguments and environment. */
export interface Invocation {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** Runs the command on a store. */
export type Memgit = (...args: readonly string[]) => Invocation;

/** @param copy where the program is copied to, so that a build meanwhile does not matter, and keeps its compiled code */
export function commandFor({ dir, key }: BenchStore, copy: string): Memgit {
  if (!existsSync(join(BUILT, 'cli.cjs'))) throw new Error(`expected the built program in ${BUILT}, found none; run npm run build`);
  cpSync(BUILT, copy, { recursive: true });
  const env = { ...GIT_ENVIRONMENT, MEMGIT_STORE: dir, MEMGIT_USER: USER, MEMGIT_KEY: key, XDG_CACHE_HOME: copy };
  return (...args) => ({ program: process.execPath, args: [join(copy, 'cli.cjs'), ...args], env });
}

export function plainGit(gitdir: string, ...args: readonly string[]): Invocation {
  return { program: 'git', args: [`--git-dir=${gitdir}`, ...args], env: GIT_ENVIRONMENT };
}

/** node itself, doing nothing. */
export const BARE_NODE: Invocation = { program: process.execPath, args: ['-e', '0'], env: GIT_ENVIRONMENT };

export function invoke({ program, args, env }: Invocation): () => Promise<void> {
  return () => run(program, args, env);
}

/**
 * The most memory that an invocation of node ever held, in bytes: Linux's VmHWM, which begins anew with the program. What getrusage
 * says of a child begins with what its parent held when it was forked.
 *
 * @param scratch a file that may be written
 */
export async function peakMemory({ program, args, env }: Invocation, scratch: string): Promise<number> {
  const hook = `import { readFileSync, writeFileSync } from 'node:fs'; process.on('exit', () => writeFileSync(${JSON.stringify(scratch)}, readFileSync('/proc/self/status')));`;
  await run(program, ['--import', `data:text/javascript,${encodeURIComponent(hook)}`, ...args], env);
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(await readFile(scratch, 'utf8'))?.[1]) * 1024;
}
