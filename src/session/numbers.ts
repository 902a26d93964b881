/**
 * The numbers of sessions. The table alone cannot say which are taken: a restore sets it back to an earlier version. So the
 * history is asked too, which nothing rewrites.
 */
import type { Oid } from '../git/objects.ts';
import { readCommit } from '../history/walk.ts';
import type { CommitRecord } from '../vault/record.ts';
import type { Snapshot } from '../vault/snapshot.ts';
import type { VaultRepository } from '../vault/vault-repository.ts';
import { logNumberOf, logPath } from './layout.ts';
import type { SessionRow } from './table.ts';

/** What is known of the history of one commit. */
export interface LastNumber {
  readonly at: Oid;
  /** The largest number that a session was given; 0 when there was none. */
  readonly number: number;
}

/**
 * Looks for the newest start on every line of the history and no further, since a start's number is above all before it.
 *
 * @param known the answer for an earlier commit, which is not looked behind
 */
export async function findLastNumber(vault: VaultRepository, at: Oid, known?: LastNumber): Promise<LastNumber> {
  let number = known?.number ?? 0;
  const met = new Set(known && [known.at]);
  const waiting = [at];
  for (let oid = waiting.pop(); oid !== undefined; oid = waiting.pop()) {
    if (met.has(oid)) continue;
    met.add(oid);
    const { commit, info } = await readCommit(vault, oid);
    const given = startedNumber(info().record);
    if (given === undefined) waiting.push(...commit.parents);
    else number = Math.max(number, given);
  }
  return { at, number };
}

/** Above every number that was given, and where no file stands already: one made by hand keeps its text. */
export async function nextNumber(snapshot: Snapshot, rows: readonly SessionRow[], last: LastNumber): Promise<number> {
  let number = Math.max(last.number, ...rows.map((row) => row.number)) + 1;
  while ((await snapshot.stat(logPath(number))) !== undefined) number += 1;
  return number;
}

/** A start names the log that it makes. */
function startedNumber({ op, paths: [log] }: CommitRecord): number | undefined {
  return op === 'session_start' && log !== undefined ? logNumberOf(log) : undefined;
}
