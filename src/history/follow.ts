/**
 * Follows one file or folder back through the history, under the names it had. Commits that did not touch it are told apart by
 * comparing oids under its opaque name; nothing of them is opened. Of a merge both sides are followed, and the merge itself
 * counts as a change only where it differs from both.
 *
 * A file is followed through renames as changes.ts finds them, a folder when it came as a whole from one other folder.
 */
import type { Oid } from '../git/objects.ts';
import type { Epoch } from '../vault/epoch.ts';
import { isWithin, rebasePath, ROOT, type MemoryPath } from '../vault/path.ts';
import { fanOf, type TreeRoot } from '../vault/tree.ts';
import type { VaultRepository } from '../vault/vault-repository.ts';
import { findChanges, recordedMoves, type NodeChange } from './changes.ts';
import { isSameNode, listDifference } from './listing.ts';
import { readCommit, walkHistory, type VisitedCommit, type WalkedCommit, type WalkLimits } from './walk.ts';

export interface FollowedCommit extends VisitedCommit {
  /** What the file or folder is called in this commit. */
  readonly path: MemoryPath;
  /** Whether this commit made it what it is: it differs from every parent. */
  readonly changed: boolean;
  /** The first parent that has the same, if one has. */
  readonly sameAs: Oid | undefined;
  /** What it is called in each parent. */
  readonly parentPaths: readonly MemoryPath[];
}

/** Every commit from `start` back, changed or not. */
export async function* followPath(vault: VaultRepository, start: Oid, path: MemoryPath, limits?: WalkLimits): AsyncGenerator<FollowedCommit> {
  const follower = new Follower(vault);
  const compare = (await follower.isFile(await readCommit(vault, start), path)) ? 'compareFile' : 'compareFolder';
  const paths = new Map<Oid, MemoryPath>([[start, path]]);
  for await (const visited of walkHistory(vault, start, limits)) {
    const here = paths.get(visited.oid)!;
    paths.delete(visited.oid);
    const parentPaths: MemoryPath[] = [];
    let sameAs: Oid | undefined;
    for (const parent of visited.parents) {
      const origin = await follower[compare](visited, here, parent);
      if (origin === undefined) sameAs ??= parent.oid;
      parentPaths.push(origin ?? here);
      if (!paths.has(parent.oid)) paths.set(parent.oid, origin ?? here);
    }
    const changed = visited.parents.length > 0 ? sameAs === undefined : await follower.exists(visited, here);
    yield { ...visited, path: here, changed, sameAs, parentPaths };
  }
}

class Follower {
  readonly #vault: VaultRepository;
  /** Names of the followed paths, by epoch and path. */
  readonly #names = new Map<string, string>();
  /** Paths of all names that were ever met in a change: each is opened once. */
  readonly #paths = new Map<string, MemoryPath>();

  constructor(vault: VaultRepository) {
    this.#vault = vault;
  }

  async isFile(at: WalkedCommit, path: MemoryPath): Promise<boolean> {
    const found = await this.#find(at, path);
    return found.blob !== undefined && (await this.#vault.entries.info(found.name, found.blob)).kind === 'file';
  }

  async exists(at: WalkedCommit, path: MemoryPath): Promise<boolean> {
    return (await (await this.#vault.snapshot(at.oid)).stat(path)) !== undefined;
  }

  /** `undefined` when the file is the same in both commits; else what it is called in the parent. */
  async compareFile(child: WalkedCommit, path: MemoryPath, parent: WalkedCommit): Promise<MemoryPath | undefined> {
    if (child.commit.tree === parent.commit.tree) return undefined;
    const [after, before] = [await this.#find(child, path), await this.#find(parent, path)];
    if (after.blob === before.blob) return undefined;
    if (after.blob === undefined) return path;
    if (before.blob === undefined) {
      const renamed = (await this.#changes(child, parent)).find((change) => change.kind === 'renamed' && change.path === path);
      return renamed?.kind === 'renamed' ? renamed.from : path;
    }
    // Another epoch seals the same file anew, under another name.
    if (after.name !== before.name && (await this.#sameContent(before, after))) return undefined;
    return path;
  }

  /** `undefined` when the folder is the same in both commits; else what it is called in the parent. */
  async compareFolder(child: WalkedCommit, path: MemoryPath, parent: WalkedCommit): Promise<MemoryPath | undefined> {
    if (child.commit.tree === parent.commit.tree || !(await this.#mayTouch(child, path, parent))) return undefined;
    const changes = await this.#changes(child, parent);
    const touching = changes.filter((change) => isWithin(change.path, path) || (change.kind === 'renamed' && isWithin(change.from, path)));
    if (touching.length === 0) return undefined;
    const origin = path === ROOT ? undefined : originOf(path, touching) ?? recordedOrigin(path, child);
    if (origin === undefined || (await this.exists(parent, path)) || !(await this.exists(parent, origin))) return path;
    return origin;
  }

  /** Whether any name that differs is of a path in the folder. */
  async #mayTouch(child: WalkedCommit, folder: MemoryPath, parent: WalkedCommit): Promise<boolean> {
    for (const { name, before, after } of await this.#vault.trees.changes(await this.#root(parent), await this.#root(child))) {
      const blob = after ?? before;
      if (blob === undefined) continue;
      let path = this.#paths.get(name);
      if (path === undefined) this.#paths.set(name, (path = (await this.#vault.entries.info(name, blob)).path));
      if (isWithin(path, folder)) return true;
    }
    return false;
  }

  async #changes(child: WalkedCommit, parent: WalkedCommit): Promise<NodeChange[]> {
    const { before, after } = await listDifference(this.#vault, await this.#root(parent), await this.#root(child));
    return findChanges(before, after, recordedMoves(child.info().record));
  }

  async #sameContent(before: Found, after: Found): Promise<boolean> {
    return isSameNode(await this.#node(before), await this.#node(after));
  }

  async #node({ name, blob }: Found) {
    const info = await this.#vault.entries.info(name, blob!);
    if (info.kind === 'directory') return { kind: 'directory' } as const;
    return { kind: 'file', sizeBytes: info.sizeBytes, read: () => this.#vault.entries.content(name, blob!) } as const;
  }

  async #find(at: WalkedCommit, path: MemoryPath): Promise<Found> {
    const root = await this.#root(at);
    const name = this.#nameIn(await this.#epochOf(at), path);
    const fan = root.fans.get(fanOf(name));
    return { name, blob: fan && (await this.#vault.trees.fan(fanOf(name), fan)).get(name) };
  }

  async #root({ commit }: WalkedCommit): Promise<TreeRoot> {
    return this.#vault.trees.root(commit.tree);
  }

  async #epochOf(at: WalkedCommit): Promise<Epoch> {
    const { epoch, keyring } = this.#vault.keys;
    return keyring.epochs.length === 1 ? epoch : this.#vault.epochAt(at);
  }

  #nameIn(epoch: Epoch, path: MemoryPath): string {
    const key = `${epoch.id}:${path}`;
    let name = this.#names.get(key);
    if (name === undefined) this.#names.set(key, (name = epoch.nameOf(path)));
    return name;
  }
}

interface Found {
  readonly name: string;
  readonly blob: Oid | undefined;
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

function recordedOrigin(folder: MemoryPath, { info }: WalkedCommit): MemoryPath | undefined {
  const move = recordedMoves(info().record).find(({ to }) => isWithin(folder, to));
  return move && rebasePath(folder, move.to, move.from);
}
