/** A vault in a temporary folder for the tests of the floors above it, with a clock that goes on by a minute for each commit. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { ready, systemRandom } from '../../src/crypto/sodium.ts';
import { utf8 } from '../../src/bytes.ts';
import { nodeFileSystem, type FileSystem } from '../../src/git/fs.ts';
import type { Oid } from '../../src/git/objects.ts';
import { parsePath, type MemoryPath } from '../../src/vault/path.ts';
import type { RecordFields } from '../../src/vault/record.ts';
import type { Change, Snapshot } from '../../src/vault/snapshot.ts';
import { createStore, vaultIdOf, vaultWrapKey } from '../../src/vault/store-file.ts';
import { VaultRepository } from '../../src/vault/vault-repository.ts';

/** When the first commit of every vault of a test is made. */
export const FIRST_TIME_MS = Date.UTC(2026, 0, 1, 12);
export const MINUTE_MS = 60_000;

/** The disk without waiting for it: what is tested above the git floor does not depend on that. */
const hastyFileSystem: FileSystem = {
  ...nodeFileSystem,
  create: async (path) => ({ ...(await nodeFileSystem.create(path)), sync: async () => {} }),
  syncDirectory: async () => {},
};

let vaults = 0;

export interface TmpVault {
  readonly vault: VaultRepository;
  readonly gitdir: string;
  readonly wrapKey: Uint8Array;
  readonly clock: () => number;
}

/** @param folder an existing one that the caller removes */
export async function createTmpVault(folder: string, userId = 'alice'): Promise<TmpVault> {
  await ready;
  const store = await createStore({ key: systemRandom(32) }, 'derived', systemRandom);
  const vaultId = vaultIdOf(store.secret, userId);
  const wrapKey = vaultWrapKey(store.secret, vaultId);
  const gitdir = join(folder, `vault-${(vaults += 1)}.git`);
  let timeMs = FIRST_TIME_MS - MINUTE_MS;
  const clock = () => (timeMs += MINUTE_MS);
  const vault = await VaultRepository.create(gitdir, { userId, vaultId, store: store.identity, wrapKey }, { clock, fs: hastyFileSystem });
  return { vault, gitdir, wrapKey, clock };
}

/** Opens the vault once more, by another object that has seen nothing. */
export async function reopen({ gitdir, wrapKey, clock }: TmpVault): Promise<VaultRepository> {
  return VaultRepository.open(gitdir, { wrapKey }, { clock, fs: hastyFileSystem });
}

/** A copy of a vault as another machine would have it: from here on the two go their own ways. */
export async function copyVault(original: TmpVault): Promise<TmpVault> {
  const copy = { ...original, gitdir: original.gitdir.replace(/\.git$/, '-copy.git') };
  cpSync(original.gitdir, copy.gitdir, { recursive: true });
  return { ...copy, vault: await reopen(copy) };
}

/** Merges the head of a copy, with changes that are made to ours. Returns the merge commit. */
export async function mergeCopy(ours: TmpVault, theirs: TmpVault, changes: readonly Change[]): Promise<Oid> {
  const other = (await theirs.vault.head()).oid;
  cpSync(join(theirs.gitdir, 'objects', 'pack'), join(ours.gitdir, 'objects', 'pack'), { recursive: true });
  const merged = await ours.vault.integrate(other, async () => ({ kind: 'merge', onto: 'ours', draft: { changes, record: { op: 'merge', paths: [] }, result: undefined } }));
  return merged.commit!.oid;
}

export function at(path: string): MemoryPath {
  return parsePath(path === '' ? '/memories' : `/memories/${path}`);
}

/** One commit of some changes. @throws when they change nothing */
export async function commitChanges(vault: VaultRepository, changes: readonly Change[], record: Partial<RecordFields> = {}): Promise<Oid> {
  const paths = changes.flatMap((change) => (change.kind === 'move' ? [change.from, change.to] : [change.path]));
  const { commit } = await vault.transact(async () => ({ changes, record: { op: 'write', paths, ...record }, result: undefined }));
  if (!commit) throw new Error('expected a commit, but nothing changed');
  return commit.oid;
}

export async function writeFile(vault: VaultRepository, path: string, content: string | Uint8Array, record: Partial<RecordFields> = {}): Promise<Oid> {
  return commitChanges(vault, [{ kind: 'write', path: at(path), content: typeof content === 'string' ? utf8(content) : content }], record);
}

export async function removePath(vault: VaultRepository, path: string, record: Partial<RecordFields> = {}): Promise<Oid> {
  return commitChanges(vault, [{ kind: 'remove', path: at(path) }], { op: 'delete', ...record });
}

export async function renamePath(vault: VaultRepository, from: string, to: string, record: Partial<RecordFields> = {}): Promise<Oid> {
  return commitChanges(vault, [{ kind: 'move', from: at(from), to: at(to) }], { op: 'rename', ...record });
}

/** A memory as text by path; an empty directory ends in a slash and has no text. */
export async function contentsOf(snapshot: Snapshot): Promise<Record<string, string>> {
  const contents: Record<string, string> = {};
  for await (const node of snapshot.walk(at(''))) {
    if (node.kind === 'directory') contents[`${node.path}/`] = '';
    else contents[node.path] = Buffer.from(await snapshot.read(node.path)).toString('latin1');
  }
  return contents;
}

/** The file's text now, as UTF-8. */
export async function textOf(vault: VaultRepository, path: string): Promise<string> {
  return Buffer.from(await (await vault.snapshot()).read(at(path))).toString('utf8');
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
