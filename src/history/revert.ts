/**
 * Undoes commits as one new commit: the text that they wrote goes, the text that they replaced comes back, and later edits
 * elsewhere in the same files stay. Nothing is rewritten, and the keyring is not touched.
 */
import { MemgitError } from '../errors.ts';
import type { Oid } from '../git/objects.ts';
import type { CommitInfo } from '../vault/commit-info.ts';
import type { VaultRepository } from '../vault/vault-repository.ts';
import { writeBench, type UndoOptions, type UndoResult } from './bench-commit.ts';
import { conflictError } from './conflict.ts';
import { listSnapshot } from './listing.ts';
import type { Side } from './merge3.ts';
import { isRange, resolveRange, resolveRevision } from './revision.ts';
import { Undo } from './undo.ts';
import { walkHistory } from './walk.ts';
import { Workbench } from './workbench.ts';

/** Which commits are to be undone: all that any of these names. */
export interface RevertTargets {
  /** Revisions and ranges `A..B`. */
  readonly revisions?: readonly string[] | undefined;
  /** Every commit of this session. */
  readonly session?: string | undefined;
  /** Every commit of this tool use. */
  readonly toolUseId?: string | undefined;
}

export interface RevertOptions extends UndoOptions {
  /** Decides every conflict: for what is there now, or for what the undo would put back. */
  readonly keep?: Side | undefined;
}

/** What the floor above, which knows what sessions are, adds to an undo. */
export interface RevertHooks {
  /** Which commits of a session are to be undone. Default: all. */
  readonly isWork?: (commit: CommitInfo) => boolean;
  /** Adds to the same commit. Called when there is something to undo. */
  readonly addTo?: (bench: Workbench) => Promise<void>;
}

/**
 * Undoes commits, the newest first, and writes the outcome as one commit. Undoing what is undone already changes nothing.
 *
 * @throws CONFLICT when later edits touch the same lines and `keep` does not say what then; `conflictsOf` has them, and nothing
 *   was changed
 * @throws BAD_REVISION when there is no such commit, or it is the first one, which only made the vault
 */
export async function revert(vault: VaultRepository, targets: RevertTargets, options: RevertOptions = {}, { isWork, addTo }: RevertHooks = {}): Promise<UndoResult> {
  const commits = await findTargets(vault, targets, isWork, options.signal);
  return writeBench(vault, options, async (snapshot, head) => {
    const bench = new Workbench(await listSnapshot(snapshot));
    const undo = new Undo(vault, head, bench, options);
    for (const { info, parent } of commits) await undo.commit(info, parent);
    if (undo.conflicts.length > 0) throw conflictError(undo.conflicts);
    if (addTo && (await bench.changes()).length > 0) await addTo(bench);
    return { bench, op: 'revert', targets: commits.map(({ info }) => info.oid) };
  });
}

/** A commit, and the parent of it that is to come back. */
interface Target {
  readonly info: CommitInfo;
  readonly parent: Oid | undefined;
}

/** From the newest to the oldest, each once. */
async function findTargets(vault: VaultRepository, { revisions = [], session, toolUseId }: RevertTargets, isWork = (_: CommitInfo) => true, signal?: AbortSignal): Promise<Target[]> {
  const found = new Map<Oid, Target>();
  // Of a merge in a range it is known which parent is to come back, whatever else names it.
  const add = (info: CommitInfo, parent?: Oid) => {
    if (parent !== undefined || !found.has(info.oid)) found.set(info.oid, { info, parent: parent ?? info.commit.parents[0] });
  };
  for (const revision of revisions) {
    if (isRange(revision)) {
      const { from, to } = await resolveRange(vault, revision);
      for (const { info, parent } of await lineBetween(vault, from, to, signal)) add(info, parent);
    } else add(await vault.commit(await resolveRevision(vault, revision)));
  }
  if (session !== undefined || toolUseId !== undefined) {
    const before = found.size;
    for await (const { info } of walkHistory(vault, (await vault.head()).oid, { signal })) {
      const { record } = info();
      const ofSession = session !== undefined && record.session === session && isWork(info());
      if (ofSession || (toolUseId !== undefined && record.toolUseId === toolUseId)) add(info());
    }
    if (found.size === before) throw new MemgitError('BAD_REVISION', 'expected the id of a session or a tool use that changed something, but no commit has it');
  }
  if (found.size === 0) throw new MemgitError('BAD_REVISION', 'expected commits to undo, got none; name a revision, a session or a tool use');
  const first = [...found.values()].find(({ parent }) => parent === undefined);
  if (first) {
    throw new MemgitError('BAD_REVISION', 'expected commits that changed the memory, got the first one too, which only made the vault; leave it out', {
      details: { oid: first.info.oid },
    });
  }
  // A commit's number is larger than those of all commits before it.
  return [...found.values()].sort((a, b) => b.info.record.sequence - a.info.record.sequence);
}

/**
 * The commits of a range that lead back from its end to its beginning, the newest first. What a merge in it brought in from
 * another line is undone with the merge, and not once more for itself.
 */
async function lineBetween(vault: VaultRepository, from: Oid, to: Oid, signal: AbortSignal | undefined): Promise<Target[]> {
  const between = new Map<Oid, CommitInfo>();
  for await (const { oid, info } of walkHistory(vault, to, { hide: from, signal })) between.set(oid, info());
  // The oldest first, so that of a commit's parents it is known already.
  const since = new Set([from]);
  for (const { oid, commit } of [...between.values()].reverse()) if (commit.parents.some((parent) => since.has(parent))) since.add(oid);
  const line: Target[] = [];
  for (let info = between.get(to); info; ) {
    const { parents } = info.commit;
    const parent: Oid | undefined = parents.find((each) => since.has(each)) ?? parents[0];
    line.push({ info, parent });
    info = parent === undefined ? undefined : between.get(parent);
  }
  return line;
}
