/**
 * The objects of one repository on disk: packs, then loose ones (which git may leave behind; memgit writes packs only).
 * It keeps pack indexes in memory and no contents. When an oid is missing it looks at the folder again, for as long as that
 * changes, because other processes may add packs, or fold those known here into one. Writing is in publish.ts and fold.ts.
 */
import { join } from 'node:path';
import { MemgitError, isMemgitError } from '../errors.ts';
import type { FileSystem, ReadHandle } from './fs.ts';
import { inflateWithin } from './inflate.ts';
import type { Layout } from './layout.ts';
import { MAX_OBJECT_BYTES, oidOf, oidToBytes, parseOid, type GitObject, type ObjectType, type Oid } from './objects.ts';
import { OpenPacks } from './open-packs.ts';
import { PackIndex } from './pack-index.ts';
import { readPackedObject } from './pack-read.ts';
import { giveWay } from './turns.ts';

const PACK_INDEX_NAME = /^pack-([0-9a-f]{40})\.idx$/;
export const MAX_INDEX_BYTES = 512 * 1024 * 1024;
const LOOSE_HEADER = /^(commit|tree|blob) (0|[1-9][0-9]{0,9})$/;
const MAX_LOOSE_HEADER_BYTES = 32;
/** How often the folder is looked at for one object while others, git too, fold packs and fold what they folded. */
const MAX_LOOKS = 50;

export class ObjectStore {
  readonly #fs: FileSystem;
  readonly #layout: Layout;
  readonly #indexes = new Map<string, PackIndex>();
  /** Packs whose index cannot be read. They matter only when an object is found nowhere else. */
  readonly #damaged = new Map<string, MemgitError>();
  readonly #open = new OpenPacks((name) => this.openPack(name));

  constructor(fs: FileSystem, layout: Layout) {
    this.#fs = fs;
    this.#layout = layout;
  }

  /** The packs known so far by name. */
  get packs(): ReadonlyMap<string, PackIndex> {
    return this.#indexes;
  }

