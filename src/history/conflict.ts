/**
 * Why an undo was refused, in full. Conflicts hold the texts that clash, so they are kept beside the error and not in it: an
 * error may be logged, and a log must not show a memory.
 */
import { MemgitError } from '../errors.ts';
import type { ConflictRegion } from './merge3.ts';

export interface Conflict {
  /** Where it is in the memory now. */
  readonly path: string;
  /** The commit that was to be undone. */
  readonly oid: string;
  /**
   * `same-lines`: later edits touch the lines that the undo would change. `changed`: what the commit left is not text, or is
   * to go as a whole, and has changed since. `removed`: what is to be changed is no longer there. `taken`: something else is
   * where the undo would put something back.
   */
  readonly reason: 'same-lines' | 'changed' | 'removed' | 'taken';
  /** The lines that clash; ours are those of now, theirs what the undo would make of them. */
  readonly regions: readonly ConflictRegion[];
}

const conflicts = new WeakMap<object, readonly Conflict[]>();

export function conflictError(found: readonly Conflict[]): MemgitError {
  const oids = [...new Set(found.map(({ oid }) => oid))];
  const error = new MemgitError(
    'CONFLICT',
    `expected nothing later to touch what is undone, got ${found.length} ${found.length === 1 ? 'conflict' : 'conflicts'}; nothing was changed: undo the later edits too, or say which side to keep`,
    { details: { conflicts: found.length, oids } },
  );
  conflicts.set(error, found);
  return error;
}

/** The conflicts behind a CONFLICT error that `revert` threw; empty for any other error. */
export function conflictsOf(error: unknown): readonly Conflict[] {
  return (typeof error === 'object' && error !== null ? conflicts.get(error) : undefined) ?? [];
}
