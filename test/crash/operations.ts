/** Everything that a vault does to its disk, each with what it finds there. */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FOLD_AT_PACKS } from '../../src/git/fold.ts';
import type { Remote } from '../../src/git/remotes.ts';
import { fetchRemote } from '../../src/sync/fetch.ts';
import { pullRemote } from '../../src/sync/pull.ts';
import { pushRemote } from '../../src/sync/push.ts';
import { VaultRepository } from '../../src/vault/vault-repository.ts';
import type { Doomed, Operation } from '../support/doomed-vault.ts';
import { git } from '../support/git-repository.ts';
import { gitInit } from '../support/remote-vault.ts';
import { writeFile } from '../support/tmp-vault.ts';

async function someFiles({ vault }: Doomed): Promise<void> {
  await vault.write('/memories/a.txt', 'one\ntwo\nthree\n');
  await vault.write('/memories/notes/b.txt', 'b\n');
  await vault.write('/memories/a.txt', 'one\ntwo\nthree\nfour\n');
}

/** A tool call of Claude. What Claude is told of a broken disk says nothing; the error that the host program gets does. */
function command(name: string, input: Record<string, unknown>): Operation {
  return {
    name,
    prepare: someFiles,
    run: async ({ vault }) => {
      const errors: unknown[] = [];
      const { is_error, content } = await vault.execute({ command: name, ...input }, { onError: (error) => errors.push(error) });
      if (errors.length > 0) throw errors[0];
      if (is_error) throw new Error(`expected the command to be accepted, got ${JSON.stringify(content)}`);
    },
  };
}

/** @param ours and theirs are what the vault and another copy of it have gone on with since they were the same */
function sync(name: string, run: (repository: VaultRepository, remote: Remote) => Promise<unknown>, { ours, theirs }: { ours?: string; theirs?: string }): Operation {
  const origin = (home: string) => ({ name: 'origin', url: join(home, 'remote.git') });
  return {
    name,
    repeats: true,
    prepare: async (doomed) => {
      const { home, wrapKey, repository } = doomed;
      await someFiles(doomed);
      gitInit(origin(home).url);
      await pushRemote(repository, origin(home));
      if (theirs !== undefined) {
        const gitdir = join(home, 'copy.git');
        cpSync(repository.repository.gitdir, gitdir, { recursive: true });
        const copy = await VaultRepository.open(gitdir, { wrapKey });
        await writeFile(copy, 'a.txt', theirs);
        await pushRemote(copy, origin(home));
        await copy.close();
      }
      if (ours !== undefined) await writeFile(repository, 'a.txt', ours);
    },
    run: ({ repository, home }) => run(repository, origin(home)),
  };
}

/** A session's texts without their times and the random id of its process. */
function withoutTimes(contents: Record<string, string>): Record<string, string> {
  const plain = (text: string) => text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z|\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?/g, 'then');
  return Object.fromEntries(Object.entries(contents).map(([path, text]) => [path, plain(text)]));
}

async function withoutGit(action: () => Promise<unknown>): Promise<void> {
  const path = process.env['PATH'];
  process.env['PATH'] = '';
  // Only while git is looked for, which comes first: a process that is stopped never comes to an end.
  const running = action();
  process.env['PATH'] = path;
  await running;
}

/** Each list is for a test file of its own, which workers can share. */
export const OWN_OPERATIONS: readonly Operation[] = [
  command('view', { path: '/memories/a.txt' }),
  {
    name: 'a list of many files, which is kept',
    prepare: async ({ vault, home }) => {
      mkdirSync(join(home, 'many'));
      for (let i = 0; i < 60; i += 1) writeFileSync(join(home, 'many', `${i}.txt`), `${i}`);
      await vault.importFiles(join(home, 'many'));
    },
    run: ({ vault }) => vault.list(),
  },
  command('create', { path: '/memories/deep/er/new.txt', file_text: 'new\n' }),
  command('str_replace', { path: '/memories/a.txt', old_str: 'two', new_str: 'zwei' }),
  command('insert', { path: '/memories/a.txt', insert_line: 1, insert_text: 'between' }),
  command('delete', { path: '/memories/notes' }),
  command('rename', { old_path: '/memories/notes', new_path: '/memories/moved' }),
  { name: 'revert', prepare: someFiles, run: ({ vault }) => vault.revert('HEAD') },
  { name: 'restore', prepare: someFiles, run: ({ vault }) => vault.restore('HEAD~2') },
  {
    name: 'import',
    prepare: async ({ home }) => {
      mkdirSync(join(home, 'plain'));
      for (const name of ['x.txt', 'y.txt']) writeFileSync(join(home, 'plain', name), name);
    },
    run: ({ vault, home }) => vault.importFiles(join(home, 'plain')),
  },
  { name: 'session start', prepare: someFiles, run: ({ vault }) => vault.sessions.start({ id: 'nightly', process: false }), comparable: withoutTimes },
  {
    name: 'session end',
    prepare: async ({ vault }) => {
      await vault.sessions.start({ id: 'nightly', process: false });
    },
    run: async ({ vault }) => (await vault.sessions.resume('nightly')).end({ handoff: 'all is done' }),
    comparable: withoutTimes,
  },
];

/** Those that pack anew what is there already. */
export const PACKING_OPERATIONS: readonly Operation[] = [
  {
    name: 'a write that folds packs',
    prepare: async ({ vault, repository }) => {
      for (let i = 0; (await repository.repository.stats()).packs < FOLD_AT_PACKS; i += 1) await vault.write('/memories/many.txt', `${i}\n`);
    },
    run: ({ vault }) => vault.write('/memories/many.txt', 'folded\n'),
  },
  {
    name: 'a write that folds packs, and one that removes some of them',
    prepare: async (doomed) => {
      const { vault, repository } = doomed;
      await someFiles(doomed);
      for (let i = 0; (await repository.repository.stats()).packs < FOLD_AT_PACKS; i += 1) await vault.write('/memories/many.txt', `${i}\n`);
    },
    run: async ({ vault }) => {
      for (const text of ['folded\n', 'removed\n']) await vault.write('/memories/many.txt', text);
    },
    // Between the two there is a third state; what counts is that all the rest, and the history, is there.
    comparable: (contents) => ({ ...contents, 'many.txt': '' }),
  },
  { name: 'gc', prepare: someFiles, run: ({ vault }) => vault.gc() },
  { name: 'gc without git', prepare: someFiles, run: ({ repository }) => withoutGit(() => repository.repository.gc()) },
];

/** Those with a remote. */
export const REMOTE_OPERATIONS: readonly Operation[] = [
  sync('fetch', fetchRemote, { theirs: 'one\ntwo\nthree\nfour\nfive\n' }),
  sync('pull, forward', pullRemote, { theirs: 'one\ntwo\nthree\nfour\nfive\n' }),
  sync('pull, merge', pullRemote, { ours: 'zero\none\ntwo\nthree\nfour\n', theirs: 'one\ntwo\nthree\nfour\nfive\n' }),
  sync('push', pushRemote, { ours: 'ours\n' }),
  {
    name: 'forgetting a remote whose branch is in packed-refs',
    prepare: async ({ repository }) => {
      const { oid } = await repository.head();
      await repository.repository.addRemote({ name: 'origin', url: '/nowhere.git' });
      await repository.repository.acceptFrom('origin', { before: undefined, now: oid });
      git(repository.repository.gitdir, ['pack-refs', '--all']);
    },
    run: ({ repository }) => repository.repository.removeRemote('origin'),
  },
];
