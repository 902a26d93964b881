/**
 * Follows one file or folder back through the history, under the names it had. Commits that did not touch it are told apart by
 * comparing oids under its opaque name; nothing of them is opened. Of a merge both sides are followed, and the merge itself
 * counts as a change only where it differs from both.
 *
 * A file is followed through renames as changes.ts finds them, a folder when it came as a whole from one other folder.
 */
import type { Oid } from '../git/objects.ts';
import type { CommitInfo } from '../vault/commit-info.ts';
import type { Epoch } from '../vault/epoch.ts';
import { isWithin, movedPath, ROOT, type MemoryPath } from '../vault/path.ts';
import type { NameChange } from '../vault/tree-reader.ts';
import { fanOf } from '../vault/tree.ts';
import type { VaultRepository } from '../vault/vault-repository.ts';
import { ChangeGraph, type GraphCommit } from './change-graph.ts';
import { findChanges, recordedMoves, type NodeChange } from './changes.ts';
import { isSameNode, listChanges } from './listing.ts';
import { walk, type WalkLimits } from './walk.ts';

export interface FollowedCommit {
  readonly oid: Oid;
  readonly parents: readonly Oid[];
  /** What the file or folder is called in this commit. */
  readonly path: MemoryPath;
  /** Whether this commit made it what it is: it differs from every parent. */
  readonly changed: boolean;
  /** The first parent that has the same, if one has. */
  readonly sameAs: Oid | undefined;
  /** The sealed entry of the file, where this commit changed it; `undefined` also for a folder, and for a file that went. */
  readonly entry: SealedEntry | undefined;
  /** Opens the record. */
  readonly info: () => Promise<CommitInfo>;
}

export interface SealedEntry {
  readonly name: string;
  readonly blob: Oid;
}

/** Where something stands in a commit. */
interface Place {
  readonly path: MemoryPath;
  /** The one that the commit's tree belongs to, and the path's name in it. */
  readonly epoch: Epoch;
  readonly name: string;
}

/** A commit beside one of its parents. */
interface Step {
  readonly child: GraphCommit;
  readonly parent: GraphCommit;
  readonly names: readonly NameChange[];
  /** The epoch of the parent. */
  readonly epoch: Epoch;
}

/** Every commit from `start` back, changed or not. */
export async function* followPath(vault: VaultRepository, start: Oid, path: MemoryPath, limits?: WalkLimits): AsyncGenerator<FollowedCommit> {
  const graph = await ChangeGraph.open(vault);
  const follower = new Follower(vault);
  const first = placeOf(path, await vault.epochAt(await vault.commit(start)));
  const compare = (await follower.isFile(start, first)) ? 'compareFile' : 'compareFolder';
  const places = new Map<Oid, Place>([[start, first]]);
  try {
    for await (const visited of walk(graph, start, limits)) {
      const { node, parents } = visited;
      const here = places.get(node.oid)!;
      places.delete(node.oid);
      const differences = await graph.differences(visited);
      let sameAs: Oid | undefined;
      for (const [i, parent] of parents.entries()) {
        const { names, keyring } = differences[i]!;
        const epoch = keyring ? await vault.epochAt(await parent.info()) : here.epoch;
        const origin = await follower[compare]({ child: node, parent, names, epoch }, here);
        if (origin === undefined) sameAs ??= parent.oid;
        if (!places.has(parent.oid)) places.set(parent.oid, placeOf(origin ?? here.path, epoch, here));
      }
      const changed = parents.length > 0 ? sameAs === undefined : await follower.exists(node, here.path);
      const entry = changed ? entryIn(differences[0]!.names, here) : undefined;
      yield { oid: node.oid, parents: node.commit.parents, path: here.path, changed, sameAs, entry, info: node.info };
    }
  } finally {
    await graph.keep();
  }
}

/** @param known a place that may be the same, as it nearly always is */
function placeOf(path: MemoryPath, epoch: Epoch, known?: Place): Place {
  return known?.path === path && known.epoch === epoch ? known : { path, epoch, name: epoch.nameOf(path) };
}

/** The entry that a commit put at the place. */
function entryIn(names: readonly NameChange[], { name }: Place): SealedEntry | undefined {
  const blob = names.find((change) => change.name === name)?.after;
  return blob && { name, blob };
}

