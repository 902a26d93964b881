/**
 * Keeps the number of packs small: the pack of a mutation takes in many small ones, by copying their compressed bytes as they are,
 * so that a fold costs no sync of its own. What was taken in is removed bit by bit, while later mutations wait for their syncs:
 * to free a file may take the disk a millisecond or more. Until then it is there twice, which harms nobody.
 * Only packs without deltas are touched, which are those of memgit; a pack that git marks (.keep, .bitmap ...) is left alone.
 * To be called under the lock. Readers of other processes find the new pack by looking at the folder again.
 */
import { setImmediate } from 'node:timers/promises';
import type { Oid } from './objects.ts';
import { assemblePack, type PackEntry } from './pack-write.ts';
import { publishPack, type Place } from './publish.ts';
import { holdsItsObject, markedPacks, readWholeEntries, removePacks } from './whole-packs.ts';

/** At this number of packs that could be folded, some are. */
export const FOLD_AT_PACKS = 48;

/** In passing, a larger pack is never copied again. One fold copies at most the second number: about 0.1 s. */
const FULL_PACK_BYTES = 4 * 1024 * 1024;
const MAX_FOLD_BYTES = 16 * 1024 * 1024;

/** How many replaced packs go with each mutation. One would keep up; with two they are gone before the next fold. */
const REMOVED_AT_ONCE = 2;

/** What a pack takes in: the entries of other packs, and the names of those packs. */
export interface Gathered {
  readonly entries: readonly PackEntry[];
  readonly packs: readonly string[];
}

const NOTHING: Gathered = { entries: [], packs: [] };

export class PackFolder {
  readonly #place: Place;
  /** Packs found to be deltified, marked or damaged. A pack never changes, so they are not looked at again. */
  readonly #leftAlone = new Set<string>();
  readonly #full = new Set<string>();
  /** Packs to be removed, each with the durable one in which its entries stand as well. */
  readonly #replaced = new Map<string, string>();

  constructor(place: Place) {
    this.#place = place;
  }

  /** Reads some small packs if there are many. The caller puts their entries into one pack with its own, and then says so to `replace`. */
  async gather(): Promise<Gathered> {
    if (this.#foldable().filter((name) => !this.#full.has(name)).length < FOLD_AT_PACKS) return NOTHING;
    const packs = await this.#measure();
    for (const { name, sizeBytes } of packs) if (sizeBytes > FULL_PACK_BYTES) this.#full.add(name);
    return this.#read(planFold(packs.filter(({ name }) => !this.#full.has(name))));
  }

  /** Takes note that the entries of these packs, the largest last, are durable in another. The largest go first: they take the room. */
  replace(packs: readonly string[], by: string): void {
    for (const name of packs.toReversed()) {
      this.#replaced.set(name, by);
      this.#place.store.forget(name);
    }
  }

  /** Whether there are packs to remove. */
  get hasReplaced(): boolean {
    return this.#replaced.size > 0;
  }

  /** Removes some packs that were replaced. What cannot be removed now is tried again later: it is in nobody's way. */
  async removeReplaced(most = REMOVED_AT_ONCE): Promise<void> {
    const chosen = [...this.#replaced].slice(0, most);
    try {
      const names: string[] = [];
      // Somebody may have put back a copy of the repository as it was before: there these packs are all that there is.
      for (const [name, by] of chosen) if (await this.#isThere(by)) names.push(name);
      await removePacks(this.#place, names);
      for (const [name] of chosen) this.#replaced.delete(name);
    } catch {
      // Nothing is lost, and who waits for a mutation that was made must not hear of it.
    }
  }

  /** Folds as many packs as one fold may; `false` when there is nothing left that could be folded. */
  async foldMore(): Promise<boolean> {
    for (;;) {
      const chosen = planLargest(await this.#measure());
      if (chosen.length < 2) return false;
      const { entries, packs } = await this.#read(chosen);
      if (packs.length < 2) continue;
      const merged = assemblePack(entries);
      await publishPack(this.#place, merged);
      await removePacks(this.#place, packs.filter((name) => name !== merged.name));
      return true;
    }
  }

  async #isThere(name: string): Promise<boolean> {
    const { fs, store } = this.#place;
    const stats = [await fs.lstat(store.pathOf(name, 'pack')), await fs.lstat(store.pathOf(name, 'idx'))];
    return stats.every((stat) => stat?.kind === 'file');
  }

  #foldable(): string[] {
    return [...this.#place.store.packs.keys()].filter((name) => !this.#leftAlone.has(name) && !this.#replaced.has(name));
  }

  async #measure(): Promise<PackSize[]> {
    const { fs, store } = this.#place;
    await store.rescan();
    for (const name of await markedPacks(this.#place)) this.#leftAlone.add(name);
    const sizes: PackSize[] = [];
    for (const name of this.#foldable()) {
      const stat = await fs.lstat(store.pathOf(name, 'pack'));
      if (stat !== undefined) sizes.push({ name, sizeBytes: stat.sizeBytes });
    }
    return sizes;
  }

  /** Those that turn out not to be whole are left alone from now on. */
  async #read(chosen: readonly string[]): Promise<Gathered> {
    const entries = new Map<Oid, PackEntry>();
    const packs: string[] = [];
    for (const name of chosen) {
      // Reading many takes many times as long as a mutation; the rest of the process need not wait for all of it.
      await setImmediate();
      const content = await readWholeEntries(this.#place.store, name);
      if (content === undefined) {
        this.#leftAlone.add(name);
        continue;
      }
      for (const entry of content) {
        const other = entries.get(entry.oid);
        // Of two copies the whole one stays, whichever came first: the packs that hold them go.
        if (other === undefined || !holdsItsObject(other)) entries.set(entry.oid, entry);
      }
      packs.push(name);
    }
    return { entries: [...entries.values()], packs };
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
  return choose(packs, (sizeBytes, chosen, total) => chosen < packs.length / 2 || sizeBytes <= total);
}

/** Chooses the smallest packs, as many as fit. */
function planLargest(packs: readonly PackSize[]): string[] {
  return choose(packs, () => true);
}

function choose(packs: readonly PackSize[], goesOn: (sizeBytes: number, chosen: number, total: number) => boolean): string[] {
  const chosen: string[] = [];
  let total = 0;
  for (const { name, sizeBytes } of packs.toSorted((a, b) => a.sizeBytes - b.sizeBytes)) {
    if (!goesOn(sizeBytes, chosen.length, total) || total + sizeBytes > MAX_FOLD_BYTES) break;
    chosen.push(name);
    total += sizeBytes;
  }
  return chosen;
}
