/**
 * A reader of the output who leaves, as `head` and `grep -q` do, ends what only shows something; what is done or found stays as it
 * is. Seen to fail with every command ended by its reader, and with the exit code of one that was.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { run } from '../../../src/cli/program.ts';
import { generateKey, openStore } from '../../../src/index.ts';
import { fakeIo } from '../../support/fake-io.ts';
import { git, temporaryFolder } from '../../support/git-repository.ts';

const folder = temporaryFolder();
const USERS = ['alice', 'bob'];
const env: Record<string, string> = {};

beforeAll(async () => {
  env['MEMGIT_STORE'] = join(folder, 'store');
  env['MEMGIT_KEY'] = await generateKey();
  const store = await openStore({ dir: env['MEMGIT_STORE'], key: env['MEMGIT_KEY'] });
  for (const user of USERS) {
    const backup = join(folder, `${user}.git`);
    execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', backup]);
    const vault = await store.vault(user);
    await vault.write('/memories/a', 'x');
    await vault.addRemote('backup', backup);
  }
  await store.close();
});

/** Runs a command whose reader has left before the first byte. */
async function unheard(...argv: string[]): Promise<{ exit: number; stderr: string }> {
  const gone = () => new Writable({ write: (_chunk, _encoding, done) => done(Object.assign(new Error('gone'), { code: 'EPIPE' })) });
  const { io, stderr } = fakeIo({ env });
  const { exit } = await run(argv, { ...io, stdout: gone() });
  return { exit, stderr: stderr() };
}

test('every user is pushed', async () => {
  expect(await unheard('push', '--all-users')).toEqual({ exit: 0, stderr: '' });
  for (const user of USERS) expect(git(join(folder, `${user}.git`), ['rev-list', '--count', 'main'])).toBe('2\n');
});

test('what only shows ends as if all had been read', async () => {
  for (const argv of [['log'], ['log', '--json'], ['show'], ['grep', 'x'], ['export', '--tar']]) {
    expect({ argv, ...(await unheard(...argv, '--user', 'alice')) }).toEqual({ argv, exit: 0, stderr: '' });
  }
});

test('the exit code says what was found', async () => {
  expect(await unheard('diff', '--exit-code', '--user', 'alice')).toEqual({ exit: 1, stderr: '' });
  const store = await openStore({ dir: env['MEMGIT_STORE']!, key: env['MEMGIT_KEY']!, readOnly: true });
  const packs = join((await store.vault('bob', { create: false })).gitdir, 'objects/pack');
  await store.close();
  for (const name of readdirSync(packs)) rmSync(join(packs, name));
  expect(await unheard('users')).toMatchObject({ exit: 3 });
  expect((await unheard('push', '--all-users', '--json')).exit).not.toBe(0);
});
