/**
 * A memory that is being put together before it is written: begins as a listing, is changed file by file, and says in the end
 * which changes turn the one it began as into what it is now. Keeps the vault's rule that an empty directory, and only an
 * empty one, stands for itself. Nothing is written here.
 */
import { ancestorsOf, isWithin, parentOf, ROOT, type MemoryPath } from '../vault/path.ts';
import type { Change } from '../vault/snapshot.ts';
import { isSameNode, type FileNode, type Listing, type ListingNode } from './listing.ts';

export class Workbench {
  readonly #before: Listing;
  readonly #nodes: Map<MemoryPath, ListingNode>;
  /** How many files and empty directories are anywhere below a directory. */
  readonly #below = new Map<MemoryPath, number>();
  /** Where the content of a moved file was in the beginning. */
  readonly #moved = new Map<MemoryPath, MemoryPath>();

  constructor(listing: Listing) {
    this.#before = listing;
    this.#nodes = new Map();
    for (const [path, node] of listing) this.#set(path, node);
  }

  get listing(): Listing {
    return this.#nodes;
  }

  file(path: MemoryPath): FileNode | undefined {
    const node = this.#nodes.get(path);
    return node?.kind === 'file' ? node : undefined;
  }

  isDirectory(path: MemoryPath): boolean {
    return path === ROOT || this.#nodes.get(path)?.kind === 'directory' || this.#below.has(path);
  }

  /**
   * Whether a file or a directory can be made here without another one going.
   *
   * @param leaving a file that goes to make room
   */
  hasRoom(path: MemoryPath, leaving?: MemoryPath): boolean {
    if (path === ROOT || this.#nodes.get(path)?.kind === 'directory') return false;
    const below = this.#below.get(path) ?? 0;
    if (below > (leaving !== undefined && leaving !== path && isWithin(leaving, path) ? 1 : 0)) return false;
    return ![path, ...ancestorsOf(path)].some((at) => at !== leaving && this.file(at));
  }

  /** Puts a file where there is one, or where there is room. */
  write(path: MemoryPath, node: FileNode): void {
    this.#set(path, node);
    this.#moved.delete(path);
    this.#dropMarkersAbove(path);
  }

  /** @param to a place where there is room once the file has left its own, or another file that it replaces */
  move(from: MemoryPath, to: MemoryPath, node: FileNode): void {
    const origin = this.#moved.get(from) ?? from;
    this.remove(from);
    if (isWithin(from, to)) this.remove(to);
    this.write(to, node);
    this.#moved.set(to, origin);
  }

  /** Removes whatever is at or below a path. The directory that held it stays. */
  remove(path: MemoryPath): void {
    const gone = this.#nodes.has(path) ? [path] : [...this.#nodes.keys()].filter((inner) => isWithin(inner, path));
    for (const inner of gone) this.#unset(inner);
    const parent = parentOf(path);
    if (gone.length > 0 && parent !== ROOT && !this.isDirectory(parent)) this.#set(parent, { kind: 'directory' });
  }

  /** Makes a directory where there is room. */
  makeDirectory(path: MemoryPath): void {
    this.#set(path, { kind: 'directory' });
    this.#dropMarkersAbove(path);
  }

  /** Removes a directory if nothing is in it. */
  removeIfEmpty(path: MemoryPath): void {
    if (this.#nodes.get(path)?.kind === 'directory') this.remove(path);
  }

  /** Removes everything at or below a path and puts a part of another listing there. */
  replace(path: MemoryPath, listing: Listing): void {
    for (const inner of [...this.#nodes.keys()]) if (isWithin(inner, path)) this.#unset(inner);
    for (const [inner, node] of listing) this.#set(inner, node);
    if (listing.size > 0) this.#dropMarkersAbove(path);
    else if (path !== ROOT && !this.isDirectory(parentOf(path))) this.#set(parentOf(path), { kind: 'directory' });
  }

  /** The changes that lead from the beginning to what is here now, in an order in which they can be made. */
  async changes(): Promise<Change[]> {
    const before = new Workbench(this.#before);
    const [blocking, plain] = [new Set<MemoryPath>(), new Set<MemoryPath>()];
    for (const path of this.#before.keys()) {
      const top = topmost(path, (at) => !this.#exists(at) || (before.file(at) !== undefined) !== (this.file(at) !== undefined));
      if (top !== undefined) (this.#exists(top) ? blocking : plain).add(top);
    }
    const removes = (paths: Iterable<MemoryPath>) => [...paths].map((path): Change => ({ kind: 'remove', path }));
    const moves: Change[] = [];
    const writes: Change[] = [];
    const directories: Change[] = [];
    for (const [path, node] of this.#nodes) {
      if (node.kind === 'directory') {
        if (!before.isDirectory(path)) directories.push({ kind: 'makeDirectory', path });
        continue;
      }
      if (await isSameNode(before.#nodes.get(path), node)) continue;
      const from = await this.#movedUnchanged(path, node, blocking);
      if (from !== undefined) moves.push({ kind: 'move', from, to: path });
      else writes.push({ kind: 'write', path, content: await node.read() });
    }
    return [...removes(blocking), ...moves, ...removes(plain), ...writes, ...directories];
  }

  async #movedUnchanged(path: MemoryPath, node: FileNode, blocking: ReadonlySet<MemoryPath>): Promise<MemoryPath | undefined> {
    const from = this.#moved.get(path);
    if (from === undefined || this.#exists(from) || [...blocking].some((block) => isWithin(from, block))) return undefined;
    return (await isSameNode(this.#before.get(from), node)) ? from : undefined;
  }

  #exists(path: MemoryPath): boolean {
    return this.#nodes.has(path) || this.isDirectory(path);
  }

  #set(path: MemoryPath, node: ListingNode): void {
    if (!this.#nodes.has(path)) for (const ancestor of ancestorsOf(path)) this.#below.set(ancestor, (this.#below.get(ancestor) ?? 0) + 1);
    this.#nodes.set(path, node);
  }

  #unset(path: MemoryPath): void {
    if (!this.#nodes.delete(path)) return;
    this.#moved.delete(path);
    for (const ancestor of ancestorsOf(path)) {
      const left = this.#below.get(ancestor)! - 1;
      if (left > 0) this.#below.set(ancestor, left);
      else this.#below.delete(ancestor);
    }
  }

  #dropMarkersAbove(path: MemoryPath): void {
    for (const ancestor of ancestorsOf(path)) if (this.#nodes.get(ancestor)?.kind === 'directory') this.#unset(ancestor);
  }
}

/** The highest of a path and its ancestors, below the root, that something is true of. */
function topmost(path: MemoryPath, isTrue: (path: MemoryPath) => boolean): MemoryPath | undefined {
  return [path, ...ancestorsOf(path)].filter((at) => at !== ROOT).findLast(isTrue);
}
