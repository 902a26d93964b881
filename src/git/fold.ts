/**
 * Keeps the number of packs small: merges many small packs into one by copying their compressed bytes as they are.
 * Only packs without deltas are touched, which are those of memgit; a pack that git marks (.keep, .bitmap ...) is left alone.
 * To be called under the lock. Readers of other processes find the new pack by looking at the folder again.
 */
import { join } from 'node:path';
import * as zlib from 'node:zlib';
import { isMemgitError } from '../errors.ts';
import type { Oid } from './objects.ts';
import { isWholeEntry, readEntryBytes } from './pack-read.ts';
import { assemblePack, type PackEntry } from './pack-write.ts';
import { publishPack, type Place } from './publish.ts';

/** At this number of packs that could be folded, some are. */
export const FOLD_AT_PACKS = 48;

/** A larger pack is never copied again, and one fold copies at most the second number: about 0.1 s. */
const FULL_PACK_BYTES = 4 * 1024 * 1024;
const MAX_FOLD_BYTES = 16 * 1024 * 1024;

const FOLDABLE_FILE = /^pack-[0-9a-f]{40}\.(?:pack|idx|rev)$/;
const MULTI_PACK_INDEX = /^multi-pack-index(?:-[0-9a-f]{40}\.(?:bitmap|rev))?$/;

export class PackFolder {
  readonly #place: Place;
  /** Packs found to be full, deltified, marked or damaged. A pack never changes, so they are not looked at again. */
  readonly #leftAlone = new Set<string>();

  constructor(place: Place) {
    this.#place = place;
  }

  /** Folds some packs if there are many; otherwise does nothing. */
  async foldIfMany(): Promise<void> {
    const { store } = this.#place;
    if (this.#foldable().length < FOLD_AT_PACKS) return;
    await store.rescan();
    await this.#leaveMarkedAlone();
    const chosen = planFold(await this.#measure());
    const entries = new Map<Oid, PackEntry>();
    const folded: string[] = [];
    for (const name of chosen) {
      const content = await this.#readWholeEntries(name);
      if (content === undefined) {
        this.#leftAlone.add(name);
        continue;
      }
      for (const entry of content) entries.set(entry.oid, entry);
      folded.push(name);
    }
    if (folded.length < 2) return;
    const merged = assemblePack([...entries.values()]);
    await publishPack(this.#place, merged);
    await this.#remove(folded.filter((name) => name !== merged.name));
  }

  #foldable(): string[] {
    return [...this.#place.store.packs.keys()].filter((name) => !this.#leftAlone.has(name));
  }

  async #leaveMarkedAlone(): Promise<void> {
    for (const file of (await this.#place.fs.readdir(this.#place.layout.packs)) ?? []) {
      const name = /^pack-([0-9a-f]{40})\./.exec(file)?.[1];
      if (name !== undefined && !FOLDABLE_FILE.test(file)) this.#leftAlone.add(name);
    }
  }

  async #measure(): Promise<PackSize[]> {
    const sizes: PackSize[] = [];
    for (const name of this.#foldable()) {
      const stat = await this.#place.fs.lstat(this.#place.store.pathOf(name, 'pack'));
      if (stat === undefined) continue;
      if (stat.sizeBytes > FULL_PACK_BYTES) this.#leftAlone.add(name);
      else sizes.push({ name, sizeBytes: stat.sizeBytes });
    }
    return sizes;
  }

  /** Reads every entry of a pack; `undefined` when one is a delta or damaged, or the pack is gone. */
  async #readWholeEntries(name: string): Promise<PackEntry[] | undefined> {
    const index = this.#place.store.packs.get(name);
    const pack = index && (await this.#place.store.openPack(name));
    if (index === undefined || pack === undefined) return undefined;
    try {
      const entries: PackEntry[] = [];
      for (const { oid, offset, crc32 } of index.entries()) {
        const bytes = await readEntryBytes(pack, index, offset);
        if (!isWholeEntry(bytes) || zlib.crc32(bytes) !== crc32) return undefined;
        entries.push({ oid, bytes, crc32 });
      }
      return entries;
    } catch (error) {
      if (!isMemgitError(error, 'CORRUPT')) throw error;
      return undefined;
    } finally {
      await pack.close();
    }
  }

  /** Index first, so that no index is ever without its pack. git's index over all packs goes too: it would name packs that are gone. */
  async #remove(names: readonly string[]): Promise<void> {
    const { fs, layout, store } = this.#place;
    for (const file of (await fs.readdir(layout.packs)) ?? []) {
      if (MULTI_PACK_INDEX.test(file)) await fs.unlink(join(layout.packs, file));
    }
    for (const name of names) {
      for (const extension of ['idx', 'rev', 'pack'] as const) await fs.unlink(store.pathOf(name, extension));
    }
    await store.rescan();
  }
}

export interface PackSize {
  readonly name: string;
  readonly sizeBytes: number;
}

/**
 * Chooses the packs to merge: the smaller half, and further ones in order of size while they are no larger than all before
 * them together. So packs of about one size are merged when there are many of them, and each byte is copied only a few times.
 */
export function planFold(packs: readonly PackSize[]): string[] {
  const chosen: string[] = [];
  let total = 0;
  for (const { name, sizeBytes } of packs.toSorted((a, b) => a.sizeBytes - b.sizeBytes)) {
    const enough = chosen.length >= packs.length / 2 && sizeBytes > total;
    if (enough || total + sizeBytes > MAX_FOLD_BYTES) break;
    chosen.push(name);
    total += sizeBytes;
  }
  return chosen;
}
