/** Runs the pager on what is written to it. The command that it runs is the operator's own: `$PAGER`, by `sh` as git does. */
import { spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import type { Io } from './io.ts';

export interface Pager {
  readonly input: Writable;
  /** Settles when the reader has left the pager; false when the command could not be run at all. */
  readonly done: Promise<boolean>;
}

/** `less` where it is installed; the output goes straight to the terminal where it is not. */
const DEFAULT_PAGER = 'if command -v less >/dev/null; then exec less; else exec cat; fi';

/** What a shell ends with when a command may not be run, and when there is none. */
const NOT_RUN: readonly (number | null)[] = [126, 127];

/** Returns `undefined` when the operator wants no pager: `PAGER` empty or `cat`, or none named for a terminal that cannot page. */
export function startPager(env: Io['env']): Pager | undefined {
  const command = env['PAGER'] ?? (env['TERM'] === 'dumb' ? '' : DEFAULT_PAGER);
  if (command === '' || command === 'cat') return undefined;
  // Quit if one screen is enough, show colours, leave the text on the screen: what git sets.
  const child = spawn('sh', ['-c', command], { stdio: ['pipe', 'inherit', 'inherit'], env: { LESS: 'FRX', ...env } });
  const done = new Promise<boolean>((resolve) => {
    child.on('close', (status) => resolve(!NOT_RUN.includes(status)));
    child.on('error', () => resolve(false));
  });
  return { input: child.stdin, done };
}
