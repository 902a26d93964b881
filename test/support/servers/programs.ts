/** Where Debian puts the servers that some tests start, and what to say when one is not installed. */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export const PROGRAMS = {
  nginx: '/usr/sbin/nginx',
  fcgiwrap: '/usr/sbin/fcgiwrap',
  sshd: '/usr/sbin/sshd',
  'git-shell': '/usr/bin/git-shell',
  'git-http-backend': '/usr/lib/git-core/git-http-backend',
} as const;

export type Program = keyof typeof PROGRAMS;

/** `describe`, or a skipped one that names what is missing. */
export function describeWith(programs: readonly Program[], title: string, tests: () => void): void {
  const missing = programs.filter((name) => !existsSync(PROGRAMS[name]));
  if (missing.length === 0) describe(title, tests);
  else describe.skip(`${title} (not installed: ${missing.join(', ')})`, tests);
}

/** A port of the loopback that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A running server that ends with the tests. */
export class Running {
  readonly #child: ChildProcess;
  #said = '';

  constructor(program: string, args: readonly string[], env: Record<string, string | undefined> = {}) {
    this.#child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { PATH: process.env['PATH'], ...env }, detached: true });
    for (const stream of [this.#child.stdout, this.#child.stderr]) stream?.on('data', (text: Buffer) => (this.#said += text.toString()));
  }

  /** Waits until `isUp` says yes. */
  async ready(isUp: () => boolean | Promise<boolean>): Promise<void> {
    for (let i = 0; i < 200; i += 1) {
      if (await isUp()) return;
      if (this.#child.exitCode !== null) break;
      await sleep(50);
    }
    await this.stop();
    throw new Error(`a server did not come up: ${this.#said}`);
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = new Promise((resolve) => this.#child.once('close', resolve));
    this.#signal('SIGTERM');
    const timer = setTimeout(() => this.#signal('SIGKILL'), 3_000);
    await ended;
    clearTimeout(timer);
  }

  /** To its whole group: servers fork workers. */
  #signal(signal: NodeJS.Signals): void {
    if (this.#child.pid !== undefined) process.kill(-this.#child.pid, signal);
  }
}

export async function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });
}
