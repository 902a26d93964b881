/** Refs of memgit's own go for good, also where git has packed them. Seen to fail when only the loose file was removed. */
import { existsSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { addFile, createSample, git, temporaryFolder } from '../../support/git-repository.ts';

const folder = temporaryFolder();

test('forgetting a remote removes where it was seen, loose or packed, and leaves the rest as git wrote it', async () => {
  const gitdir = join(folder, 'forget.git');
  const repository = await createSample(gitdir);
  const head = await addFile(repository, 'a', 'a');
  for (const name of ['origin', 'other']) {
    await repository.addRemote({ name, url: `/${name}.git` });
    await repository.acceptFrom(name, { before: undefined, now: head });
  }
  git(gitdir, ['tag', '-a', '-m', 'note', 'noted', head]);
  git(gitdir, ['pack-refs', '--all']);
  expect(existsSync(join(gitdir, 'refs/memgit/seen/origin'))).toBe(false);
  const packed = readFileSync(join(gitdir, 'packed-refs'), 'latin1');

  await repository.removeRemote('origin');
  expect(await repository.seenAt('origin')).toBeUndefined();
  expect(await repository.seenAt('other')).toBe(head);
  expect(await repository.head()).toBe(head);
  expect(readFileSync(join(gitdir, 'packed-refs'), 'latin1')).toBe(packed.replace(`${head} refs/memgit/seen/origin\n`, ''));
  expect(existsSync(join(gitdir, 'packed-refs.lock'))).toBe(false);
  expect(git(gitdir, ['for-each-ref', '--format=%(refname)']).trim().split('\n')).toEqual(['refs/heads/main', 'refs/memgit/seen/other', 'refs/tags/noted']);
});

test('what cannot be forgotten now can be asked for again', async () => {
  const gitdir = join(folder, 'again.git');
  const repository = await createSample(gitdir);
  const head = await addFile(repository, 'a', 'a');
  await repository.addRemote({ name: 'origin', url: '/origin.git' });
  await repository.acceptFrom('origin', { before: undefined, now: head });
  git(gitdir, ['pack-refs', '--all']);
  const lock = join(gitdir, 'packed-refs.lock');
  writeFileSync(lock, '');
  await expect(repository.removeRemote('origin')).rejects.toMatchObject({ code: 'LOCKED' });
  expect(await repository.remotes()).toMatchObject([{ name: 'origin' }]);
  unlinkSync(lock);
  await repository.removeRemote('origin');
  expect(await repository.remotes()).toEqual([]);
});

test('a remote that comes anew was seen nowhere, whatever plain git left of an earlier one', async () => {
  const repository = await createSample(join(folder, 'anew.git'));
  const head = await addFile(repository, 'a', 'a');
  await repository.acceptFrom('origin', { before: undefined, now: head });
  await repository.addRemote({ name: 'origin', url: '/origin.git' });
  expect(await repository.seenAt('origin')).toBeUndefined();
});

test('while git packs refs a packed one stays, and the error names the lock', async () => {
  const gitdir = join(folder, 'packing.git');
  const repository = await createSample(gitdir);
  const head = await addFile(repository, 'a', 'a');
  await repository.acceptFrom('origin', { before: undefined, now: head });
  git(gitdir, ['pack-refs', '--all']);
  const lock = join(gitdir, 'packed-refs.lock');
  writeFileSync(lock, '');
  const forget = async () => repository.acceptFrom('origin', { before: head, now: undefined });
  await expect(forget()).rejects.toMatchObject({ code: 'LOCKED', message: expect.stringContaining(`remove ${lock}`) as string });
  expect(await repository.seenAt('origin')).toBe(head);
  unlinkSync(lock);
  await forget();
  expect(await repository.seenAt('origin')).toBeUndefined();
});
