/**
 * memgit's folders outside its stores are never below the folder that somebody stands in. Seen to fail with relative paths taken: a
 * new key was written there when HOME was set to nothing.
 */
import { existsSync, writeFileSync } from 'node:fs';
import promises from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { userFolder } from '../../../src/cli/user-folder.ts';
import { runCli } from '../../support/fake-io.ts';
import { temporaryFolder } from '../../support/git-repository.ts';

const folder = temporaryFolder();

afterEach(() => {
  jest.restoreAllMocks();
});

/** As the account file has it; without `home`, the user is not in it. */
function account(home?: string): void {
  const user = { ...os.userInfo(), homedir: home ?? '' };
  jest.spyOn(os, 'userInfo').mockImplementation(() => {
    if (home === undefined) throw new Error('ENOENT');
    return user;
  });
}

test.each([
  ['the variable', { XDG_CACHE_HOME: '/caches', HOME: '/home' }, '/caches/memgit'],
  ['the home', { XDG_CONFIG_HOME: '/configurations', HOME: '/home' }, '/home/.cache/memgit'],
  ['the home, for an empty variable', { XDG_CACHE_HOME: '', HOME: '/home' }, '/home/.cache/memgit'],
  ['the home, for a relative path', { XDG_CACHE_HOME: 'caches', HOME: '/home' }, '/home/.cache/memgit'],
  ['the account, without a home', {}, '/account/.cache/memgit'],
  ['the account, for an empty home', { HOME: '' }, '/account/.cache/memgit'],
  ['the account, for a relative home', { HOME: '.' }, '/account/.cache/memgit'],
])('is that of %s', (_, env, expected) => {
  account('/account');
  expect(userFolder(env, 'XDG_CACHE_HOME')).toBe(expected);
});

test('is not there without a home and an account', async () => {
  account();
  expect(userFolder({ HOME: '.' }, 'XDG_CONFIG_HOME')).toBeUndefined();

  const store = join(folder, 'store');
  expect(await runCli(['init', store])).toMatchObject({ exit: 2, stderr: expect.stringContaining('name a file with --key-file') });
  expect(existsSync(store)).toBe(false);
  await runCli(['init', store, '--key-file', join(folder, 'key')]);
  expect(await runCli(['users', '--store', store])).toMatchObject({ exit: 12, stderr: expect.stringContaining('no home to look for it in') });
});

test('a home that is closed to the user takes no key, and holds none', async () => {
  const home = join(folder, 'home');
  writeFileSync(home, 'not a folder');
  const store = join(folder, 'other');
  expect(await runCli(['init', store], { env: { HOME: home } })).toMatchObject({ exit: 2, stderr: expect.stringContaining('name a file with --key-file') });
  expect(existsSync(store)).toBe(false);

  await runCli(['init', store, '--key-file', join(folder, 'other-key')]);
  // What anybody but root meets in root's home.
  jest.spyOn(promises, 'lstat').mockRejectedValue(Object.assign(new Error('EACCES'), { code: 'EACCES' }));
  expect(await runCli(['users', '--store', store], { env: { HOME: home } })).toMatchObject({ exit: 12, stderr: expect.stringContaining('there is none at') });
});
