/** Finds the directory shape of a tree. Names say nothing of paths, so every entry has to be opened once. */
import { giveWay } from '../git/turns.ts';
import type { EntryReader } from './entry-reader.ts';
import type { Epoch } from './epoch.ts';
import { PathIndex, type EntryInfo } from './path-index.ts';
import type { MemoryPath } from './path.ts';
import type { TreeReader } from './tree-reader.ts';
import type { TreeRoot } from './tree.ts';

/** A tree and the epoch that it belongs to, wholly. */
export interface EpochTree {
  readonly root: TreeRoot;
  readonly epoch: Epoch;
}

export class ShapeReader {
  readonly #trees: TreeReader;
  readonly #entries: EntryReader;

  constructor(trees: TreeReader, entries: EntryReader) {
    this.#trees = trees;
    this.#entries = entries;
  }

  async shapeOf({ root, epoch }: EpochTree): Promise<PathIndex> {
    const entries: EntryInfo[] = [];
    for (const [fan, oid] of root.fans) {
      for (const [name, blob] of await this.#trees.fan(fan, oid)) {
        entries.push(await this.#entries.infoIn(epoch, name, blob));
        await giveWay();
      }
    }
    return PathIndex.of(entries);
  }

  /** Takes the shape of one tree along to another of the same epoch, by opening only the entries that changed. */
  async carry(shape: PathIndex, before: TreeRoot, { root, epoch }: EpochTree): Promise<PathIndex> {
    const put: EntryInfo[] = [];
    const removed: MemoryPath[] = [];
    for (const { name, before: old, after } of await this.#trees.changes(before, root)) {
      if (after) put.push(await this.#entries.infoIn(epoch, name, after));
      else if (old) removed.push((await this.#entries.info(name, old)).path);
    }
    return shape.with(put, removed);
  }
}
