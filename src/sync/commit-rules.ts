/** What a commit owes to its parents (docs/FORMAT.md). Pure. */
import { MemgitError } from '../errors.ts';
import type { Oid } from '../git/objects.ts';
import type { Epoch } from '../vault/epoch.ts';

export interface CommitFacts {
  readonly oid: Oid;
  readonly parents: readonly Oid[];
  readonly timeSec: number;
  /** As `generation`: `undefined` when the record was not opened. */
  readonly sequence: number | undefined;
  readonly generation: number | undefined;
  readonly keyringOid: Oid;
  /** The keyring's. */
  readonly counter: number;
  /** The newest of the keyring, which the tree belongs to. */
  readonly epoch: Epoch;
  /** The number of the epoch whose key signed; `undefined` when that is not asked, or the commit is trusted already. */
  readonly signer: number | undefined;
}

const DAY_SEC = 86_400;

/** @param parents in the order in which the commit names them. @throws ALTERED, CORRUPT, HISTORY_REWRITTEN */
export function checkCommit(commit: CommitFacts, parents: readonly CommitFacts[]): void {
  const { oid } = commit;
  const expectedSigner = parents[0]?.epoch.facts.number ?? 1;
  if (commit.signer !== undefined && commit.signer !== expectedSigner) throw refused('ALTERED', 'a commit is signed by a key that was not the newest at its time', oid);
  if (commit.timeSec % DAY_SEC !== 0 || parents.some(({ timeSec }) => timeSec > commit.timeSec)) throw refused('CORRUPT', 'a commit carries a time that memgit does not write', oid);
  if (!isNumberedAfter(commit, parents)) throw refused('CORRUPT', 'a commit is not numbered after its parents', oid);
  if (parents.some(({ generation }) => generation !== undefined && commit.generation !== undefined && generation !== commit.generation)) throw refused('HISTORY_REWRITTEN', 'a commit joins two writings of the history, which never merge', oid);
  if (parents.some((parent) => goesBack(parent, commit))) throw refused('ALTERED', 'a keyring goes back to an older one', oid);
  // Or a former writer, who signs for the keyring of his time, could join that to what came since and have his way with it.
  const [first, ...others] = parents;
  if (first && others.some((other) => goesBack(other, first))) throw refused('ALTERED', 'a merge goes on from a parent whose keyring is not the newest of its parents', oid);
}

/** Every keyring of a history is of its one chain of epochs, so the number of the newest says how many of them it has. */
function goesBack(before: CommitFacts, after: CommitFacts): boolean {
  if (before.keyringOid === after.keyringOid) return false;
  return after.counter <= before.counter || after.epoch.facts.number < before.epoch.facts.number;
}

function isNumberedAfter({ sequence }: CommitFacts, parents: readonly CommitFacts[]): boolean {
  const before = parents.flatMap((parent) => parent.sequence ?? []);
  if (sequence === undefined || before.length < parents.length) return true;
  return sequence === Math.max(-1, ...before) + 1;
}

function refused(code: 'ALTERED' | 'CORRUPT' | 'HISTORY_REWRITTEN', message: string, oid: Oid): MemgitError {
  return new MemgitError(code, message, { details: { oid } });
}
