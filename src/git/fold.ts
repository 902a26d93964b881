/**
 * Keeps the number of packs small: merges many small packs into one by copying their compressed bytes as they are.
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

export class PackFolder {
  readonly #place: Place;
  /** Packs found to be deltified, marked or damaged. A pack never changes, so they are not looked at again. */
  readonly #leftAlone = new Set<string>();
  readonly #full = new Set<string>();

  constructor(place: Place) {
    this.#place = place;
  }

  /** Folds some packs if there are many; otherwise does nothing. */
  async foldIfMany(): Promise<void> {
    if (this.#foldable().filter((name) => !this.#full.has(name)).length < FOLD_AT_PACKS) return;
    const packs = await this.#measure();
    for (const { name, sizeBytes } of packs) if (sizeBytes > FULL_PACK_BYTES) this.#full.add(name);
    await this.#fold(planFold(packs.filter(({ name }) => !this.#full.has(name))));
  }

  /** Folds as many packs as one fold may; `false` when there is nothing left that could be folded. */
  async foldMore(): Promise<boolean> {
    for (;;) {
      const chosen = planLargest(await this.#measure());
      if (chosen.length < 2) return false;
      if (await this.#fold(chosen)) return true;
    }
  }

  #foldable(): string[] {
    return [...this.#place.store.packs.keys()].filter((name) => !this.#leftAlone.has(name));
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

  /** `false` when too few of them turned out to be whole; those that are not are then left alone. */
  async #fold(chosen: readonly string[]): Promise<boolean> {
    const entries = new Map<Oid, PackEntry>();
    const folded: string[] = [];
    for (const name of chosen) {
      // A fold takes many times as long as a mutation; the rest of the process need not wait for all of it.
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
      folded.push(name);
    }
    if (folded.length < 2) return false;
    const merged = assemblePack([...entries.values()]);
    await publishPack(this.#place, merged);
    await removePacks(this.#place, folded.filter((name) => name !== merged.name));
    return true;
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