  /** @throws CORRUPT when no whole copy of the object is in the store */
  async read(oid: Oid): Promise<GitObject> {
    await giveWay();
    let found = await this.#readKnown(oid);
    for (let looks = 0; !('object' in found) && looks < MAX_LOOKS; looks += 1) {
      const moved = await this.rescan();
      if (!moved && looks > 0) break;
      found = await this.#readKnown(oid);
    }
    if ('object' in found) return found.object;
    throw new MemgitError('CORRUPT', `expected object ${oid}, found ${found.fault === undefined ? 'none' : 'only a damaged copy'}`, {
      details: { oid },
      cause: found.fault ?? [...this.#damaged.values()][0],
    });
  }

  /** Tells whether the store lists the object, without reading it. */
  async has(oid: Oid): Promise<boolean> {
    for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
      if (await this.#lists(oid)) return true;
      const moved = await this.rescan();
      if (!moved && looks > 0) return false;
    }
    return this.#lists(oid);
  }

  /** Returns the oids that begin with these hexadecimal digits, at least two. */
  async startingWith(prefix: string): Promise<ReadonlySet<Oid>> {
    await this.rescan();
    const folder = prefix.slice(0, 2);
    const loose = (await this.#fs.readdir(join(this.#layout.objects, folder))) ?? [];
    const found = new Set(loose.flatMap((file) => parseOid(folder + file) ?? []).filter((oid) => oid.startsWith(prefix)));
    for (const index of this.#indexes.values()) for (const oid of index.startingWith(prefix)) found.add(oid);
    return found;
  }

  /** Tells whether a whole copy is in a known pack, without looking at the folder again: for writers, who hold the lock. */
  async holdsWhole(oid: Oid): Promise<boolean> {
    // A pack that git has taken away since it was opened can still be read, but holds nothing any more.
    await this.#open.close();
    return 'object' in (await this.#readPacked(oid));
  }

  /** Brings the list of packs in line with the folder. Whether the folder was another than it was known to be. */
  async rescan(): Promise<boolean> {
    const files = (await this.#fs.readdir(this.#layout.packs)) ?? [];
    const names = new Set(files.flatMap((file) => PACK_INDEX_NAME.exec(file)?.[1] ?? []));
    let moved = false;
    for (const known of [this.#indexes, this.#damaged]) {
      for (const name of known.keys()) if (!names.has(name)) moved = known.delete(name);
    }
    for (const name of names) {
      if (this.#indexes.has(name)) continue;
      // An index that was damaged may have been mended; one that still is, is no news.
      const known = this.#damaged.has(name);
      await this.#load(name);
      if (!known || this.#indexes.has(name)) moved = true;
    }
    return moved;
  }

  /** Takes in a pack that this process has just put in place. */
  add(name: string, index: PackIndex): void {
    this.#damaged.delete(name);
    this.#indexes.set(name, index);
  }

  /** Looks no more into a pack that is to go, or has gone. */
  forget(name: string): void {
    this.#indexes.delete(name);
  }

  /** Opens the file of a pack; `undefined` when it has been folded away since it was listed. The caller closes it. */
  async openPack(name: string): Promise<ReadHandle | undefined> {
    return this.#fs.open(this.pathOf(name, 'pack'));
  }

  /** Closes what reads have left open. The store can still be used. */
  async close(): Promise<void> {
    await this.#open.close();
  }

  pathOf(name: string, extension: 'pack' | 'idx' | 'rev' | 'bitmap'): string {
    return join(this.#layout.packs, `pack-${name}.${extension}`);
  }

  async #load(name: string): Promise<void> {
    try {
      const bytes = await this.#fs.readFile(this.pathOf(name, 'idx'), MAX_INDEX_BYTES);
      if (bytes !== undefined) this.add(name, new PackIndex(bytes));
    } catch (error) {
      if (!isMemgitError(error, 'CORRUPT')) throw error;
      this.#damaged.set(name, error);
    }
  }

  async #lists(oid: Oid): Promise<boolean> {
    for (const index of this.#indexes.values()) if (index.offsetOf(oid) !== undefined) return true;
    return (await this.#fs.lstat(this.#loosePath(oid))) !== undefined;
  }

  async #readKnown(oid: Oid): Promise<Found> {
    const packed = await this.#readPacked(oid);
    if ('object' in packed) return packed;
    const loose = await readWhole(oid, () => this.#readLoose(oid));
    return 'object' in loose ? loose : { fault: loose.fault ?? packed.fault };
  }

  /** Tries every copy that is in a pack until one is whole. */
  async #readPacked(oid: Oid): Promise<Found> {
    const wanted = oidToBytes(oid);
    let fault: MemgitError | undefined;
    for (const [name, index] of this.#indexes) {
      const offset = index.offsetOf(oid, wanted);
      if (offset === undefined) continue;
      const copy = await readWhole(oid, () => this.#open.lend(name, (pack) => readPackedObject(pack, index, offset)));
      if ('object' in copy) return copy;
      if (copy.fault === undefined) continue;
      fault = copy.fault;
      // A whole pack may have come in its place since it was opened.
      await this.#open.close();
    }
    return { fault };
  }

  async #readLoose(oid: Oid): Promise<GitObject | undefined> {
    const compressed = await this.#fs.readFile(this.#loosePath(oid), MAX_OBJECT_BYTES + MAX_OBJECT_BYTES / 1024);
    if (compressed === undefined) return undefined;
    const bytes = inflateWithin(compressed, MAX_OBJECT_BYTES + MAX_LOOSE_HEADER_BYTES);
    const nul = bytes.subarray(0, MAX_LOOSE_HEADER_BYTES).indexOf(0);
    const [, type, size] = LOOSE_HEADER.exec(Buffer.from(bytes.subarray(0, Math.max(nul, 0))).toString('latin1')) ?? [];
    const body = bytes.subarray(nul + 1);
    if (type === undefined || Number(size) !== body.length) throw new MemgitError('CORRUPT', 'expected a loose object with its type and size');
    return { type: type as ObjectType, body };
  }

  #loosePath(oid: Oid): string {
    return join(this.#layout.objects, oid.slice(0, 2), oid.slice(2));
  }
}

/** An object, or what was wrong with its copies, if there was any. */
type Found = { readonly object: GitObject } | { readonly fault: MemgitError | undefined };

/** Reads one copy of an object and checks that it is whole. */
async function readWhole(oid: Oid, read: () => Promise<GitObject | undefined>): Promise<Found> {
  try {
    const object = await read();
    if (object === undefined) return { fault: undefined };
    if (oidOf(object.type, object.body) === oid) return { object };
    return { fault: new MemgitError('CORRUPT', 'expected an object to match its oid, got other content') };
  } catch (error) {
    if (!isMemgitError(error, 'CORRUPT')) throw error;
    return { fault: error };
  }
}
