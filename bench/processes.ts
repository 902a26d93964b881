/** Runs other programs to their end. */
import { execFileSync, spawn } from 'node:child_process';

// Read by every node that starts, before it does anything: 40 ms, by memgit and by a bare node alike.
const { NODE_EXTRA_CA_CERTS: _, ...inherited } = process.env;

/** Nothing of the machine's or the user's configuration changes what is measured. */
export const GIT_ENVIRONMENT = {
  ...inherited,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_AUTHOR_NAME: 'agent', GIT_AUTHOR_EMAIL: 'agent@localhost', GIT_COMMITTER_NAME: 'agent', GIT_COMMITTER_EMAIL: 'agent@localhost',
};

export interface RunOptions {
  readonly cwd?: string;
  readonly input?: string | Uint8Array;
}

/** @throws when the program does not end with 0 */
export function git(args: readonly string[], { cwd, input }: RunOptions = {}): string {
  return execFileSync('git', args, { cwd, input, env: GIT_ENVIRONMENT, encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'], maxBuffer: 1 << 30 });
}

/** Runs a program to its end, reading all of its output. */
export async function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv = GIT_ENVIRONMENT): Promise<void> {
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let complaint = '';
  child.stdout.resume();
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint += text));
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  if (code !== 0) throw new Error(`expected ${program} ${args[0] ?? ''} to end with 0, got ${String(code)}: ${complaint}`);
}

/** Runs a program until its first output, then stops it: what somebody waits who looks at a long log. */
export async function runToFirstOutput(program: string, args: readonly string[], env: NodeJS.ProcessEnv = GIT_ENVIRONMENT): Promise<void> {
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  await new Promise((resolve) => child.stdout.once('data', resolve).once('end', resolve));
  child.kill('SIGKILL');
  await ended;
}

/** Whether a program can be started at all. */
export function isInstalled(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
