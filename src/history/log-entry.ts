/** What the history tells of one commit, as plain data for programs and for `--json`. */
import type { CommitInfo } from '../vault/commit-info.ts';
import { displayPath } from '../vault/path.ts';

export interface LogEntry {
  readonly oid: string;
  readonly parents: readonly string[];
  /** ISO 8601 in UTC. */
  readonly time: string;
  readonly timeMs: number;
  /** How long the longest line of commits before this one is. */
  readonly sequence: number;
  readonly op: string;
  /** What the operation named; of a rename the old path, then the new one. */
  readonly paths: readonly string[];
  readonly session?: string;
  readonly toolUseId?: string;
  readonly model?: string;
  readonly actor?: string;
  readonly note?: string;
  /** What a revert undid, or a restore went back to. */
  readonly targets?: readonly string[];
  readonly addedBytes: number;
  readonly removedBytes: number;
}

export function logEntryOf({ oid, commit, record }: CommitInfo): LogEntry {
  const { session, toolUseId, model, actor, note, targets } = record;
  return {
    oid,
    parents: commit.parents,
    time: new Date(record.timeMs).toISOString(),
    timeMs: record.timeMs,
    sequence: record.sequence,
    op: record.op,
    paths: record.paths.map(displayPath),
    ...(session === undefined ? {} : { session }),
    ...(toolUseId === undefined ? {} : { toolUseId }),
    ...(model === undefined ? {} : { model }),
    ...(actor === undefined ? {} : { actor }),
    ...(note === undefined ? {} : { note }),
    ...(targets === undefined ? {} : { targets }),
    addedBytes: record.addedBytes,
    removedBytes: record.removedBytes,
  };
}
