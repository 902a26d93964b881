/**
 * The table of sessions, `sessions.json`: one object a line, oldest first. Small enough to be read whole, so that a list or a
 * brief opens one file however many sessions there were. Only memgit writes it.
 */
import { MemgitError } from '../errors.ts';
import { isOwner, type Owner } from '../git/owner.ts';

export type SessionStatus = 'open' | 'ended' | 'abandoned' | 'interrupted';

/** What a session changed, as its commits tell. */
export interface SessionStat {
  readonly writes: number;
  readonly addedBytes: number;
  readonly removedBytes: number;
  /** ISO 8601 in UTC; absent when nothing was written. */
  readonly lastWrite?: string | undefined;
  /** The files that were written most often, at most five. */
  readonly files: readonly { readonly path: string; readonly writes: number }[];
  readonly fileCount: number;
  /** Ids of features that came to pass, and of those that did no longer. */
  readonly passed: readonly string[];
  readonly regressed: readonly string[];
}

/** A session as it is listed. */
export interface SessionInfo {
  /** 1 for the first session of a vault. */
  readonly number: number;
  readonly id: string;
  readonly agent?: string | undefined;
  readonly model?: string | undefined;
  readonly goal?: string | undefined;
  /** An initializer: it found no checklist, and may make one and change it as it likes. */
  readonly isFirst: boolean;
  readonly status: SessionStatus;
  /** ISO 8601 in UTC. */
  readonly started: string;
  readonly ended?: string | undefined;
  /** Known once a session is not open any more. */
  readonly stat?: SessionStat | undefined;
}

export interface SessionRow extends SessionInfo {
  /** The process that runs the session, if one is watched. Only open sessions have it. */
  readonly process?: Owner | undefined;
  readonly leaseMs: number;
}

const STATUSES: readonly unknown[] = ['open', 'ended', 'abandoned', 'interrupted'] satisfies SessionStatus[];

export function encodeTable(rows: readonly SessionRow[]): string {
  return `[\n${rows.map((row) => JSON.stringify(row)).join(',\n')}\n]\n`;
}

/** @throws CORRUPT when it is not what `encodeTable` wrote */
export function decodeTable(text: string | undefined): SessionRow[] {
  if (text === undefined) return [];
  try {
    const rows: unknown = JSON.parse(text);
    if (Array.isArray(rows) && rows.every(isRow)) return rows;
  } catch {
    // The same as a table of something else.
  }
  throw new MemgitError('CORRUPT', 'expected the table of sessions to be as memgit wrote it, got something else; restore an earlier version of the file');
}

/** Whether somebody ended it. One that was taken for dead may go on. */
export function isOver({ status }: SessionInfo): boolean {
  return status === 'ended' || status === 'abandoned';
}

/** What of a row is for callers. */
export function infoOf({ process: _, leaseMs: __, ...info }: SessionRow): SessionInfo {
  return info;
}

/** The session of a number (`7`, `"7"`) or of an id. A number wins where an id looks like one. */
export function findRow(rows: readonly SessionRow[], reference: string | number): SessionRow | undefined {
  return rows.find(({ number }) => String(number) === String(reference)) ?? rows.find(({ id }) => id === reference);
}

/** The file is one of the memory: it may hold anything, and nothing of it is used before it was looked at. */
function isRow(value: unknown): value is SessionRow {
  if (!isObject(value)) return false;
  const { number, id, agent, model, goal, isFirst, status, started, ended, stat, process, leaseMs } = value as Record<keyof SessionRow, unknown>;
  return isCount(number) && number > 0 && isText(id) && [agent, model, goal].every((text) => text === undefined || isText(text)) && typeof isFirst === 'boolean'
    && STATUSES.includes(status) && isTime(started) && (ended === undefined || isTime(ended)) && (stat === undefined || isStat(stat))
    && (process === undefined || isOwner(process)) && Number.isFinite(leaseMs);
}

function isStat(value: unknown): value is SessionStat {
  if (!isObject(value)) return false;
  const { writes, addedBytes, removedBytes, lastWrite, files, fileCount, passed, regressed } = value as Record<keyof SessionStat, unknown>;
  return [writes, addedBytes, removedBytes, fileCount].every(isCount) && (lastWrite === undefined || isTime(lastWrite))
    && Array.isArray(files) && files.every((file) => isObject(file) && isText(file['path']) && isCount(file['writes']))
    && [passed, regressed].every((ids) => Array.isArray(ids) && ids.every(isText));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isTime(value: unknown): value is string {
  return isText(value) && !Number.isNaN(Date.parse(value));
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
