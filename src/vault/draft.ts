/**
 * From the steps of a mutation to what changes in the tree: which entries are written and which go. Keeps the rule that an
 * empty directory, and only an empty one, has an entry of its own. Pure but for reading the snapshot.
 */
import { equalBytes, type Bytes } from '../bytes.ts';
import { ancestorsOf, isWithin, rebasePath, ROOT, type MemoryPath } from './path.ts';
import type { Change, NodeInfo, Snapshot } from './snapshot.ts';

/** What an entry is to hold; `directory` is the marker of an empty one. */
export type Content = Bytes | 'directory';

export interface TreeEdit {
  readonly put: ReadonlyMap<MemoryPath, Content>;
  readonly removed: ReadonlySet<MemoryPath>;
  /** New path of a moved file to its old one: the same bytes under another name, not bytes that came and went. */
  readonly moved: ReadonlyMap<MemoryPath, MemoryPath>;
}

/** Works out what the changes, applied in order, do to the tree. Content that is there already is not written again. */
export async function planEdit(snapshot: Snapshot, changes: readonly Change[]): Promise<TreeEdit> {
  const draft = new Draft(snapshot);
  for (const change of changes) await draft.apply(change);
  return draft.finish();
}

class Draft {
  readonly #snapshot: Snapshot;
  /** What differs from the snapshot; `undefined` where an entry goes. */
  readonly #overlay = new Map<MemoryPath, Content | undefined>();
  readonly #moved = new Map<MemoryPath, MemoryPath>();
  /** Directories that lost something and may have become empty. */
  readonly #thinned = new Set<MemoryPath>();

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
  }

  async apply(change: Change): Promise<void> {
    switch (change.kind) {
      case 'write':
        this.#moved.delete(change.path);
        // A copy: what was written stays in the cache, and the caller may use its buffer again.
        return this.#put(change.path, new Uint8Array(change.content));
      case 'makeDirectory':
        if (!(await this.#hasBelow(change.path))) await this.#put(change.path, 'directory');
        return;
      case 'remove':
        return this.#remove(change.path);
      case 'move':
        return this.#move(change.from, change.to);
    }
  }

  async finish(): Promise<TreeEdit> {
    await this.#markEmptied(ROOT);
    const put = new Map<MemoryPath, Content>();
    const removed = new Set<MemoryPath>();
    for (const [path, content] of this.#overlay) {
      const before = await this.#before(path);
      if (content === undefined) {
        if (before !== undefined) removed.add(path);
      } else if (!(await this.#holds(before, content))) put.set(path, content);
    }
    const moved = new Map([...this.#moved].filter(([to, from]) => put.has(to) && removed.has(from)));
    return { put, removed, moved };
  }

  async #put(path: MemoryPath, content: Content): Promise<void> {
    this.#overlay.set(path, content);
    for (const ancestor of ancestorsOf(path)) {
      this.#thinned.delete(ancestor);
      // A marker stands only for an empty directory, which this one no longer is.
      if (ancestor !== ROOT && (await this.#isMarker(ancestor))) this.#overlay.set(ancestor, undefined);
    }
  }

  async #remove(path: MemoryPath): Promise<void> {
    for (const { path: inner } of await this.#below(path)) this.#overlay.set(inner, undefined);
    for (const directory of [...this.#thinned]) if (isWithin(directory, path)) this.#thinned.delete(directory);
    const parent = ancestorsOf(path)[0];
    if (parent !== undefined) this.#thinned.add(parent);
  }

  /** Gives the directories at or below a path that have become empty their markers. */
  async #markEmptied(within: MemoryPath): Promise<void> {
    // Deepest first: the marker of an inner directory keeps the outer ones from being empty.
    const thinned = [...this.#thinned].filter((path) => isWithin(path, within)).sort((a, b) => b.split('/').length - a.split('/').length);
    for (const path of thinned) {
      if (path !== ROOT && !(await this.#hasBelow(path))) await this.#put(path, 'directory');
    }
  }

  async #move(from: MemoryPath, to: MemoryPath): Promise<void> {
    // What became empty earlier in the same mutation moves along.
    await this.#markEmptied(from);
    const moved = await this.#below(from);
    await this.#remove(from);
    for (const { path, content } of moved) {
      const target = rebasePath(path, from, to);
      if (content === 'directory') {
        await this.#put(target, content);
        continue;
      }
      await this.#put(target, await content());
      this.#moved.set(target, this.#moved.get(path) ?? path);
    }
  }

  /** The entries at or below a path, as they stand now. */
  async #below(path: MemoryPath): Promise<{ path: MemoryPath; content: 'directory' | (() => Promise<Bytes>) }[]> {
    const found: { path: MemoryPath; content: 'directory' | (() => Promise<Bytes>) }[] = [];
    for await (const node of this.#snapshot.walk(path)) {
      if (this.#overlay.has(node.path)) continue;
      found.push({ path: node.path, content: node.kind === 'directory' ? 'directory' : () => this.#snapshot.read(node.path) });
    }
    for (const [inner, content] of this.#overlay) {
      if (content === undefined || !isWithin(inner, path)) continue;
      found.push({ path: inner, content: content === 'directory' ? content : () => Promise.resolve(content) });
    }
    return found;
  }

  async #hasBelow(directory: MemoryPath): Promise<boolean> {
    for (const [path, content] of this.#overlay) {
      if (content !== undefined && path !== directory && isWithin(path, directory)) return true;
    }
    for await (const node of this.#snapshot.walk(directory)) {
      if (node.path !== directory && !this.#overlay.has(node.path)) return true;
    }
    return false;
  }

  async #isMarker(path: MemoryPath): Promise<boolean> {
    if (this.#overlay.has(path)) return this.#overlay.get(path) === 'directory';
    return this.#snapshot.isEmptyDirectory(path);
  }

  /** The snapshot's own entry at a path: a file, or the marker of an empty directory. */
  async #before(path: MemoryPath): Promise<NodeInfo | undefined> {
    const node = await this.#snapshot.stat(path);
    if (node?.kind !== 'directory') return node;
    return (await this.#snapshot.isEmptyDirectory(path)) ? node : undefined;
  }

  async #holds(before: NodeInfo | undefined, content: Content): Promise<boolean> {
    if (before === undefined) return false;
    if (content === 'directory' || before.kind === 'directory') return content === 'directory' && before.kind === 'directory';
    return before.sizeBytes === content.length && equalBytes(await this.#snapshot.read(before.path), content);
  }
}
