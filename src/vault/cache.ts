/**
 * The room of lru-cache: decoded objects by oid, bounded by bytes. One cache serves all vaults of a store, so that many open
 * vaults do not take many times the memory; each vault sees only what it put in itself. Objects never change, so nothing here
 * goes stale.
 */
import { LRUCache } from 'lru-cache';
import type { Bytes } from '../bytes.ts';
import type { Oid } from '../git/objects.ts';
import type { CommitInfo } from './commit-info.ts';
import type { OpenedEntry } from './entry.ts';
import type { Keyring } from './keyring.ts';
import type { Fan, TreeRoot } from './tree.ts';

export const DEFAULT_CACHE_BYTES = 32 * 1024 * 1024;
/** Enough for a walk that meets each object once or twice in close succession; what is kept longer only has to be collected. */
export const WALK_CACHE_BYTES = 4 * 1024 * 1024;
/** About what a small object takes beside its own bytes. */
const OVERHEAD_BYTES = 256;

/** What is cached, by kind. */
interface Cached {
  commit: CommitInfo;
  keyring: Keyring;
  root: TreeRoot;
  fan: Fan;
  entry: OpenedEntry;
  content: Bytes;
}

export class SharedCache {
  readonly #lru: LRUCache<string, object>;
  #vaults = 0;

  constructor(maxBytes: number = DEFAULT_CACHE_BYTES) {
    this.#lru = new LRUCache({ maxSize: Math.max(1, maxBytes) });
  }

  /** A view of the cache that no other vault shares. */
  forVault(): VaultCache {
    return new VaultCache(this.#lru, `${++this.#vaults}`);
  }

  clear(): void {
    this.#lru.clear();
  }
}

export class VaultCache {
  readonly #lru: LRUCache<string, object>;
  readonly #vault: string;

  constructor(lru: LRUCache<string, object>, vault: string) {
    this.#lru = lru;
    this.#vault = vault;
  }

  get<K extends keyof Cached>(kind: K, oid: Oid): Cached[K] | undefined {
    return this.#lru.get(this.#key(kind, oid)) as Cached[K] | undefined;
  }

  /** @param sizeBytes about what the value takes in memory beside a fixed overhead */
  set<K extends keyof Cached>(kind: K, oid: Oid, value: Cached[K], sizeBytes: number): void {
    this.#lru.set(this.#key(kind, oid), value, { size: sizeBytes + OVERHEAD_BYTES });
  }

  #key(kind: string, oid: Oid): string {
    return `${this.#vault}:${kind}:${oid}`;
  }
}
