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
  /**
   * The commits that both lead to, but for those that another of them leads to; newest first. There is one, unless each side has
   * merged a commit of the other before; there is none when their histories have nothing in common.
   */
  readonly bases: readonly CommitInfo[];
}

const FIRST = 1;
const SECOND = 2;
const BOTH = FIRST | SECOND;
/** Reached from a commit that both lead to. */
const BELOW = 4;

interface Visited {
  readonly info: CommitInfo;
  /** FIRST, SECOND and BELOW, as far as they are true. */
  marks: number;
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
  const visit = async (oid: Oid, marks: number): Promise<void> => {
    const known = visited.get(oid);
    if (known) {
      known.marks |= marks;
      return;
    }
    const commit = { info: await read(oid), marks };
    visited.set(oid, commit);
    queue.add(commit);
  };
  await visit(first, FIRST);
  if (second !== undefined) await visit(second, SECOND);

  const [ahead, behind]: [Oid[], Oid[]] = [[], []];
  const bases: CommitInfo[] = [];
  for (let next = queue.take(); next; next = queue.take()) {
    const { info, marks } = next;
    const isCommon = (marks & BOTH) === BOTH;
    if (!isCommon) (marks === FIRST ? ahead : behind).push(info.oid);
    else if ((marks & BELOW) === 0) bases.push(info);
    await giveWay(signal);
    for (const parent of info.commit.parents) await visit(parent, isCommon ? marks | BELOW : marks);
    // Whatever is below those found is neither one of them nor of one side alone.
    if (queue.every((waiting) => (waiting.marks & BELOW) !== 0)) break;
  }
  return { ahead, behind, bases };
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

/** Equal numbers are told apart by oid, so that two clones take the same order. */
function isNewer(a: CommitInfo, b: CommitInfo): boolean {
  if (a.record.sequence !== b.record.sequence) return a.record.sequence > b.record.sequence;
  return a.oid < b.oid;
}
