/**
 * Finds the directory shape of a tree. Names say nothing of paths, so every entry has to be opened once; those of a head that were
 * opened are noted in the path list, if they were many, and whoever looks next opens what is not in it. What a file says is never
 * taken from there.
 */
import type { Oid } from '../git/objects.ts';
import { giveWay } from '../git/turns.ts';
import type { EntryReader } from './entry-reader.ts';
import type { Epoch } from './epoch.ts';
import { PathIndex, type EntryInfo } from './path-index.ts';
import type { PathList } from './path-list.ts';
import type { MemoryPath } from './path.ts';
import type { TreeReader } from './tree-reader.ts';
import type { TreeRoot } from './tree.ts';

/** A tree and the epoch that it belongs to, wholly. */
export interface EpochTree {
  readonly root: TreeRoot;
  readonly epoch: Epoch;
  /** Whether it is the newest, or was: what was found out about that is worth noting, since others will ask the same. */
  readonly isHead: boolean;
}

/** A memory of fewer entries has no list: opening them takes no longer than reading and writing one. */
const FEW = 50;
/** Opening this part of the entries takes about twice as long as writing a list of all. */
const MUCH = 1 / 8;

export class ShapeReader {
  readonly #trees: TreeReader;
  readonly #entries: EntryReader;
  readonly #list: PathList;

  constructor(trees: TreeReader, entries: EntryReader, list: PathList) {
    this.#trees = trees;
    this.#entries = entries;
    this.#list = list;
  }

  async shapeOf({ root, epoch, isHead }: EpochTree): Promise<PathIndex> {
    const blobs = await this.#blobsOf(root);
    const listed = blobs.size < FEW ? undefined : await this.#list.read(epoch);
    const entries = new Map<string, EntryInfo>();
    let opened = 0;
    for (const [name, blob] of blobs) {
      let entry = listed?.get(name);
      if (entry?.blob !== blob) {
        entry = await this.#entries.infoIn(epoch, name, blob);
        opened += 1;
      }
      entries.set(name, entry);
      await giveWay();
    }
    if (isHead && opened >= Math.max(FEW, blobs.size * MUCH)) await this.#list.write(entries, epoch);
    return PathIndex.of(entries.values());
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

  async #blobsOf(root: TreeRoot): Promise<ReadonlyMap<string, Oid>> {
    const blobs = new Map<string, Oid>();
    for (const [fan, oid] of root.fans) for (const [name, blob] of await this.#trees.fan(fan, oid)) blobs.set(name, blob);
    return blobs;
  }
}
