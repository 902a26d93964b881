/**
 * Differences between two memories as data: files that came, went, changed or moved, with hunks as `diff -u` counts them.
 * Paths are shown as Claude knows them. Turning this into the text of a patch is the business of patch.ts.
 */
import { equalBytes, type Bytes } from '../bytes.ts';
import { oidOf, type Oid } from '../git/objects.ts';
import { displayPath, isWithin, ROOT, type MemoryPath } from '../vault/path.ts';
import type { VaultRepository } from '../vault/vault-repository.ts';
import { changesOfCommit, findChanges, recordedMoves, type Move, type NodeChange } from './changes.ts';
import { diffLines, textLines, type LineEdit } from './lines.ts';
import { listDifference, type ListingNode } from './listing.ts';
import { resolveRevision } from './revision.ts';
import { walkHistory } from './walk.ts';

export interface Hunk {
  /** Counted from 1; 0 where the side has no lines at all. */
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  /** Each led by a space, `-` or `+`, without its LF; a line without one is followed by `\ No newline at end of file`. */
  readonly lines: readonly string[];
}

export interface FileDiff {
  readonly change: 'added' | 'removed' | 'modified' | 'renamed';
  readonly path: string;
  /** Where a renamed file was before. */
  readonly from?: string;
  /** A directory comes and goes only as an empty one; a patch has no way to say so. */
  readonly entry: 'file' | 'directory';
  readonly sizeBefore: number;
  readonly sizeAfter: number;
  /** The oid that git gives the content in clear; absent where there is none. */
  readonly plainOidBefore?: string;
  readonly plainOidAfter?: string;
  /** False only for a file that was moved as it is. */
  readonly contentChanged: boolean;
  /** Changed, and not text: that it differs is all there is to say. */
  readonly binary: boolean;
  readonly addedLines: number;
  readonly removedLines: number;
  readonly hunks: readonly Hunk[];
}

export interface DiffOptions {
  /** Only what is at or below this path, before or after. */
  readonly path?: MemoryPath | undefined;
  /** Unchanged lines around each change. Default 3. */
  readonly context?: number | undefined;
}

const DEFAULT_CONTEXT = 3;

/** What has to be done to the memory at `from` to get the one at `to`. @throws BAD_REVISION */
export async function diff(vault: VaultRepository, from: string, to = 'HEAD', options: DiffOptions = {}): Promise<FileDiff[]> {
  const [before, after] = [await vault.commit(await resolveRevision(vault, from)), await vault.commit(await resolveRevision(vault, to))];
  const roots = [await vault.trees.root(before.commit.tree), await vault.trees.root(after.commit.tree)] as const;
  const listings = await listDifference(vault, ...roots);
  const changes = await findChanges(listings.before, listings.after);
  // Only a file that went and another that came leave a question that records can answer.
  const open = changes.some(({ kind }) => kind === 'removed') && changes.some(({ kind }) => kind === 'added');
  const moves = open ? await movesBetween(vault, before.oid, after.oid) : [];
  return diffChanges(moves.length === 0 ? changes : await findChanges(listings.before, listings.after, moves), options);
}

/** What a commit changed, relative to its first parent. */
export async function diffCommit(vault: VaultRepository, oid: Oid, options: DiffOptions = {}): Promise<FileDiff[]> {
  return diffChanges(await changesOfCommit(vault, await vault.commit(oid)), options);
}

export async function diffChanges(changes: readonly NodeChange[], { path = ROOT, context = DEFAULT_CONTEXT }: DiffOptions = {}): Promise<FileDiff[]> {
  const diffs: FileDiff[] = [];
  for (const change of changes) {
    if (isWithin(change.path, path) || (change.kind === 'renamed' && isWithin(change.from, path))) diffs.push(await diffNode(change, context));
  }
  return diffs;
}

