/** Looks at one session and undoes it, by its commits. The table and the logs tell what happened, so they are not undone. */
import { utf8, utf8Decode } from '../bytes.ts';
import { MemgitError } from '../errors.ts';
import type { UndoResult } from '../history/bench-commit.ts';
import { differenceOfCommit, findChanges, recordedMoves, type Move } from '../history/changes.ts';
import { diffChanges, type FileDiff } from '../history/diff.ts';
import { fileOf, type ListingNode } from '../history/listing.ts';
import { logEntryOf, type LogEntry } from '../history/log-entry.ts';
import { revert, type RevertOptions } from '../history/revert.ts';
import type { Workbench } from '../history/workbench.ts';
import type { CommitInfo } from '../vault/commit-info.ts';
import type { MemoryPath } from '../vault/path.ts';
import type { VaultRepository } from '../vault/vault-repository.ts';
import { commitsOf, isWork, tally } from './activity.ts';
import { logNumberOf, logPath, TABLE } from './layout.ts';
import { readText } from './progress-files.ts';
import { withSection } from './session-log.ts';
import { infoOf, type SessionInfo, type SessionRow, type SessionStat } from './table.ts';
import type { World } from './world.ts';

export interface SessionDetails extends SessionInfo {
  readonly stat: SessionStat;
  /** The text of its log; `undefined` when the file is gone. */
  readonly log: string | undefined;
  /** Newest first, its start and its end included. */
  readonly commits: readonly LogEntry[];
}

export type SessionRevertOptions = Pick<RevertOptions, 'keep' | 'dryRun' | 'note' | 'actor' | 'signal'>;

export async function showSession(vault: VaultRepository, row: SessionRow): Promise<SessionDetails> {
  const commits: LogEntry[] = [];
  for await (const info of commitsOf(vault, row.id)) commits.push(logEntryOf(info));
  const stat = row.stat ?? (await tally(vault, [row.id])).get(row.id)!;
  return { ...infoOf(row), stat, log: await readText(await vault.snapshot(), logPath(row.number)), commits };
}

export async function diffSession(vault: VaultRepository, row: SessionRow): Promise<FileDiff[]> {
  const before = new Map<MemoryPath, ListingNode>();
  const after = new Map<MemoryPath, ListingNode>();
  const met = new Set<MemoryPath>();
  /** The newest first. */
  const moves: Move[] = [];
  for (const info of (await workOf(vault, row)).reverse()) {
    const difference = await differenceOfCommit(vault, info);
    moves.unshift(...recordedMoves(info.record));
    for (const path of new Set([...difference.before.keys(), ...difference.after.keys()])) {
      if (isAccount(path)) continue;
      const [old, fresh] = [difference.before.get(path), difference.after.get(path)];
      if (!met.has(path) && old) before.set(path, old);
      met.add(path);
      if (fresh) after.set(path, fresh);
      else after.delete(path);
    }
  }
  return diffChanges(await findChanges(before, after, moves));
}

/** @throws CONFLICT, and nothing is changed */
export async function revertSession(vault: VaultRepository, { now }: World, row: SessionRow, options: SessionRevertOptions): Promise<UndoResult> {
  if (row.status === 'open') throw new MemgitError('REFUSED', `session ${row.number} is still open; end or abandon it before undoing it`);
  const revisions = (await workOf(vault, row)).filter(isUndoable).map(({ oid }) => oid);
  if (revisions.length === 0) throw new MemgitError('BAD_REVISION', `session ${row.number} changed nothing that could be undone`);
  const addTo = async (bench: Workbench) => noteRevert(bench, row, new Date(now()).toISOString());
  return revert(vault, { revisions }, { note: `revert session ${row.number}`, ...options }, { addTo });
}

/** Whether a commit of a session changed more than the account of it. */
export function isUndoable(info: CommitInfo): boolean {
  return isWork(info) && !info.record.paths.every(isAccount);
}

async function noteRevert(bench: Workbench, { number }: SessionRow, time: string): Promise<void> {
  const file = bench.file(logPath(number));
  const log = file && utf8Decode(await file.read());
  if (log === undefined) return;
  bench.write(logPath(number), fileOf(utf8(withSection(log, 'Reverted', time, 'What this session changed was undone; later work was kept.'))));
}

/** Newest first. */
async function workOf(vault: VaultRepository, { id }: SessionRow): Promise<CommitInfo[]> {
  const commits: CommitInfo[] = [];
  for await (const info of commitsOf(vault, id)) if (isWork(info)) commits.push(info);
  return commits;
}

/** The account of what sessions did: the table, and the logs. */
function isAccount(path: MemoryPath): boolean {
  return path === TABLE || logNumberOf(path) !== undefined;
}
