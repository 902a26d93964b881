/**
 * A vault's readers over any objects: those of its repository, or those that a remote sent and nobody has checked yet. They
 * share one cache, and open entries with the keys of the head that they were last told of.
 */
import type { GitObject, Oid } from '../git/objects.ts';
import type { VaultCache } from './cache.ts';
import { EntryReader } from './entry-reader.ts';
import { HeadReader } from './head-reader.ts';
import type { Unlock, VaultKeys } from './keys.ts';
import { TreeReader } from './tree-reader.ts';

export class VaultReaders {
  readonly read: (oid: Oid) => Promise<GitObject>;
  readonly trees: TreeReader;
  readonly entries: EntryReader;
  readonly heads: HeadReader;
  #keys: VaultKeys | undefined;

  constructor(read: (oid: Oid) => Promise<GitObject>, cache: VaultCache, unlock: Unlock) {
    this.read = read;
    this.trees = new TreeReader(read, cache);
    this.entries = new EntryReader(read, () => this.keys, cache);
    this.heads = new HeadReader(read, this.trees, cache, unlock);
  }

  /** @throws TypeError before the first `use` */
  get keys(): VaultKeys {
    if (!this.#keys) throw new TypeError('expected the keys of a head before entries are opened');
    return this.#keys;
  }

  /** Opens entries with these keys from now on: those of the newest head, which know every epoch before. */
  use(keys: VaultKeys): void {
    this.#keys = keys;
  }
}