class Follower {
  readonly #vault: VaultRepository;
  /** Paths of all names that were ever met in a change: each is opened once. */
  readonly #paths = new Map<string, MemoryPath>();

  constructor(vault: VaultRepository) {
    this.#vault = vault;
  }

  async isFile(at: Oid, { name }: Place): Promise<boolean> {
    const root = await this.#vault.trees.root((await this.#vault.commit(at)).commit.tree);
    const fan = root.fans.get(fanOf(name));
    const blob = fan && (await this.#vault.trees.fan(fanOf(name), fan)).get(name);
    return blob !== undefined && (await this.#vault.entries.info(name, blob)).kind === 'file';
  }

  async exists(at: GraphCommit, path: MemoryPath): Promise<boolean> {
    return (await (await this.#vault.snapshot(at.oid)).stat(path)) !== undefined;
  }

  /** `undefined` when the file is the same in both commits; else what it is called in the parent. */
  async compareFile({ child, names, epoch }: Step, here: Place): Promise<MemoryPath | undefined> {
    const { path, name } = here;
    const { name: oldName } = placeOf(path, epoch, here);
    const after = names.find((change) => change.name === name)?.after;
    const before = names.find((change) => change.name === oldName)?.before;
    // No change under the name, or no such file on either side.
    if (after === before) return undefined;
    if (after === undefined) return path;
    if (before === undefined) {
      const renamed = (await this.#changes(child, names)).find((change) => change.kind === 'renamed' && change.path === path);
      return renamed?.kind === 'renamed' ? renamed.from : path;
    }
    // Another epoch seals the same file anew, under another name.
    if (name !== oldName && (await this.#sameContent({ name: oldName, blob: before }, { name, blob: after }))) return undefined;
    return path;
  }

  /** `undefined` when the folder is the same in both commits; else what it is called in the parent. */
  async compareFolder({ child, parent, names }: Step, { path }: Place): Promise<MemoryPath | undefined> {
    if (!(await this.#mayTouch(names, path))) return undefined;
    const changes = await this.#changes(child, names);
    const touching = changes.filter((change) => isWithin(change.path, path) || (change.kind === 'renamed' && isWithin(change.from, path)));
    if (touching.length === 0) return undefined;
    const origin = path === ROOT ? undefined : originOf(path, touching) ?? recordedOrigin(path, await child.info());
    if (origin === undefined || (await this.exists(parent, path)) || !(await this.exists(parent, origin))) return path;
    return origin;
  }

  /** Whether any name that differs is of a path in the folder. */
  async #mayTouch(names: readonly NameChange[], folder: MemoryPath): Promise<boolean> {
    for (const { name, before, after } of names) {
      let path = this.#paths.get(name);
      if (path === undefined) this.#paths.set(name, (path = (await this.#vault.entries.info(name, (after ?? before)!)).path));
      if (isWithin(path, folder)) return true;
    }
    return false;
  }

  async #changes(child: GraphCommit, names: readonly NameChange[]): Promise<NodeChange[]> {
    const { before, after } = await listChanges(this.#vault, names);
    return findChanges(before, after, recordedMoves((await child.info()).record));
  }

  async #sameContent(before: SealedEntry, after: SealedEntry): Promise<boolean> {
    return isSameNode(await this.#node(before), await this.#node(after));
  }

  async #node({ name, blob }: SealedEntry) {
    const info = await this.#vault.entries.info(name, blob);
    if (info.kind === 'directory') return { kind: 'directory' } as const;
    return { kind: 'file', sizeBytes: info.sizeBytes, read: () => this.#vault.entries.content(name, blob) } as const;
  }
}

/** The folder that everything now in this one was in before, if it was one and nothing else happened. */
function originOf(folder: MemoryPath, changes: readonly NodeChange[]): MemoryPath | undefined {
  for (const change of changes) {
    if (change.kind !== 'renamed' || !isWithin(change.path, folder)) continue;
    const inner = change.path.slice(folder.length);
    if (change.from.endsWith(inner) && change.from.length > inner.length) return change.from.slice(0, change.from.length - inner.length) as MemoryPath;
  }
  return undefined;
}

function recordedOrigin(folder: MemoryPath, { record }: CommitInfo): MemoryPath | undefined {
  const move = recordedMoves(record).find(({ to }) => isWithin(folder, to));
  return move && movedPath(folder, move.to, move.from);
}
