/**
 * Runs the git that is installed, for what it does better than memgit: talking to remotes. Never with a shell, never with a
 * secret among the arguments, without hooks, maintenance and git's own environment, and never longer than it shows signs of life.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { MemgitError } from '../errors.ts';
import { gitEnvironment } from './environment.ts';
import { throwIfAborted } from './queue.ts';

/** Applies to every run. Files that git makes are for their owner alone, whatever the umask, and packs are on the disk when it ends: what it brings is acknowledged. */
const SETTINGS = [
  ...['core.hooksPath=/dev/null', 'core.sharedRepository=0600', 'core.fsmonitor=false', 'gc.auto=0', 'maintenance.auto=false'],
  ...['transfer.unpackLimit=1', 'fetch.unpackLimit=1', 'fetch.writeCommitGraph=false', 'submodule.recurse=false', 'push.gpgSign=false'],
  // What its user chose for other repositories, and would change what git does in this one.
  ...['pack.indexVersion=2', 'core.logAllRefUpdates=false', 'push.pushOption='],
  ...['core.fsync=pack,pack-metadata', 'core.fsyncMethod=fsync'],
];
const WITHOUT_TERMINAL = ['credential.interactive=never'];

const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;
/** After this long a git that was asked to stop is killed, and one that has ended is not listened to any more. */
const GRACE_MS = 2_000;
/** No single allocation of git may be larger, so that a hostile pack cannot take the machine's memory. */
const ALLOCATION_LIMIT = '512m';

export interface GitRun {
  readonly args: readonly string[];
  /** Settings and secrets: the environment of a process is readable by its user only, its arguments are by anyone. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether git may ask on the terminal. */
  readonly interactive?: boolean;
  /** How long git may stay silent, in milliseconds. */
  readonly silenceMs: number;
  readonly signal?: AbortSignal | undefined;
  /** An open file that takes what git prints, in place of the result. */
  readonly stdoutTo?: number;
  /** Told of every piece of git's stderr. Throws to stop git. */
  readonly onTalk?: (text: string) => void;
}

export interface GitResult {
  /** 128 and more for git's own failures. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** @throws REMOTE_UNREACHABLE when git stays silent too long, ABORTED by the signal, IO when it does not start; what `onTalk` throws */
export async function runGit(git: string, run: GitRun): Promise<GitResult> {
  throwIfAborted(run.signal);
  const interactive = run.interactive ?? false;
  const settings = interactive ? SETTINGS : [...SETTINGS, ...WITHOUT_TERMINAL];
  const child = spawn(git, [...settings.flatMap((setting) => ['-c', setting]), ...run.args], {
    env: gitEnvironment({
      GIT_ALLOC_LIMIT: ALLOCATION_LIMIT,
      ...(interactive ? {} : { GIT_TERMINAL_PROMPT: '0', GIT_ASKPASS: '', SSH_ASKPASS: '', SSH_ASKPASS_REQUIRE: 'never' }),
      ...run.env,
    }),
    stdio: ['ignore', run.stdoutTo ?? 'pipe', 'pipe'],
    // A group of its own can be stopped whole, ssh and helpers included, but cannot ask on the terminal.
    detached: !interactive,
  });
  return new Watch(child, run, !interactive).result;
}

/** Follows one run to its end, gathers what it prints, and stops it when it must not go on. */
class Watch {
  readonly result: Promise<GitResult>;
  readonly #child: ChildProcess;
  readonly #run: GitRun;
  readonly #ownGroup: boolean;
  readonly #printed = { stdout: '', stderr: '' };
  #stoppedBy: Error | undefined;
  #silence: NodeJS.Timeout | undefined;
  #kill: NodeJS.Timeout | undefined;
  #listening: NodeJS.Timeout | undefined;

  constructor(child: ChildProcess, run: GitRun, ownGroup: boolean) {
    this.#child = child;
    this.#run = run;
    this.#ownGroup = ownGroup;
    this.result = this.#follow();
  }

  async #follow(): Promise<GitResult> {
    const onAbort = (): void => {
      this.#stop(new MemgitError('ABORTED', 'expected git to finish, but the caller gave up first'));
    };
    this.#run.signal?.addEventListener('abort', onAbort, { once: true });
    this.#heard();
    for (const name of ['stdout', 'stderr'] as const) {
      this.#child[name]?.setEncoding('utf8').on('data', (text: string) => {
        this.#take(name, text);
      });
    }
    try {
      const code = await new Promise<number>((resolve, reject) => {
        this.#child.once('error', (cause) => {
          reject(new MemgitError('IO', 'expected git to start, but it did not; check the git on PATH', { cause }));
        });
        // What it printed is read to the end; but a helper that stays (ssh keeps connections) may hold the pipes for as long as it likes.
        this.#child.once('exit', () => {
          clearTimeout(this.#silence);
          this.#listening = setTimeout(() => {
            this.#hangUp();
          }, GRACE_MS);
        });
        this.#child.once('close', (exit, signal) => {
          resolve(exit ?? (signal === null ? 1 : 128));
        });
      });
      if (this.#stoppedBy !== undefined) throw this.#stoppedBy;
      return { code, ...this.#printed };
    } finally {
      clearTimeout(this.#silence);
      clearTimeout(this.#kill);
      clearTimeout(this.#listening);
      this.#run.signal?.removeEventListener('abort', onAbort);
    }
  }

  #take(name: 'stdout' | 'stderr', text: string): void {
    this.#heard();
    // What is said last says why git failed; the progress before it may go.
    this.#printed[name] = (this.#printed[name] + text).slice(-MAX_OUTPUT_BYTES);
    try {
      if (name === 'stderr') this.#run.onTalk?.(text);
    } catch (error) {
      this.#stop(error as Error);
    }
  }

  #heard(): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => {
      const message = `expected the remote to answer, got nothing for ${this.#run.silenceMs} ms; try again later`;
      this.#stop(new MemgitError('REMOTE_UNREACHABLE', message, { details: { timeoutMs: this.#run.silenceMs } }));
    }, this.#run.silenceMs);
  }

  #stop(reason: Error): void {
    this.#stoppedBy ??= reason;
    this.#signal('SIGTERM');
    this.#kill ??= setTimeout(() => {
      this.#signal('SIGKILL');
      this.#hangUp();
    }, GRACE_MS);
  }

  #hangUp(): void {
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
  }

  #signal(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      process.kill(this.#ownGroup ? -pid : pid, signal);
    } catch {
      // It has ended by itself.
    }
  }
}
