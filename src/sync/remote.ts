/** How remotes are called, and what to say when one shows less than it did before. */
import { MemgitError, type ErrorCode } from '../errors.ts';
import type { Oid } from '../git/objects.ts';
import type { Relation } from './ancestry.ts';

/** The remote that is meant when none is named. */
export const DEFAULT_REMOTE = 'origin';

/** In place of an oid: accepts a remote that has become empty. */
export const EMPTY = 'empty';

/** What a remote showed, against where it was seen before. */
export interface Regression {
  readonly remote: string;
  readonly seen: Oid;
  readonly got: Oid | undefined;
  /** Commits that were seen before and are not there now. */
  readonly missing: number;
}

const MEANINGS = {
  ROLLBACK_DETECTED: 'the remote shows an older state than was seen before',
  FORK_DETECTED: 'the remote shows another history than was seen before',
  HISTORY_REWRITTEN: 'the remote shows a history that was written anew since it was seen',
} as const satisfies Partial<Record<ErrorCode, string>>;

/** What it is called when a remote does not lead to where it was seen. */
export function regressionOf({ ahead }: Relation): 'ROLLBACK_DETECTED' | 'FORK_DETECTED' {
  return ahead.length === 0 ? 'ROLLBACK_DETECTED' : 'FORK_DETECTED';
}

export function describeRegression(code: keyof typeof MEANINGS, { remote, seen, got, missing }: Regression): MemgitError {
  const accepted = got ?? EMPTY;
  const message =
    `${MEANINGS[code]}: ${missing} ${missing === 1 ? 'commit is' : 'commits are'} missing; nothing was changed here. ` +
    `Ask whoever runs it; if it is meant, accept it with: memgit fetch ${remote} --accept ${accepted}`;
  return new MemgitError(code, message, { details: { remote, seen, got: got ?? '', missing } });
}
