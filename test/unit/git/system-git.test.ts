/** How git is run: what it is told, what it is not, and that it does not run for ever. A stand-in for git says what it was given. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openTransport } from '../../../src/git/open-transport.ts';
import { findGit } from '../../../src/git/environment.ts';
import { runGit } from '../../../src/git/system-git.ts';
import { temporaryFolder } from '../../support/git-repository.ts';

const folder = temporaryFolder();
const bin = join(folder, 'bin');
const saved = { ...process.env };
let count = 0;

beforeAll(() => {
  mkdirSync(bin);
});
afterEach(() => {
  for (const name of Object.keys(process.env)) if (!(name in saved)) Reflect.deleteProperty(process.env, name);
  Object.assign(process.env, saved);
});

/** A program for sh in place of git. */
function fakeGit(script: string): string {
  const path = join(bin, 'git');
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return path;
}

/** What a run of git was given, by a stand-in that writes it down. */
async function given(run: () => Promise<unknown>): Promise<{ args: string[]; env: Record<string, string> }> {
  const file = join(folder, `given-${(count += 1)}`);
  fakeGit(`printf '%s\\n' "$@" >${file}.args; /usr/bin/env >${file}.env`);
  process.env['PATH'] = `${bin}:/usr/bin:/bin`;
  await run();
  const env = readFileSync(`${file}.env`, 'utf8').trim().split('\n').map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]);
  return { args: readFileSync(`${file}.args`, 'utf8').split('\n'), env: Object.fromEntries(env) as Record<string, string> };
}

