/**
 * Walks commits from the newest to the oldest, each after all of its children, one at a time and as they are asked for: the
 * first comes at once, whatever the length of the history. Where the history is one line no record is opened; where it is not,
 * records say by their sequence numbers what comes first. Wrong numbers would give a wrong order, never other commits.
 */
import { decodeCommit, type Commit } from '../git/commit.ts';
import type { Oid } from '../git/objects.ts';
import type { CommitInfo } from '../vault/commit-info.ts';
import { bodyOf } from '../vault/tree-reader.ts';
import type { VaultRepository } from '../vault/vault-repository.ts';

/** A commit whose record is opened only when somebody asks. */
export interface WalkedCommit {
  readonly oid: Oid;
  readonly commit: Commit;
  readonly info: () => CommitInfo;
}

/** Reads one commit without opening it. @throws CORRUPT */
export async function readCommit(vault: VaultRepository, oid: Oid): Promise<WalkedCommit> {
  const commit = decodeCommit(bodyOf(await vault.repository.read(oid), 'commit', oid));
  let info: CommitInfo | undefined;
  return { oid, commit, info: () => (info ??= vault.openCommit(oid, commit)) };
}

/** A commit with its parents beside it, for whoever compares the two. */
export interface VisitedCommit extends WalkedCommit {
  readonly parents: readonly WalkedCommit[];
}

interface Waiting {
  readonly walked: WalkedCommit;
  /** Reached from a commit that is left out. */
  hidden: boolean;
}

export interface WalkLimits {
  /** Leaves out what can be reached from this commit. */
  readonly hide?: Oid | undefined;
  /** Leaves out commits of earlier days, in seconds since 1970. A commit's day is never before a parent's. */
  readonly sinceSec?: number | undefined;
}

/** Everything that can be reached from `start`. */
export async function* walkHistory(vault: VaultRepository, start: Oid, { hide, sinceSec = 0 }: WalkLimits = {}): AsyncGenerator<VisitedCommit> {
  const waiting: Waiting[] = [];
  const meet = async (oid: Oid, hidden: boolean): Promise<WalkedCommit> => {
    const known = waiting.find(({ walked }) => walked.oid === oid);
    if (known) known.hidden ||= hidden;
    const walked = known?.walked ?? (await readCommit(vault, oid));
    if (!known && walked.commit.timeSec >= sinceSec) waiting.push({ walked, hidden });
    return walked;
  };
  await meet(start, false);
  if (hide !== undefined) await meet(hide, true);

  // A commit leaves only after all of its children, so it can never be met again.
  while (waiting.some(({ hidden }) => !hidden)) {
    const { walked, hidden } = takeNewest(waiting);
    const parents: WalkedCommit[] = [];
    for (const parent of walked.commit.parents) parents.push(await meet(parent, hidden));
    if (!hidden) yield { ...walked, parents };
  }
}

/** Walks from a commit to the first one by first parents only: the vault's own line, without what was merged into it. */
export async function* walkFirstParents(vault: VaultRepository, start: Oid): AsyncGenerator<WalkedCommit> {
  for (let at: Oid | undefined = start; at !== undefined; ) {
    const walked: WalkedCommit = await readCommit(vault, at);
    yield walked;
    at = walked.commit.parents[0];
  }
}

function takeNewest(waiting: Waiting[]): Waiting {
  let newest = 0;
  for (let i = 1; i < waiting.length; i += 1) {
    if (sequenceOf(waiting[i]!) > sequenceOf(waiting[newest]!)) newest = i;
  }
  return waiting.splice(newest, 1)[0]!;
}

function sequenceOf({ walked }: Waiting): number {
  return walked.info().record.sequence;
}