/** The moves recorded between two commits, newest first. */
async function movesBetween(vault: VaultRepository, from: Oid, to: Oid): Promise<Move[]> {
  const moves: Move[] = [];
  for await (const { info } of walkHistory(vault, to, { hide: from })) moves.push(...recordedMoves(info().record));
  return moves;
}

async function diffNode(change: NodeChange, context: number): Promise<FileDiff> {
  const before = change.kind === 'added' ? undefined : change.before;
  const after = change.kind === 'removed' ? undefined : change.after;
  const [oldBytes, newBytes] = [await bytesOf(before), await bytesOf(after)];
  const contentChanged = change.kind !== 'renamed' || !equalBytes(oldBytes!, newBytes!);
  const [old, fresh] = contentChanged ? [oldBytes ? textLines(oldBytes) : [], newBytes ? textLines(newBytes) : []] : [[], []];
  const edits = old && fresh ? diffLines(old, fresh) : [];
  return {
    change: change.kind,
    path: displayPath(change.path),
    ...(change.kind === 'renamed' ? { from: displayPath(change.from) } : {}),
    entry: (after ?? before)!.kind,
    sizeBefore: oldBytes?.length ?? 0,
    sizeAfter: newBytes?.length ?? 0,
    ...(oldBytes ? { plainOidBefore: oidOf('blob', oldBytes) } : {}),
    ...(newBytes ? { plainOidAfter: oidOf('blob', newBytes) } : {}),
    contentChanged,
    binary: !old || !fresh,
    addedLines: edits.reduce((sum, { newCount }) => sum + newCount, 0),
    removedLines: edits.reduce((sum, { oldCount }) => sum + oldCount, 0),
    hunks: old && fresh ? makeHunks(old, fresh, edits, context) : [],
  };
}

async function bytesOf(node: ListingNode | undefined): Promise<Bytes | undefined> {
  return node?.kind === 'file' ? node.read() : undefined;
}

function makeHunks(old: readonly string[], fresh: readonly string[], edits: readonly LineEdit[], context: number): Hunk[] {
  return groupEdits(edits, context).map((group) => {
    const [first, last] = [group[0]!, group.at(-1)!];
    const lead = Math.min(context, first.oldStart);
    const [oldStart, newStart] = [first.oldStart - lead, first.newStart - lead];
    const oldEnd = Math.min(old.length, last.oldStart + last.oldCount + context);
    const newEnd = oldEnd - (last.oldStart + last.oldCount) + last.newStart + last.newCount;
    const lines: string[] = [];
    let at = oldStart;
    for (const edit of group) {
      mark(lines, ' ', old, at, edit.oldStart);
      mark(lines, '-', old, edit.oldStart, edit.oldStart + edit.oldCount);
      mark(lines, '+', fresh, edit.newStart, edit.newStart + edit.newCount);
      at = edit.oldStart + edit.oldCount;
    }
    mark(lines, ' ', old, at, oldEnd);
    const [oldLines, newLines] = [oldEnd - oldStart, newEnd - newStart];
    // A side without lines is named by the line before it.
    return { oldStart: oldStart + (oldLines > 0 ? 1 : 0), oldLines, newStart: newStart + (newLines > 0 ? 1 : 0), newLines, lines };
  });
}

/** Edits whose contexts overlap or touch share a hunk. */
function groupEdits(edits: readonly LineEdit[], context: number): LineEdit[][] {
  const groups: LineEdit[][] = [];
  for (const edit of edits) {
    const last = groups.at(-1)?.at(-1);
    if (last && edit.oldStart - (last.oldStart + last.oldCount) <= 2 * context) groups.at(-1)!.push(edit);
    else groups.push([edit]);
  }
  return groups;
}

function mark(lines: string[], sign: string, source: readonly string[], from: number, to: number): void {
  for (let i = from; i < to; i += 1) {
    const line = source[i]!;
    if (line.endsWith('\n')) lines.push(sign + line.slice(0, -1));
    else lines.push(sign + line, '\\ No newline at end of file');
  }
}
