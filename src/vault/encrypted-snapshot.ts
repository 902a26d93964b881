/** A snapshot over the encrypted tree. Finds a file by its name alone; builds the directory shape only when it is asked for. */
import type { Bytes } from '../bytes.ts';
import { MemgitError } from '../errors.ts';
import type { Oid } from '../git/objects.ts';
import { giveWay } from '../git/turns.ts';
import type { EntryReader } from './entry-reader.ts';
import type { EntryInfo, PathIndex } from './path-index.ts';
import { ROOT, type MemoryPath } from './path.ts';
import type { EpochTree, ShapeReader } from './shape-reader.ts';
import type { NodeInfo, Snapshot } from './snapshot.ts';
import type { TreeReader } from './tree-reader.ts';
import { fanOf, type TreeRoot } from './tree.ts';

/** What a snapshot is read with. */
export interface SnapshotReaders {
  readonly trees: TreeReader;
  readonly entries: EntryReader;
  readonly shapes: ShapeReader;
}

export class EncryptedSnapshot implements Snapshot {
  readonly #tree: EpochTree;
  readonly #readers: SnapshotReaders;
  #index: PathIndex | undefined;
  /** While it is looked for: all who ask meanwhile wait for the one answer. */
  #finding: Promise<PathIndex> | undefined;

  constructor(tree: EpochTree, readers: SnapshotReaders, index?: PathIndex) {
    this.#tree = tree;
    this.#readers = readers;
    this.#index = index;
  }

  get root(): TreeRoot {
    return this.#tree.root;
  }

  async stat(path: MemoryPath): Promise<NodeInfo | undefined> {
    if (this.#index || path === ROOT) return (await this.index()).stat(path);
    const found = await this.entry(path);
    return found ?? (await this.index()).stat(path);
  }

  async children(path: MemoryPath): Promise<readonly NodeInfo[]> {
    return (await this.index()).children(path);
  }

  async isFile(path: MemoryPath): Promise<boolean> {
    return (await this.entry(path))?.kind === 'file';
  }

  async isEmptyDirectory(path: MemoryPath): Promise<boolean> {
    if (path === ROOT) return this.root.fans.size === 0;
    return (await this.entry(path))?.kind === 'directory';
  }

  async *walk(path: MemoryPath): AsyncGenerator<NodeInfo> {
    for (const node of (await this.index()).walk(path)) {
      yield node;
      await giveWay();
    }
  }

  async read(path: MemoryPath): Promise<Bytes> {
    const name = this.#tree.epoch.nameOf(path);
    const blob = await this.blobOf(name);
    const info = blob && (await this.#readers.entries.infoIn(this.#tree.epoch, name, blob));
    if (blob && info?.kind === 'file') return this.#readers.entries.content(name, blob);
    throw new MemgitError((await this.stat(path)) ? 'NOT_A_FILE' : 'NOT_FOUND');
  }

  /** The entry of a path: a file, or the marker of an empty directory. */
  async entry(path: MemoryPath): Promise<EntryInfo | undefined> {
    const name = this.#tree.epoch.nameOf(path);
    const blob = await this.blobOf(name);
    return blob && this.#readers.entries.infoIn(this.#tree.epoch, name, blob);
  }

  async blobOf(name: string): Promise<Oid | undefined> {
    const fan = this.root.fans.get(fanOf(name));
    return fan && (await this.#readers.trees.fan(fanOf(name), fan)).get(name);
  }

  /** The directory shape, found once. */
  async index(): Promise<PathIndex> {
    if (this.#index) return this.#index;
    this.#finding ??= this.#readers.shapes.shapeOf(this.#tree);
    try {
      return (this.#index = await this.#finding);
    } finally {
      this.#finding = undefined;
    }
  }

  /** The directory shape if it was built already. */
  get knownIndex(): PathIndex | undefined {
    return this.#index;
  }
}
