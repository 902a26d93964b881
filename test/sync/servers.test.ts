/**
 * A backup over every transport that memgit has, against the servers that people run: git http-backend behind nginx, sshd with
 * git-shell, a path; with the git that is installed and, over HTTP(S), without.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { TransportOptions } from '../../src/git/transport.ts';
import { collect } from '../support/tmp-vault.ts';
import { log } from '../../src/history/log.ts';
import { pullRemote } from '../../src/sync/pull.ts';
import { pushRemote } from '../../src/sync/push.ts';
import { Bench, gitInit } from '../support/remote-vault.ts';
import { startHttpServer, USERNAME, type HttpServer } from '../support/servers/http-server.ts';
import { Proxy } from '../support/servers/proxy.ts';
import { describeWith } from '../support/servers/programs.ts';
import { startSshServer, type SshServer } from '../support/servers/ssh-server.ts';
import { contentsOf, removePath, renamePath, writeFile } from '../support/tmp-vault.ts';

const bench = new Bench();
const origin = (url: string) => ({ name: 'origin', url });
const saved = { PATH: process.env['PATH'], HOME: process.env['HOME'] };

afterEach(() => {
  Object.assign(process.env, saved);
});
afterAll(async () => bench.close());

/** Everything that a backup is for, once there and once back. */
async function roundTrip(gitdir: string, url: string, options: TransportOptions): Promise<void> {
  const { vault, wrapKey } = await bench.vault();
  await writeFile(vault, 'plan.md', 'one\ntwo\nthree\nfour\nfive\n');
  await writeFile(vault, 'notes/a.txt', 'a'.repeat(5_000));
  await renamePath(vault, 'notes/a.txt', 'notes/b.txt');
  expect(await pushRemote(vault, origin(url), options)).toMatchObject({ from: undefined, commits: 4 });
  const copy = await bench.clone(url, wrapKey, options);
  expect(await contentsOf(await copy.vault.snapshot())).toEqual(await contentsOf(await vault.snapshot()));
  expect(await collect(log(copy.vault))).toEqual(await collect(log(vault)));

  await writeFile(vault, 'plan.md', 'ONE\ntwo\nthree\nfour\nfive\n');
  await writeFile(copy.vault, 'plan.md', 'one\ntwo\nthree\nfour\nFIVE\n');
  await removePath(copy.vault, 'notes');
  expect(await pushRemote(vault, origin(url), options)).toMatchObject({ commits: 1 });
  await expect(pushRemote(copy.vault, origin(url), options)).rejects.toMatchObject({ code: 'PUSH_REJECTED' });
  expect(await pullRemote(copy.vault, origin(url), options)).toMatchObject({ outcome: 'merge', commits: 1, conflicts: [] });
  expect(await pushRemote(copy.vault, origin(url), options)).toMatchObject({ commits: 3 });
  expect(await pullRemote(vault, origin(url), options)).toMatchObject({ outcome: 'forward', commits: 3 });
  expect(await contentsOf(await vault.snapshot())).toEqual({ 'plan.md': 'ONE\ntwo\nthree\nfour\nFIVE\n' });
  for (const repository of [gitdir, copy.gitdir]) execFileSync('git', [`--git-dir=${repository}`, 'fsck', '--strict'], { env: saved });
}

describe('a path', () => {
  test.each(['', 'file://'])('%s', async (scheme) => {
    const gitdir = bench.bare();
    await roundTrip(gitdir, scheme + gitdir, {});
  });

  test('needs git', async () => {
    const gitdir = bench.bare();
    const { vault } = await bench.vault();
    process.env['PATH'] = '/nonexistent';
    await expect(pushRemote(vault, origin(gitdir))).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });
});

describeWith(['nginx', 'fcgiwrap', 'git-http-backend'], 'nginx and git http-backend', () => {
  const repositories = join(bench.folder, 'served');
  let server: HttpServer;
  let count = 0;

  beforeAll(async () => {
    server = await startHttpServer(join(bench.folder, 'nginx'), repositories);
  });
  afterAll(async () => server.stop());

  function serve(): { gitdir: string; name: string } {
    const name = `${(count += 1)}.git`;
    const gitdir = join(repositories, name);
    gitInit(gitdir);
    execFileSync('git', [`--git-dir=${gitdir}`, 'config', 'http.receivepack', 'true']);
    return { gitdir, name };
  }

  describe.each([['with git', saved.PATH], ['without git', '/nonexistent']])('%s', (_, path) => {
    const access = (): TransportOptions => ({ token: server.token, username: USERNAME, caFile: server.caFile });

    test.each(['http', 'https'] as const)('%s', async (scheme) => {
      const { gitdir, name } = serve();
      process.env['PATH'] = path;
      await roundTrip(gitdir, server.url(name, scheme), access());
    });

    test('a wrong token is refused', async () => {
      const { name } = serve();
      const { vault } = await bench.vault();
      process.env['PATH'] = path;
      await expect(pushRemote(vault, origin(server.url(name)), { ...access(), token: 'wrong' })).rejects.toMatchObject({ code: 'REMOTE_REFUSED' });
      await expect(pushRemote(vault, origin(server.url(name)))).rejects.toMatchObject({ code: 'REMOTE_REFUSED' });
    });

    test('an unknown authority is not trusted', async () => {
      const { name } = serve();
      const { vault } = await bench.vault();
      process.env['PATH'] = path;
      const refused = pushRemote(vault, origin(server.url(name, 'https')), { token: server.token, username: USERNAME, retries: 0 });
      await expect(refused).rejects.toMatchObject({ code: 'REMOTE_UNREACHABLE', message: expect.stringContaining('certificate') });
    });

    test.each(['http', 'https'] as const)('%s through a proxy', async (scheme) => {
      const { name } = serve();
      const { vault } = await bench.vault();
      process.env['PATH'] = path;
      const url = server.url(name, scheme);
      const proxy = await Proxy.start();
      try {
        await pushRemote(vault, origin(url), { ...access(), proxy: `http://me:pass%20word@127.0.0.1:${proxy.port}` });
      } finally {
        await proxy.stop();
      }
      const { host } = new URL(url);
      expect(new Set(proxy.asked)).toEqual(new Set([scheme === 'https' ? `CONNECT ${host}` : host]));
      expect(proxy.authorization).toBe(`Basic ${Buffer.from('me:pass word').toString('base64')}`);
    });

    test('a repository that is not there is told from an empty one', async () => {
      const { vault } = await bench.vault();
      process.env['PATH'] = path;
      await expect(pushRemote(vault, origin(server.url('none.git')), access())).rejects.toMatchObject({ code: 'REMOTE_UNREACHABLE', message: expect.stringContaining('found none') });
    });
  });
});

describeWith(['sshd', 'git-shell'], 'sshd and git-shell', () => {
  let server: SshServer;
  beforeAll(async () => {
    server = await startSshServer(join(bench.folder, 'ssh'));
  });
  afterAll(async () => server.stop());

  test('ssh', async () => {
    const gitdir = bench.bare();
    process.env['HOME'] = server.home;
    await roundTrip(gitdir, server.url(gitdir), {});
  });

  test('a repository that is not there is told from an empty one', async () => {
    const { vault } = await bench.vault();
    process.env['HOME'] = server.home;
    await expect(pushRemote(vault, origin(server.url('/none.git')), { retries: 0 })).rejects.toMatchObject({ code: 'REMOTE_UNREACHABLE', message: expect.stringContaining('found none') });
  });
});
