/**
 * Reads most of the objects of a store, one after another: packs are held in memory as far as they fit, and an oid is found in
 * one step however many packs there are. Everything else, and everything that is not whole, is left to the store.
 */
import { HeldPack } from './held-pack.ts';
import type { ObjectStore } from './object-store.ts';
import { oidOf, type GitObject, type Oid } from './objects.ts';
import { giveWay } from './turns.ts';

/** Packs beyond these are read from the disk, object by object. An object takes some 100 bytes here, however small it is. */
const HELD_BYTES = 256 * 1024 * 1024;
const HELD_OBJECTS = 1_000_000;

export class BulkReader {
  readonly #store: ObjectStore;
  readonly #places = new Map<Oid, { readonly pack: HeldPack; readonly offset: number }>();

  private constructor(store: ObjectStore) {
    this.#store = store;
  }

  /** Holds the packs that the store has now. */
  static async open(store: ObjectStore): Promise<BulkReader> {
    const reader = new BulkReader(store);
    await store.rescan();
    let held = 0;
    for (const [name, index] of store.packs) {
      const file = await store.openPack(name);
      if (file === undefined) continue;
      try {
        if (held + file.sizeBytes > HELD_BYTES || reader.#places.size + index.count > HELD_OBJECTS) continue;
        held += file.sizeBytes;
        const pack = new HeldPack(await file.read(0, file.sizeBytes), (oid) => index.offsetOf(oid));
        for (const { oid, offset } of index.entries()) {
          reader.#places.set(oid, { pack, offset });
          await giveWay();
        }
      } finally {
        await file.close();
      }
    }
    return reader;
  }

  /** @throws CORRUPT as the store does */
  async read(oid: Oid): Promise<GitObject> {
    await giveWay();
    return this.#readHeld(oid) ?? this.#store.read(oid);
  }

  #readHeld(oid: Oid): GitObject | undefined {
    const place = this.#places.get(oid);
    if (place === undefined) return undefined;
    try {
      const object = place.pack.objectAt(place.offset);
      return object && oidOf(object.type, object.body) === oid ? object : undefined;
    } catch {
      // There may be a whole copy elsewhere; the store looks for it, and says what is wrong when there is none.
      return undefined;
    }
  }
}
