/**
 * The log: commits from the newest to the oldest, as many as are asked for, told as soon as each is found. What can be decided
 * from oids is decided before a record is opened, and what needs texts comes last.
 */
import { MemgitError } from '../errors.ts';
import type { Oid } from '../git/objects.ts';
import type { CommitInfo } from '../vault/commit-info.ts';
import { displayPath, type MemoryPath } from '../vault/path.ts';
import type { VaultRepository } from '../vault/vault-repository.ts';
import { changesOfCommit } from './changes.ts';
import { diffChanges } from './diff.ts';
import { followPath } from './follow.ts';
import { logEntryOf, type LogEntry } from './log-entry.ts';
import { Matcher } from './matcher.ts';
import { isRange, resolveRange, resolveRevision } from './revision.ts';
import { parseTime } from './time.ts';
import { walkHistory, type WalkLimits } from './walk.ts';

/** git's time of a commit is only its day. */
const DAY_SEC = 86_400;

export interface LogFilter {
  /** Where to begin, or a range `A..B`. Default `HEAD`. */
  readonly revision?: string | undefined;
  /** Only what changed this file or folder, under whatever name it had then. */
  readonly path?: MemoryPath | undefined;
  readonly op?: string | undefined;
  readonly session?: string | undefined;
  readonly toolUseId?: string | undefined;
  readonly actor?: string | undefined;
  /** Not before: a date, or text such as `3 days ago`. */
  readonly since?: Date | string | undefined;
  /** Not after. */
  readonly until?: Date | string | undefined;
  /** In a line of text that the commit added or removed: literally, or as a pattern. */
  readonly grep?: string | RegExp | undefined;
  /** At most so many, the newest of all that match. */
  readonly limit?: number | undefined;
  /** The oldest first. Has to find all that match before it tells the first. */
  readonly reverse?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface FilteredLogEntry extends LogEntry {
  /** With a path in the filter: what was followed, as it was called in this commit. */
  readonly followed?: string;
}

/** @throws BAD_REVISION; NOT_FOUND when nothing ever stood at the path; INVALID_ARGUMENT for a time or a pattern that is none, and in the end for a pattern that takes too long; ABORTED */
export async function* log(vault: VaultRepository, filter: LogFilter = {}): AsyncGenerator<FilteredLogEntry> {
  const matcher = filter.grep === undefined ? undefined : new Matcher(filter.grep);
  const found = limited(matches(vault, filter, matcher), filter.limit ?? Infinity);
  if (filter.reverse === true) {
    const kept: { oid: Oid; path: MemoryPath | undefined }[] = [];
    for await (const { oid, path } of found) kept.push({ oid, path });
    for (const { oid, path } of kept.reverse()) yield entryOf(await vault.commit(oid), path);
  } else {
    for await (const { info, path } of found) yield entryOf(await info(), path);
  }
  matcher?.finish();
}

interface Match {
  readonly oid: Oid;
  readonly info: () => CommitInfo | Promise<CommitInfo>;
  readonly path: MemoryPath | undefined;
}

async function* matches(vault: VaultRepository, filter: LogFilter, matcher: Matcher | undefined): AsyncGenerator<Match> {
  const { from, to } = await endsOf(vault, filter.revision ?? 'HEAD');
  const times = { since: timeOf(filter.since) ?? -Infinity, until: timeOf(filter.until) ?? Infinity };
  for await (const match of candidates(vault, filter.path, to, { hide: from, sinceSec: times.since / 1000 - DAY_SEC, signal: filter.signal })) {
    const info = await match.info();
    if (!agrees(info, filter) || info.record.timeMs < times.since || info.record.timeMs > times.until) continue;
    if (matcher && !(await changedTextMatches(vault, info, match.path, matcher))) continue;
    yield match;
  }
}

async function* candidates(vault: VaultRepository, path: MemoryPath | undefined, to: Oid, limits: WalkLimits): AsyncGenerator<Match> {
  if (path === undefined) {
    for await (const { oid, info } of walkHistory(vault, to, limits)) yield { oid, info, path };
    return;
  }
  let known = false;
  for await (const followed of followPath(vault, to, path, limits)) {
    if (followed.changed) yield followed;
    known ||= followed.changed;
  }
  const cut = limits.hide !== undefined || limits.sinceSec !== -Infinity;
  if (known || cut || (await (await vault.snapshot(to)).stat(path))) return;
  throw new MemgitError('NOT_FOUND', 'expected a path of this memory, got one that never existed in it; check its spelling');
}

async function* limited(found: AsyncGenerator<Match>, limit: number): AsyncGenerator<Match> {
  let count = 0;
  if (limit < 1) return;
  for await (const match of found) {
    yield match;
    count += 1;
    if (count >= limit) return;
  }
}

async function endsOf(vault: VaultRepository, revision: string): Promise<{ from: Oid | undefined; to: Oid }> {
  if (isRange(revision)) return resolveRange(vault, revision);
  return { from: undefined, to: await resolveRevision(vault, revision) };
}

function agrees({ record }: CommitInfo, { op, session, toolUseId, actor }: LogFilter): boolean {
  return (
    (op === undefined || record.op === op) &&
    (session === undefined || record.session === session) &&
    (toolUseId === undefined || record.toolUseId === toolUseId) &&
    (actor === undefined || record.actor === actor)
  );
}

async function changedTextMatches(vault: VaultRepository, info: CommitInfo, path: MemoryPath | undefined, matcher: Matcher): Promise<boolean> {
  for (const { hunks } of await diffChanges(await changesOfCommit(vault, info), { path, context: 0 })) {
    const lines = hunks.flatMap((hunk) => hunk.lines).filter((line) => !line.startsWith('\\'));
    if ((matcher.matchingLines(lines.map((line) => line.slice(1))) ?? []).length > 0) return true;
  }
  return false;
}

function timeOf(time: Date | string | undefined): number | undefined {
  const timeMs = typeof time === 'string' ? parseTime(time, Date.now()) : time?.getTime();
  if (time !== undefined && (timeMs === undefined || Number.isNaN(timeMs))) {
    throw new MemgitError('INVALID_ARGUMENT', 'expected a time such as 2026-11-01, 2026-11-01 14:00 or 3 days ago, got none of these forms');
  }
  return timeMs;
}

function entryOf(info: CommitInfo, path: MemoryPath | undefined): FilteredLogEntry {
  return { ...logEntryOf(info), ...(path === undefined ? {} : { followed: displayPath(path) }) };
}
