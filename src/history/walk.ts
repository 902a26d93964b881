/**
 * Walks commits from the newest to the oldest, each after all of its children, one at a time and as they are asked for: the
 * first comes at once, whatever the length of the history. Where the history is one line no record is opened; where it is not,
 * records say by their sequence numbers what comes first. Wrong numbers would give a wrong order, never other commits.
 */
import { decodeCommit, type Commit } from '../git/commit.ts';
import type { Oid } from '../git/objects.ts';
import { giveWay } from '../git/turns.ts';
import type { CommitInfo } from '../vault/commit-info.ts';
import { bodyOf } from '../vault/tree-reader.ts';
import type { VaultRepository } from '../vault/vault-repository.ts';

/** What a walk has to know of a commit. */
export interface GraphNode {
  readonly oid: Oid;
  readonly commit: Pick<Commit, 'parents' | 'timeSec'>;
}

/** Where a walk gets its commits from. */
export interface Graph<N extends GraphNode> {
  node(oid: Oid): Promise<N>;
  /** The number in the commit's record. Asked for only where the history is not one line. */
  sequence(node: N): Promise<number>;
}

/** A commit with its parents beside it, for whoever compares the two. */
export interface Visited<N> {
  readonly node: N;
  readonly parents: readonly N[];
}

/** A commit whose record is opened only when somebody asks. */
export interface WalkedCommit extends GraphNode {
  readonly commit: Commit;
  readonly info: () => CommitInfo;
}

/** Reads one commit without opening it. @throws CORRUPT */
export async function readCommit(vault: VaultRepository, oid: Oid): Promise<WalkedCommit> {
  const commit = decodeCommit(bodyOf(await vault.repository.read(oid), 'commit', oid));
  let info: CommitInfo | undefined;
  return { oid, commit, info: () => (info ??= vault.openCommit(oid, commit)) };
}

export interface WalkLimits {
  /** Leaves out what can be reached from this commit. */
  readonly hide?: Oid | undefined;
  /** Leaves out commits of earlier days, in seconds since 1970. A commit's day is never before a parent's. */
  readonly sinceSec?: number | undefined;
  /** Ends the walk in ABORTED. */
  readonly signal?: AbortSignal | undefined;
}

interface Waiting<N> {
  readonly node: N;
  /** Reached from a commit that is left out. */
  hidden: boolean;
}

/** Everything that can be reached from `start`. */
export async function* walk<N extends GraphNode>(graph: Graph<N>, start: Oid, { hide, sinceSec = 0, signal }: WalkLimits = {}): AsyncGenerator<Visited<N>> {
  const waiting: Waiting<N>[] = [];
  const meet = async (oid: Oid, hidden: boolean): Promise<N> => {
    const known = waiting.find(({ node }) => node.oid === oid);
    if (known) known.hidden ||= hidden;
    const node = known?.node ?? (await graph.node(oid));
    if (!known && node.commit.timeSec >= sinceSec) waiting.push({ node, hidden });
    return node;
  };
  await meet(start, false);
  if (hide !== undefined) await meet(hide, true);

  // A commit leaves only after all of its children, so it can never be met again.
  while (waiting.some(({ hidden }) => !hidden)) {
    await giveWay(signal);
    const { node, hidden } = await takeNewest(graph, waiting);
    const parents: N[] = [];
    for (const parent of node.commit.parents) parents.push(await meet(parent, hidden));
    if (!hidden) yield { node, parents };
  }
}

/** Everything that can be reached from `start`, read from the repository. */
export async function* walkHistory(vault: VaultRepository, start: Oid, limits?: WalkLimits): AsyncGenerator<WalkedCommit> {
  const graph: Graph<WalkedCommit> = {
    node: (oid) => readCommit(vault, oid),
    sequence: ({ info }) => Promise.resolve(info().record.sequence),
  };
  for await (const { node } of walk(graph, start, limits)) yield node;
}

/** Walks from a commit to the first one by first parents only: the vault's own line, without what was merged into it. */
export async function* walkFirstParents(vault: VaultRepository, start: Oid): AsyncGenerator<WalkedCommit> {
  for (let at: Oid | undefined = start; at !== undefined; ) {
    await giveWay();
    const walked: WalkedCommit = await readCommit(vault, at);
    yield walked;
    at = walked.commit.parents[0];
  }
}

async function takeNewest<N extends GraphNode>(graph: Graph<N>, waiting: Waiting<N>[]): Promise<Waiting<N>> {
  let newest = 0;
  for (let i = 1; i < waiting.length; i += 1) {
    if ((await graph.sequence(waiting[i]!.node)) > (await graph.sequence(waiting[newest]!.node))) newest = i;
  }
  return waiting.splice(newest, 1)[0]!;
}
