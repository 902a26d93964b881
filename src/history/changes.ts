/**
 * What happened between two listings, file by file. A file that went and one that came are one renamed file when the record of
 * the commit says so, or when their contents are the same and not empty. Similar contents are not guessed about.
 */
import { createHash } from 'node:crypto';
import type { Oid } from '../git/objects.ts';
import type { CommitInfo } from '../vault/commit-info.ts';
import { movedPath, type MemoryPath } from '../vault/path.ts';
import type { CommitRecord } from '../vault/record.ts';
import type { VaultRepository } from '../vault/vault-repository.ts';
import { isSameNode, listDifference, type FileNode, type Listing, type ListingNode } from './listing.ts';

export type NodeChange =
  | { readonly kind: 'added'; readonly path: MemoryPath; readonly after: ListingNode }
  | { readonly kind: 'removed'; readonly path: MemoryPath; readonly before: ListingNode }
  | { readonly kind: 'modified'; readonly path: MemoryPath; readonly before: FileNode; readonly after: FileNode }
  | { readonly kind: 'renamed'; readonly from: MemoryPath; readonly path: MemoryPath; readonly before: FileNode; readonly after: FileNode };

/** A file or a directory, and where it went. */
export interface Move {
  readonly from: MemoryPath;
  readonly to: MemoryPath;
}

/** The moves that a record tells of. It is a claim: only files that really went and came are paired by it. */
export function recordedMoves({ op, paths: [from, to] }: CommitRecord): Move[] {
  return op === 'rename' && from !== undefined && to !== undefined ? [{ from, to }] : [];
}

/** What a commit did to the names that things have. */
export interface NameChanges {
  readonly moves: readonly Move[];
  /** Files that went, and directories with all that was in them. */
  readonly gone: readonly MemoryPath[];
  /** Files that were put back, or brought in by a merge. */
  readonly back: readonly MemoryPath[];
}

const NO_NAME_CHANGES: NameChanges = { moves: [], gone: [], back: [] };

/** The record tells it of the operations that have one path to tell of; trees are read only for those that may have changed anything. */
export async function nameChangesOf(vault: VaultRepository, info: CommitInfo, parent: Oid): Promise<NameChanges> {
  const { op, paths } = info.record;
  if (op === 'rename') return { ...NO_NAME_CHANGES, moves: recordedMoves(info.record) };
  if (op === 'delete' || op === 'remove') return { ...NO_NAME_CHANGES, gone: paths };
  if (op !== 'revert' && op !== 'restore' && op !== 'merge') return NO_NAME_CHANGES;
  const changes = await changesOfCommit(vault, info, parent);
  const pathsOf = (kind: 'added' | 'removed') => changes.flatMap((change) => (change.kind === kind ? [change.path] : []));
  return {
    moves: changes.flatMap((change) => (change.kind === 'renamed' ? [{ from: change.from, to: change.path }] : [])),
    gone: pathsOf('removed'),
    back: pathsOf('added'),
  };
}

/** What a commit changed of a parent, by default the first. */
export async function changesOfCommit(vault: VaultRepository, info: CommitInfo, parent = info.commit.parents[0]): Promise<NodeChange[]> {
  const { before, after } = await differenceOfCommit(vault, info, parent);
  return findChanges(before, after, recordedMoves(info.record));
}

/** The same before files that moved are paired: of both trees what the other lacks, or has otherwise. */
export async function differenceOfCommit(
  vault: VaultRepository,
  { commit }: CommitInfo,
  parent = commit.parents[0],
): Promise<{ before: Listing; after: Listing }> {
  const before = parent && (await vault.trees.root((await vault.commit(parent)).commit.tree));
  return listDifference(vault, before, await vault.trees.root(commit.tree));
}

/**
 * In order of paths. Paths that both listings lack, or hold alike, do not matter and may be left out of both.
 *
 * @param moves what records tell of the commits in between, the newest first
 */
export async function findChanges(before: Listing, after: Listing, moves: readonly Move[] = []): Promise<NodeChange[]> {
  const changes: NodeChange[] = [];
  const gone = new Map<MemoryPath, FileNode>();
  const come = new Map<MemoryPath, FileNode>();
  for (const path of new Set([...before.keys(), ...after.keys()])) {
    const [old, fresh] = [before.get(path), after.get(path)];
    if (await isSameNode(old, fresh)) continue;
    if (old?.kind === 'file' && fresh?.kind === 'file') changes.push({ kind: 'modified', path, before: old, after: fresh });
    else {
      if (old?.kind === 'file') gone.set(path, old);
      else if (old) changes.push({ kind: 'removed', path, before: old });
      if (fresh?.kind === 'file') come.set(path, fresh);
      else if (fresh) changes.push({ kind: 'added', path, after: fresh });
    }
  }
  for (const { from, to } of await pair(gone, come, moves)) {
    changes.push({ kind: 'renamed', from, path: to, before: gone.get(from)!, after: come.get(to)! });
    gone.delete(from);
    come.delete(to);
  }
  for (const [path, node] of gone) changes.push({ kind: 'removed', path, before: node });
  for (const [path, node] of come) changes.push({ kind: 'added', path, after: node });
  return changes.sort((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
}

async function pair(gone: ReadonlyMap<MemoryPath, FileNode>, come: ReadonlyMap<MemoryPath, FileNode>, moves: readonly Move[]): Promise<Move[]> {
  const sources = new Map(gone);
  const pairs: Move[] = [];
  for (const to of come.keys()) {
    const from = moves.reduce((path, move) => movedPath(path, move.to, move.from), to);
    if (sources.delete(from)) pairs.push({ from, to });
  }
  const byContent = new Map<string, MemoryPath[]>();
  const sizes = new Set([...come.values()].map(({ sizeBytes }) => sizeBytes));
  for (const [path, node] of sources) {
    if (node.sizeBytes === 0 || !sizes.has(node.sizeBytes)) continue;
    const digest = await digestOf(node);
    byContent.set(digest, [...(byContent.get(digest) ?? []), path]);
  }
  const paired = new Set(pairs.map(({ to }) => to));
  for (const [to, node] of byContent.size === 0 ? [] : come) {
    if (paired.has(to) || node.sizeBytes === 0) continue;
    const from = byContent.get(await digestOf(node))?.shift();
    if (from !== undefined) pairs.push({ from, to });
  }
  return pairs;
}

async function digestOf(node: FileNode): Promise<string> {
  return createHash('sha256').update(await node.read()).digest('base64');
}
