/**
 * What a remote lacks: every object that commits of ours lead to and theirs do not, each checked to be of a kind that a vault
 * consists of before it is named. Plaintext that came into a repository by whatever way does not leave it here.
 */
import type { GitObject, Oid } from '../git/objects.ts';
import { giveWay } from '../git/turns.ts';
import { SharedCache, WALK_CACHE_BYTES } from '../vault/cache.ts';
import { checkedCommit, checkKind } from '../vault/kinds.ts';
import { bodyOf, TreeReader } from '../vault/tree-reader.ts';
import type { TreeRoot } from '../vault/tree.ts';

/** What there is to know of a commit here. */
interface Node {
  readonly tree: Oid;
  readonly parents: readonly Oid[];
}

export class Outgoing {
  readonly #read: (oid: Oid) => Promise<GitObject>;
  readonly #trees: TreeReader;
  readonly #signal: AbortSignal | undefined;
  readonly #nodes = new Map<Oid, Node>();

  constructor(read: (oid: Oid) => Promise<GitObject>, signal: AbortSignal | undefined) {
    this.#read = read;
    this.#signal = signal;
    this.#trees = new TreeReader(read, new SharedCache(WALK_CACHE_BYTES).forVault());
  }

  /** Every commit that one leads to, itself included. @throws ABORTED */
  async history(head: Oid): Promise<Oid[]> {
    // A set can grow while it is walked.
    const commits = new Set([head]);
    for (const oid of commits) {
      await giveWay(this.#signal);
      for (const parent of (await this.#node(oid)).parents) commits.add(parent);
    }
    return [...commits];
  }

  /** @param commits those that the remote lacks. @throws CORRUPT, UNSUPPORTED_VERSION for an object that must not leave; ABORTED */
  async *objects(commits: readonly Oid[]): AsyncGenerator<Oid> {
    const given = new Set<Oid>();
    for (const oid of commits) {
      const { tree, parents } = await this.#node(oid);
      yield oid;
      const before = parents[0] && (await this.#trees.root((await this.#node(parents[0])).tree));
      const { shapes, blobs } = await this.#newIn(before, await this.#trees.root(tree));
      for (const each of [tree, ...shapes, ...blobs]) {
        if (given.has(each)) continue;
        given.add(each);
        await giveWay(this.#signal);
        if (blobs.includes(each)) checkKind(await this.#read(each));
        yield each;
      }
    }
  }

  async #node(oid: Oid): Promise<Node> {
    const known = this.#nodes.get(oid);
    if (known) return known;
    const { tree, parents } = checkedCommit(bodyOf(await this.#read(oid), 'commit', oid));
    const node = { tree, parents };
    this.#nodes.set(oid, node);
    return node;
  }

  /** The subtrees, and the keyring and entries, that the tree before does not have in the same place. A tree is checked by being read. */
  async #newIn(before: TreeRoot | undefined, root: TreeRoot): Promise<{ shapes: Oid[]; blobs: Oid[] }> {
    const keyring = before?.keyring === root.keyring ? [] : [root.keyring];
    const shapes = [...root.fans].filter(([fan, oid]) => before?.fans.get(fan) !== oid).map(([, oid]) => oid);
    const entries = (await this.#trees.changes(before, root)).flatMap(({ after }) => after ?? []);
    return { shapes, blobs: [...keyring, ...entries] };
  }
}
