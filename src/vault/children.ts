/**
 * The children of one folder by name: an immutable map that shares what did not change with the map that it was made from. A
 * large folder is kept in buckets, and an edit copies only those that it touches, so that one more note among 10,000 costs
 * about what it costs among 100.
 */

/** A folder with more children is split, once and for good. */
const SPLIT_ABOVE = 256;
const BUCKETS = 128;

export class Children<V> {
  readonly size: number;
  readonly #buckets: readonly ReadonlyMap<string, V>[];

  /** Children are made by editing others; by itself it has none. */
  constructor(buckets: readonly ReadonlyMap<string, V>[] = [new Map()], size = 0) {
    this.#buckets = buckets;
    this.size = size;
  }

  get(name: string): V | undefined {
    return this.#buckets[bucketOf(name, this.#buckets.length)]!.get(name);
  }

  /** In no order. */
  *[Symbol.iterator](): Generator<[string, V]> {
    for (const bucket of this.#buckets) yield* bucket;
  }

  edit(): ChildrenEditor<V> {
    return new ChildrenEditor(this.#buckets, this.size);
  }
}

export class ChildrenEditor<V> {
  readonly #buckets: ReadonlyMap<string, V>[];
  /** The buckets that are this editor's own. */
  readonly #copied = new Map<number, Map<string, V>>();
  #size: number;

  constructor(buckets: readonly ReadonlyMap<string, V>[], size: number) {
    this.#buckets = [...buckets];
    this.#size = size;
  }

  get size(): number {
    return this.#size;
  }

  get(name: string): V | undefined {
    return this.#buckets[bucketOf(name, this.#buckets.length)]!.get(name);
  }

  set(name: string, value: V): void {
    const bucket = this.#own(name);
    this.#size -= bucket.size;
    bucket.set(name, value);
    this.#size += bucket.size;
  }

  delete(name: string): void {
    if (this.#own(name).delete(name)) this.#size -= 1;
  }

  /** The editor must not be used afterwards. */
  finish(): Children<V> {
    if (this.#buckets.length > 1 || this.#size <= SPLIT_ABOVE) return new Children(this.#buckets, this.#size);
    const buckets = Array.from({ length: BUCKETS }, () => new Map<string, V>());
    for (const [name, value] of this.#buckets[0]!) buckets[bucketOf(name, BUCKETS)]!.set(name, value);
    return new Children(buckets, this.#size);
  }

  #own(name: string): Map<string, V> {
    const at = bucketOf(name, this.#buckets.length);
    let bucket = this.#copied.get(at);
    if (!bucket) {
      this.#copied.set(at, (bucket = new Map(this.#buckets[at])));
      this.#buckets[at] = bucket;
    }
    return bucket;
  }
}

/** FNV-1a over the UTF-16 code units. */
function bucketOf(name: string, buckets: number): number {
  if (buckets === 1) return 0;
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; i += 1) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  return (hash >>> 0) % buckets;
}