test('git is told nothing by the environment that could redirect it, and runs nothing of its own', async () => {
  Object.assign(process.env, { GIT_DIR: '/elsewhere', GIT_CONFIG_COUNT: '1', GIT_SSH_COMMAND: 'date', GIT_PROXY_COMMAND: 'date', LANG: 'de_DE', HOME: '/home/me', SSH_AUTH_SOCK: '/agent', MEMGIT_KEY: 'key', MEMGIT_REMOTE_TOKEN: 'token' });
  const { args, env } = await given(async () => (await openTransport('ssh://host/x.git')).readHead());
  expect(Object.keys(env).filter((name) => name.startsWith('GIT_')).sort()).toEqual(['GIT_ALLOC_LIMIT', 'GIT_ALLOW_PROTOCOL', 'GIT_ASKPASS', 'GIT_NO_LAZY_FETCH', 'GIT_NO_REPLACE_OBJECTS', 'GIT_TERMINAL_PROMPT']);
  expect(env).toMatchObject({ GIT_ALLOW_PROTOCOL: 'https:http:ssh:file', GIT_NO_REPLACE_OBJECTS: '1', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C', HOME: '/home/me', SSH_AUTH_SOCK: '/agent' });
  expect(env).not.toHaveProperty('LANG');
  // Hooks, ssh and credential helpers run with the environment of git. Seen to fail when only GIT_* was taken out.
  expect(Object.keys(env).filter((name) => name.startsWith('MEMGIT_'))).toEqual([]);
  for (const setting of ['core.hooksPath=/dev/null', 'gc.auto=0', 'maintenance.auto=false']) expect(args).toContain(setting);
});

test('what git writes is on the disk when it ends, whatever the configuration of the user says', async () => {
  const home = join(folder, 'home');
  mkdirSync(home);
  writeFileSync(join(home, '.gitconfig'), '[core]\n\tfsync = none\n\tfsyncMethod = writeout-only\n');
  process.env['HOME'] = home;
  delete process.env['XDG_CONFIG_HOME'];
  for (const [key, value] of [['core.fsync', 'pack,pack-metadata'], ['core.fsyncMethod', 'fsync']]) {
    expect(await runGit(findGit()!, { args: ['config', '--get', key!], silenceMs: 60_000 })).toMatchObject({ code: 0, stdout: `${value}\n` });
  }
});

test('a token is in the environment of git and never among its arguments', async () => {
  const options = { token: 'sesame-4711', proxy: 'http://me:hidden-42@proxy:1', caFile: __filename };
  const { args, env } = await given(async () => (await openTransport('https://host/x.git', { ...options, retries: 0 })).readHead().catch(() => undefined));
  expect(args.join('\n')).not.toMatch(/sesame|hidden/);
  expect(args).toContain(`http.sslCAInfo=${__filename}`);
  expect(env).toMatchObject({ MEMGIT_HELPER_TOKEN: 'sesame-4711', https_proxy: 'http://me:hidden-42@proxy:1' });
  // The helper answers for the host that the token is for and for no other.
  expect(args.filter((arg) => arg.includes('MEMGIT_HELPER'))).toEqual([expect.stringMatching(/^credential\.https:\/\/host\.helper=!f/)]);
});

test('a token does not go to an ssh remote', async () => {
  const { env } = await given(async () => (await openTransport('ssh://host/x.git', { token: 'sesame' })).readHead());
  expect(Object.values(env)).not.toContain('sesame');
});

test('a silent git is stopped, with what it has started', async () => {
  const pidFile = join(folder, 'pid');
  const git = fakeGit(`sleep 300 & echo $! >${pidFile}; wait`);
  await expect(runGit(git, { args: [], silenceMs: 300 })).rejects.toMatchObject({ code: 'REMOTE_UNREACHABLE', details: { timeoutMs: 300 } });
  const pid = Number(readFileSync(pidFile, 'utf8'));
  // A process lets go of its pipes a moment before it is gone.
  for (let i = 0; i < 100 && isRunning(pid); i += 1) await sleep(10);
  expect(isRunning(pid)).toBe(false);
});

// A helper that stays, such as a connection that ssh keeps for the next one. Seen to be waited for, and then to be called a silent remote.
test('a git that has ended is not waited for, whoever still holds what it printed into', async () => {
  const pidFile = join(folder, 'pid');
  const git = fakeGit(`sleep 300 & echo $! >${pidFile}; echo done`);
  expect(await runGit(git, { args: [], silenceMs: 5000 })).toMatchObject({ code: 0, stdout: 'done\n' });
  process.kill(Number(readFileSync(pidFile, 'utf8')));
});

test('a git that talks is not silent', async () => {
  const git = fakeGit('for i in 1 2 3 4 5 6; do echo $i >&2; sleep 0.2; done; echo done');
  expect(await runGit(git, { args: [], silenceMs: 1000 })).toMatchObject({ code: 0, stdout: 'done\n' });
});

test('a git that does not want to stop is killed', async () => {
  const git = fakeGit("trap '' TERM; while :; do sleep 1; done");
  await expect(runGit(git, { args: [], silenceMs: 200 })).rejects.toMatchObject({ code: 'REMOTE_UNREACHABLE' });
});

test('an abort stops it', async () => {
  const controller = new AbortController();
  setTimeout(() => {
    controller.abort();
  }, 100);
  await expect(runGit(fakeGit('sleep 300'), { args: [], silenceMs: 60_000, signal: controller.signal })).rejects.toMatchObject({ code: 'ABORTED' });
});

test('output is bounded, and its end is kept', async () => {
  const { stdout } = await runGit(fakeGit('head -c 9000000 /dev/zero | tr "\\0" x; echo the end'), { args: [], silenceMs: 10_000 });
  expect(stdout.length).toBeLessThan(5_000_000);
  expect(stdout).toMatch(/the end\n$/);
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')[2] !== 'Z';
  } catch {
    return false;
  }
}

test.each([
  ['fatal: unable to access \'https://me:secret@host/x\': Could not resolve host: host', 'REMOTE_UNREACHABLE', /no connection/],
  ["fatal: Authentication failed for 'https://host/x'", 'REMOTE_REFUSED', /credentials/],
  ['error: RPC failed; curl 18 transfer closed\nfatal: early EOF', 'REMOTE_UNREACHABLE', /broke off/],
  ['git@host: Permission denied (publickey).\nfatal: Could not read from remote repository.', 'REMOTE_REFUSED', /credentials/],
  ['Host key verification failed.\nfatal: Could not read from remote repository.', 'REMOTE_UNREACHABLE', /host key/],
  ['fatal: something that nobody has seen before', 'REMOTE_UNREACHABLE', /as a git server does/],
])('%j', async (said, code, message) => {
  fakeGit(`printf '%s\\n' ${JSON.stringify(said)} >&2; exit 128`);
  process.env['PATH'] = `${bin}:/usr/bin:/bin`;
  const failure = (await openTransport('https://host/x.git', { retries: 0 })).readHead();
  await expect(failure).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  await expect(failure.catch((error: unknown) => JSON.stringify(error))).resolves.not.toMatch(/secret|https:\/\/host/);
});
