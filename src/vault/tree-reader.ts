/** Reads a vault's trees out of a repository, decoded and cached, and compares them without opening a single entry. */
import { MemgitError } from '../errors.ts';
import type { GitObject, ObjectType, Oid } from '../git/objects.ts';
import type { VaultCache } from './cache.ts';
import { decodeFan, decodeRoot, type EditedTree, type Fan, type TreeRoot } from './tree.ts';

/** About what one entry of a decoded tree takes in memory. */
const ENTRY_BYTES = 150;

/** A name whose blob differs between two trees; `undefined` on the side that does not have it. */
export interface NameChange {
  readonly name: string;
  readonly before: Oid | undefined;
  readonly after: Oid | undefined;
}

export class TreeReader {
  readonly #read: (oid: Oid) => Promise<GitObject>;
  readonly #cache: VaultCache;

  constructor(read: (oid: Oid) => Promise<GitObject>, cache: VaultCache) {
    this.#read = read;
    this.#cache = cache;
  }

  async root(oid: Oid): Promise<TreeRoot> {
    const cached = this.#cache.get('root', oid);
    if (cached) return cached;
    const root = decodeRoot(await this.#body(oid));
    this.#keepRoot(oid, root);
    return root;
  }

  /** The subtree of names that begin with `fan`. */
  async fan(fan: string, oid: Oid): Promise<Fan> {
    const cached = this.#cache.get('fan', oid);
    if (cached) return cached;
    const entries = decodeFan(fan, await this.#body(oid));
    this.#keepFan(oid, entries);
    return entries;
  }

  /** What differs between two trees, from their oids alone. The keyring is not an entry and is left out. */
  async changes(before: TreeRoot | undefined, after: TreeRoot): Promise<NameChange[]> {
    const changes: NameChange[] = [];
    for (const { name: fan, before: from, after: to } of differences(before?.fans, after.fans)) {
      changes.push(...differences(from && (await this.fan(fan, from)), to && (await this.fan(fan, to))));
    }
    return changes;
  }

  /** Takes note of a tree that was just made, so that it is not read back. */
  remember({ oid, root, fans }: EditedTree): void {
    this.#keepRoot(oid, root);
    for (const [fan, entries] of fans) this.#keepFan(fan, entries);
  }

  #keepRoot(oid: Oid, root: TreeRoot): void {
    this.#cache.set('root', oid, root, root.fans.size * ENTRY_BYTES);
  }

  #keepFan(oid: Oid, entries: Fan): void {
    this.#cache.set('fan', oid, entries, entries.size * ENTRY_BYTES);
  }

  async #body(oid: Oid): Promise<Uint8Array> {
    return bodyOf(await this.#read(oid), 'tree', oid);
  }
}

function differences(before: ReadonlyMap<string, Oid> | undefined, after: ReadonlyMap<string, Oid> | undefined): NameChange[] {
  const changes: NameChange[] = [];
  let kept = 0;
  before?.forEach((oid, name) => {
    const now = after?.get(name);
    if (now !== undefined) kept += 1;
    if (now !== oid) changes.push({ name, before: oid, after: now });
  });
  if (kept === after?.size) return changes;
  after?.forEach((oid, name) => {
    if (before?.has(name) !== true) changes.push({ name, before: undefined, after: oid });
  });
  return changes;
}

/** @throws CORRUPT when the object is of another type */
export function bodyOf({ type, body }: GitObject, expected: ObjectType, oid: Oid): Uint8Array {
  if (type !== expected) throw new MemgitError('CORRUPT', `expected a ${expected}, got a ${type}`, { details: { oid } });
  return body;
}
