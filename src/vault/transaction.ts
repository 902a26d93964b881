/** What goes into a change of a vault and what comes out: a draft for a commit, or a way to take in another line of the history. Types only. */
import type { CommitInfo } from './commit-info.ts';
import type { VaultKeys } from './keys.ts';
import type { RecordFields } from './record.ts';
import type { Change, Snapshot } from './snapshot.ts';

/** What a mutation is to do, decided on a snapshot. Without changes nothing is written. */
export interface Draft<T> {
  readonly changes: readonly Change[];
  readonly record: RecordFields;
  readonly result: T;
}

export interface Committed<T> {
  readonly result: T;
  /** `undefined` when the memory stayed as it was and no commit was made. */
  readonly commit: CommitInfo | undefined;
}

/** A commit, the keys of its keyring, and the memory as it stands there. */
export interface VaultState {
  readonly info: CommitInfo;
  readonly keys: VaultKeys;
  readonly snapshot: Snapshot;
}

/** What to do about another line of the history: nothing, move on to it, or join it in a commit whose first parent is `onto`. */
export type Integration<T> =
  | { readonly kind: 'stay'; readonly result: T }
  | { readonly kind: 'forward'; readonly result: T }
  | { readonly kind: 'merge'; readonly onto: 'ours' | 'theirs'; readonly draft: Draft<T> };
