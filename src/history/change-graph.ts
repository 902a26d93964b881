/**
 * The commits of a vault with the opaque names that each of them changed: all that questions about a path ask of the many commits
 * that have nothing to do with it. What the index beside the repository knows is taken from there; the rest is read, compared,
 * and kept for the next time when it is much. Merges, renames and epochs are told the same with an index and without.
 */
import type { Oid } from '../git/objects.ts';
import type { CommitInfo } from '../vault/commit-info.ts';
import type { VaultRepository } from '../vault/vault-repository.ts';
import { IndexFile, Rows, type Difference, type IndexedCommit } from './index-file.ts';
import { readCommit, type Graph, type GraphNode, type Visited } from './walk.ts';

const INDEX_NAME = 'history';
/** About half a million commits. */
const MAX_INDEX_BYTES = 64 * 1024 * 1024;
/** Reading so many commits takes about as long as writing the index of a long history anew. */
const WORTH_KEEPING = 256;

/** A commit that was read, or only looked up in the index. */
export interface GraphCommit extends GraphNode {
  readonly tree: () => Promise<Oid>;
  /** Opens the record. */
  readonly info: () => Promise<CommitInfo>;
  readonly indexed: IndexedCommit | undefined;
}

export class ChangeGraph implements Graph<GraphCommit> {
  readonly #vault: VaultRepository;
  readonly #index: IndexFile;
  /** Commits that the index does not have. */
  readonly #fresh = new Rows();

  private constructor(vault: VaultRepository, index: IndexFile) {
    this.#vault = vault;
    this.#index = index;
  }

  static async open(vault: VaultRepository): Promise<ChangeGraph> {
    const bytes = await vault.repository.readSideFile(INDEX_NAME, MAX_INDEX_BYTES);
    return new ChangeGraph(vault, (bytes && IndexFile.open(bytes, vault.keys.epoch.historyIndexKey())) ?? IndexFile.empty);
  }

  async node(oid: Oid): Promise<GraphCommit> {
    const indexed = this.#index.get(oid);
    if (indexed === undefined) {
      const { commit, info } = await readCommit(this.#vault, oid);
      return { oid, commit, indexed, tree: () => Promise.resolve(commit.tree), info: () => Promise.resolve(info()) };
    }
    const info = () => this.#vault.commit(oid);
    return { oid, commit: indexed, indexed, tree: async () => (await info()).commit.tree, info };
  }

  async sequence({ info }: GraphCommit): Promise<number> {
    return (await info()).record.sequence;
  }

  /** What a commit changed relative to each of its parents; a first commit relative to nothing. */
  async differences({ node, parents }: Visited<GraphCommit>): Promise<readonly Difference[]> {
    if (node.indexed) return node.indexed.differences;
    const differences: Difference[] = [];
    for (const parent of parents.length > 0 ? parents : [undefined]) differences.push(await this.#compare(parent, node));
    const { parents: oids, timeSec } = node.commit;
    this.#fresh.add({ oid: node.oid, parents: oids, timeSec, differences });
    return differences;
  }

  /** Writes what was found out into the index, if it is much. */
  async keep(): Promise<void> {
    if (this.#fresh.count < WORTH_KEEPING) return;
    const { keys, repository } = this.#vault;
    await repository.writeSideFile(INDEX_NAME, MAX_INDEX_BYTES, () => this.#index.extended(this.#fresh, keys.epoch.historyIndexKey()));
  }

  async #compare(parent: GraphCommit | undefined, child: GraphCommit): Promise<Difference> {
    const before = parent && (await this.#vault.trees.root(await parent.tree()));
    const after = await this.#vault.trees.root(await child.tree());
    return { names: await this.#vault.trees.changes(before, after), keyring: before?.keyring !== after.keyring };
  }
}
