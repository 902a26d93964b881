/** A remote that does not work, or that goes back: each fault ends in its own error and leaves the vault exactly as it was. */
import { execFileSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { ErrorCode } from '../../src/errors.ts';
import { packet } from '../../src/git/pkt-line.ts';
import { fetchRemote } from '../../src/sync/fetch.ts';
import { pushRemote } from '../../src/sync/push.ts';
import { VaultRepository } from '../../src/vault/vault-repository.ts';
import { Forge } from '../support/forge.ts';
import { PushedVaults, stateOf, unpack } from '../support/pushed-vault.ts';
import { StandIn, type Misbehaviour } from '../support/servers/stand-in.ts';
import { writeFile } from '../support/tmp-vault.ts';

const vaults = new PushedVaults();
const saved = { PATH: process.env['PATH'] };
let standIn: StandIn;

beforeAll(async () => {
  standIn = await StandIn.start(vaults.bench.folder);
});
afterEach(async () => {
  Object.assign(process.env, saved);
  standIn.behaviour = { kind: 'none' };
  await vaults.clear();
});
afterAll(async () => {
  await standIn.stop();
  await vaults.close();
});

const packetText = (text: string): string => Buffer.from(packet(text)).toString('latin1');
/** The beginning of an answer that lists branches, and whatever is to follow. */
function list(text: string): Misbehaviour {
  return { kind: 'answer', type: 'application/x-git-upload-pack-advertisement', text: `${packetText('# service=git-upload-pack\n')}0000${text}` };
}

test('a branch that a killed git left locked is no branch that others have moved', async () => {
  const { vault, forge } = await vaults.copy();
  await writeFile(vault, 'new', 'new');
  writeFileSync(join(forge.gitdir, 'refs/heads/main.lock'), '');
  await expect(pushRemote(vault, { name: 'origin', url: forge.gitdir })).rejects.toMatchObject({ code: 'REMOTE_REFUSED', message: expect.stringContaining('lock') as string });
});

test('what a repository on this machine takes is in packs, which git syncs when it is told to', async () => {
  const { vault, forge } = await vaults.copy();
  await writeFile(vault, 'new', 'new');
  const loose = () => readdirSync(join(forge.gitdir, 'objects')).filter((name) => name.length === 2).flatMap((name) => readdirSync(join(forge.gitdir, 'objects', name)));
  const before = loose();
  await pushRemote(vault, { name: 'origin', url: forge.gitdir });
  expect(loose()).toEqual(before);
});

describe.each([['with git', saved.PATH], ['without git', '/nonexistent']] as const)('a broken server, %s', (_, path) => {
  const faults: [title: string, behaviour: StandIn['behaviour'], code: ErrorCode, message: RegExp][] = [
    ['401', { kind: 'status', status: 401 }, 'REMOTE_REFUSED', /credentials/],
    ['403', { kind: 'status', status: 403 }, 'REMOTE_REFUSED', /may not do this/],
    ['404', { kind: 'status', status: 404 }, 'REMOTE_UNREACHABLE', /found none/],
    ['500', { kind: 'status', status: 500 }, 'REMOTE_UNREACHABLE', /error of its own/],
    ['silence', { kind: 'hang' }, 'REMOTE_UNREACHABLE', /nothing for 1000 ms/],
    ['a dropped connection', { kind: 'drop', afterBytes: 300 }, 'REMOTE_UNREACHABLE', /broke off/],
    ['a page for people', { kind: 'answer', type: 'text/html', text: '<html>Sign in</html>' }, 'REMOTE_UNREACHABLE', /as a git server does/],
    // Without git, each was seen to be taken for a remote that has become empty.
    ['a list of branches that does not begin', list(''), 'REMOTE_UNREACHABLE', /./],
    ['a list of branches without its end', list(packetText(`${'1'.repeat(40)} refs/heads/other\0x\n`)), 'REMOTE_UNREACHABLE', /./],
    ['a list of branches cut off in the middle of one', list(`${packetText(`${'1'.repeat(40)} refs/heads/abc\0x\n`)}003f${'2'.repeat(20)}`), 'REMOTE_UNREACHABLE', /./],
    ['a list of branches that goes on as something else', list('<html>Sign in</html>'), 'REMOTE_UNREACHABLE', /./],
  ];

  test.each(faults)('%s', async (_title, behaviour, code, message) => {
    const { vault, forge } = await vaults.copy();
    forge.commitSigned(vault, forge.commitAt(forge.head).tree);
    const remote = { name: 'origin', url: standIn.url(basename(forge.gitdir)) };
    const before = await stateOf(vault);
    process.env['PATH'] = path;
    standIn.behaviour = behaviour;
    const options = { retries: 1, timeoutMs: behaviour.kind === 'hang' ? 1000 : 30_000 };
    await expect(fetchRemote(vault, remote, options)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
    await expect(pushRemote(vault, remote, options)).rejects.toMatchObject({ code: expect.stringMatching(/^(?:REMOTE_\w+|PUSH_REJECTED)$/) });
    standIn.behaviour = { kind: 'none' };
    process.env['PATH'] = saved.PATH;
    expect(await stateOf(vault)).toEqual(before);
  });

  test('no connection at all', async () => {
    const { vault } = await vaults.copy();
    process.env['PATH'] = path;
    await expect(fetchRemote(vault, { name: 'origin', url: 'http://127.0.0.1:1/x.git' }, { retries: 0 })).rejects.toMatchObject({ code: 'REMOTE_UNREACHABLE', message: expect.stringMatching(/no connection/) });
  });

  test('an abort', async () => {
    const { vault, forge } = await vaults.copy();
    standIn.behaviour = { kind: 'hang' };
    process.env['PATH'] = path;
    const controller = new AbortController();
    setTimeout(() => {
      controller.abort();
    }, 200);
    await expect(fetchRemote(vault, { name: 'origin', url: standIn.url(basename(forge.gitdir)) }, { signal: controller.signal })).rejects.toMatchObject({ code: 'ABORTED' });
  });
});

describe('a remote that went back', () => {
  test('is taken as it is when the operator says so, and can be filled up again', async () => {
    const { vault, forge } = await vaults.copy();
    const [head, old] = [forge.head, forge.history[2]!];
    const remote = { name: 'origin', url: forge.gitdir };
    forge.moveTo(old);
    await expect(pushRemote(vault, remote)).rejects.toMatchObject({ code: 'ROLLBACK_DETECTED', details: { missing: 2, got: old, seen: head } });
    await expect(fetchRemote(vault, remote, { accept: head })).rejects.toMatchObject({ code: 'ROLLBACK_DETECTED' });
    expect(await fetchRemote(vault, remote, { accept: old })).toMatchObject({ head: old });
    expect(await pushRemote(vault, remote)).toMatchObject({ from: old, head, commits: 2 });
  });

  test('is noticed by a push that has news', async () => {
    const { vault, forge } = await vaults.copy();
    await writeFile(vault, 'news.txt', 'news\n');
    forge.moveTo(forge.history[1]!);
    await expect(pushRemote(vault, { name: 'origin', url: forge.gitdir })).rejects.toMatchObject({ code: 'ROLLBACK_DETECTED', details: { missing: 1 } });
  });
});

test('plaintext in the repository does not leave it', async () => {
  const { vault, gitdir, wrapKey, forge } = await vaults.copy();
  unpack(gitdir);
  const local = new Forge(gitdir);
  local.commitSigned(vault, local.withEntries(() => local.write('blob', Buffer.from('a secret\n'))));
  // Opened anew, it knows nothing of its entries yet.
  const opened = await VaultRepository.open(gitdir, { wrapKey });
  await expect(pushRemote(opened, { name: 'origin', url: forge.gitdir })).rejects.toMatchObject({ code: 'CORRUPT' });
  await opened.close();
  const git = (...args: string[]): string => execFileSync('git', [`--git-dir=${forge.gitdir}`, ...args], { encoding: 'utf8' });
  expect(git('cat-file', '--batch-all-objects', '--batch-check')).not.toContain(local.head);
  expect(git('count-objects', '-v')).toContain('garbage: 0');
});
