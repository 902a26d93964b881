/**
 * How two commits stand to each other: what each has that the other has not, and where they part. Reads no more of the history
 * than that takes. Commits are visited from the highest sequence number down, which every commit has above its parents'.
 */
import type { Oid } from '../git/objects.ts';
import { giveWay } from '../git/turns.ts';
import type { CommitInfo } from '../vault/commit-info.ts';
import type { VaultRepository } from '../vault/vault-repository.ts';

export interface Relation {
  /** Commits that only the first leads to, newest first. */
  readonly ahead: readonly Oid[];
  /** Commits that only the second leads to, newest first. */
  readonly behind: readonly Oid[];
  /** The newest commit that both lead to; `undefined` when their histories have nothing in common. */
  readonly base: CommitInfo | undefined;
}

const FIRST = 1;
const SECOND = 2;
const BOTH = FIRST | SECOND;

interface Visited {
  readonly info: CommitInfo;
  sides: number;
}

/** As `relate`, of two commits that are in the repository; the second may be of another line, and have epochs that the head's keyring has not. */
export async function relateInVault(vault: VaultRepository, first: Oid, second: Oid, signal?: AbortSignal): Promise<Relation> {
  const keys = await vault.keysWith(second);
  return relate((oid) => vault.commit(oid, keys), first, second, signal);
}

/** @param second `undefined` for a history that is empty, so that everything is ahead. @throws ABORTED */
export async function relate(read: (oid: Oid) => Promise<CommitInfo>, first: Oid, second: Oid | undefined, signal?: AbortSignal): Promise<Relation> {
  const visited = new Map<Oid, Visited>();
  const queue = new NewestFirst();
  const visit = async (oid: Oid, sides: number): Promise<void> => {
    const known = visited.get(oid);
    if (known) {
      known.sides |= sides;
      return;
    }
    const commit = { info: await read(oid), sides };
    visited.set(oid, commit);
    queue.add(commit);
  };
  await visit(first, FIRST);
  if (second !== undefined) await visit(second, SECOND);

  const [ahead, behind]: [Oid[], Oid[]] = [[], []];
  let base: CommitInfo | undefined;
  for (let next = queue.take(); next; next = queue.take()) {
    // The first that both lead to is the newest; what is below it matters only while one side is still alone somewhere.
    if (next.sides === BOTH) base ??= next.info;
    else (next.sides === FIRST ? ahead : behind).push(next.info.oid);
    await giveWay(signal);
    for (const parent of next.info.commit.parents) await visit(parent, next.sides);
    if (base && queue.every((waiting) => waiting.sides === BOTH)) break;
  }
  return { ahead, behind, base };
}

/** A short queue: as long as the history is wide at one point. */
class NewestFirst {
  readonly #waiting: Visited[] = [];

  add(commit: Visited): void {
    const at = this.#waiting.findIndex((other) => isNewer(commit.info, other.info));
    this.#waiting.splice(at < 0 ? this.#waiting.length : at, 0, commit);
  }

  take(): Visited | undefined {
    return this.#waiting.shift();
  }

  every(test: (commit: Visited) => boolean): boolean {
    return this.#waiting.every(test);
  }
}

/** Equal numbers are told apart by oid, so that two clones take the same base. */
function isNewer(a: CommitInfo, b: CommitInfo): boolean {
  if (a.record.sequence !== b.record.sequence) return a.record.sequence > b.record.sequence;
  return a.oid < b.oid;
}
