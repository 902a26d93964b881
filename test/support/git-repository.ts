/**
 * What the tests of the git floor share: temporary folders, system git as the thing to compare with, and small mutations
 * that need nothing above the floor. `count` in a blob makes every one different.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeCommit, encodeCommit } from '../../src/git/commit.ts';
import { decodeTree, encodeTree, oidOf, type GitObject, type Oid, type TreeEntry } from '../../src/git/objects.ts';
import { Repository, type RepositoryOptions } from '../../src/git/repository.ts';
import type { Mutation } from '../../src/git/write.ts';

/** A folder for one test file, removed when its tests are over. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'memgit-test-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs system git on a repository, away from the configuration of the machine. @returns stdout, bytes kept as latin1 */
export function git(gitdir: string, args: readonly string[], input: string | Uint8Array = ''): string {
  const env = { PATH: process.env['PATH'], HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', LC_ALL: 'C' };
  const identity = ['-c', 'user.name=memgit', '-c', 'user.email=memgit@localhost'];
  return execFileSync('git', [`--git-dir=${gitdir}`, ...identity, ...args], { env, input, stdio: 'pipe', maxBuffer: 2 ** 28 }).toString('latin1');
}

export function blob(text: string): GitObject {
  return { type: 'blob', body: Buffer.from(text) };
}

/** A commit of a flat tree, with the tree and the commit as objects; the blobs are the caller's to add. */
export function commitObjects(entries: readonly TreeEntry[], parents: readonly Oid[], timeSec = 86_400): { objects: GitObject[]; head: Oid } {
  const tree: GitObject = { type: 'tree', body: encodeTree(entries) };
  const commit = encodeCommit({ tree: oidOf('tree', tree.body), parents, timeSec, message: 'memgit\n' });
  return { objects: [tree, { type: 'commit', body: commit }], head: oidOf('commit', commit) };
}

/** Makes a repository whose first commit holds one file, `start`. */
export async function createSample(gitdir: string, options: RepositoryOptions = {}): Promise<Repository> {
  const start = blob('start');
  const { objects, head } = commitObjects([{ mode: '100644', name: 'start', oid: oidOf('blob', start.body) }], []);
  return Repository.create(gitdir, { objects: [start, ...objects], head }, options);
}

/** The files of a commit by name. */
export async function filesAt(repository: Repository, head: Oid): Promise<Map<string, Oid>> {
  const { tree } = decodeCommit((await repository.read(head)).body);
  return new Map(decodeTree((await repository.read(tree)).body).map(({ name, oid }) => [name, oid]));
}

/** What an update returns to add one file on top of `head`; its result is the new head. */
export async function addingFile(repository: Repository, head: Oid, name: string, text: string): Promise<Mutation<Oid>> {
  const content = blob(text);
  const files = (await filesAt(repository, head)).set(name, oidOf('blob', content.body));
  const entries = [...files].map(([file, oid]): TreeEntry => ({ mode: '100644', name: file, oid }));
  const made = commitObjects(entries, [head]);
  return { objects: [content, ...made.objects], head: made.head, result: made.head };
}

export async function addFile(repository: Repository, name: string, text: string): Promise<Oid> {
  return repository.update((head) => addingFile(repository, head, name, text));
}

/** Asks system git for every object, and memgit for each of them. */
export function everyObject(gitdir: string): { oid: Oid; type: string; size: number }[] {
  const lines = git(gitdir, ['cat-file', '--batch-all-objects', '--batch-check']).trim().split('\n');
  return lines.map((line) => {
    const [oid = '', type = '', size = ''] = line.split(' ');
    return { oid: oid as Oid, type, size: Number(size) };
  });
}

export function bodyFromGit(gitdir: string, type: string, oid: Oid): Uint8Array {
  return Buffer.from(git(gitdir, ['cat-file', type, oid]), 'latin1');
}
