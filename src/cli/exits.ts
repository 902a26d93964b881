/** The exit codes of the command line and what each means; `ERRORS` says which code of the library ends in which. */
import { ERRORS, isMemgitError } from '../errors.ts';

export const EXITS = {
  0: 'ok',
  1: 'unexpected error',
  2: 'wrong usage, or something asked for that is not there',
  3: 'verify found damage, or users a vault that does not open',
  10: 'no store or vault at this place',
  11: 'locked by another process',
  12: 'no key, a mistyped key, or the wrong key',
  13: 'conflict: both sides touch the same lines, or the remote has commits that are not here',
  14: 'damaged, altered, or of a format this version does not read',
  15: 'the remote shows less than it did before, or another history',
  130: 'interrupted',
} as const;

export type Exit = keyof typeof EXITS;

export const OK = 0;
export const USAGE = 2;
export const DAMAGE = 3;
export const CONFLICT = 13;
export const INTERRUPTED = 130;

/** What every command that opens a vault can end in. */
export const OPENING: readonly Exit[] = [0, 1, 2, 10, 12, 14, 130];
/** What every command that changes a memory can end in. */
export const CHANGING: readonly Exit[] = [...OPENING, 11];

export function exitOf(error: unknown): number {
  return isMemgitError(error) ? ERRORS[error.code].exit : 1;
}
