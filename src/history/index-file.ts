/**
 * The history index as bytes: which opaque names each commit changed, so that a question about one path needs to read neither
 * commits nor trees. It holds nothing that the repository does not show to anybody, so it is not sealed; it is authenticated,
 * so that nobody can have a path's history told wrong. Nothing of it is part of the format: it is kept beside the repository,
 * never pushed, and ignored unless this version wrote it with the newest epoch's key. A commit's oid fixes all that came before
 * it, so what is written here of a commit stays true.
 *
 *     header || rows || keyed hash of all before(32)
 *     row = length(4) || oid(20) || time(8) || parents(1) || oid of each parent(20) || a difference for each
 *     difference = keyring changed(1) || count(4) || count of ( name(32) || sides(1) || blob before(20) || blob after(20) )
 *
 * Times are IEEE 754. A first commit has no parent and one difference, from nothing. Sides are 1 for before and 2 for after; a blob that is not there is left out.
 */
import { concat, equalBytes, utf8, type Bytes } from '../bytes.ts';
import { blake2b } from '../crypto/kdf.ts';
import { OID_BYTES, type Oid } from '../git/objects.ts';
import type { NameChange } from '../vault/tree-reader.ts';

/** Another shape gets another number; an index with any other header is made anew. */
const HEADER = utf8('memgit history index 1\n');
const MAC_BYTES = 32;
const NAME_BYTES = 32;
const MAX_CHANGE_BYTES = NAME_BYTES + 1 + 2 * OID_BYTES;
const TIME_BYTES = 8;
const [BEFORE, AFTER] = [1, 2];

/** What differs between a parent and its child. */
export interface Difference {
  readonly names: readonly NameChange[];
  /** Only then can the two belong to different epochs. */
  readonly keyring: boolean;
}

export interface IndexedCommit {
  readonly oid: Oid;
  readonly parents: readonly Oid[];
  readonly timeSec: number;
  /** One for each parent; for a first commit one, from nothing. */
  readonly differences: readonly Difference[];
}

export class IndexFile {
  static readonly empty = new IndexFile(concat(HEADER, new Uint8Array(MAC_BYTES)));

  readonly #bytes: Buffer;
  readonly #rows = new Map<Oid, number>();

  private constructor(bytes: Bytes) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    for (let at = HEADER.length; at < bytes.length - MAC_BYTES; at += 4 + this.#bytes.readUInt32BE(at)) {
      const oidEnd = at + 4 + OID_BYTES;
      this.#rows.set(this.#bytes.toString('hex', at + 4, oidEnd) as Oid, oidEnd);
    }
  }

  /** `undefined` for anything that `extended` did not return with this key. */
  static open(bytes: Bytes, key: Bytes): IndexFile | undefined {
    const end = bytes.length - MAC_BYTES;
    if (end < HEADER.length || !equalBytes(bytes.subarray(0, HEADER.length), HEADER)) return undefined;
    if (!equalBytes(blake2b(MAC_BYTES, bytes.subarray(0, end), key), bytes.subarray(end))) return undefined;
    return new IndexFile(bytes);
  }

  get(oid: Oid): IndexedCommit | undefined {
    const at = this.#rows.get(oid);
    return at === undefined ? undefined : new Row(oid, this.#bytes, at);
  }

  /** The bytes of an index that has these rows too. */
  extended(rows: Rows, key: Bytes): Bytes {
    const all = concat(this.#bytes.subarray(0, -MAC_BYTES), rows.bytes);
    return concat(all, blake2b(MAC_BYTES, all, key));
  }
}

/** Rows on their way into an index, in one piece of memory: thousands of small ones would each hold on to a larger one of node's. */
export class Rows {
  count = 0;
  #bytes = Buffer.alloc(4096);
  #length = 0;

  get bytes(): Bytes {
    return this.#bytes.subarray(0, this.#length);
  }

  add({ oid, parents, timeSec, differences }: IndexedCommit): void {
    const start = this.#length;
    this.#reserve(4 + OID_BYTES + TIME_BYTES + 1 + parents.length * OID_BYTES);
    this.#length += 4;
    this.#oid(oid);
    this.#length = this.#bytes.writeDoubleBE(timeSec, this.#length);
    this.#length = this.#bytes.writeUInt8(parents.length, this.#length);
    for (const parent of parents) this.#oid(parent);
    for (const difference of differences) this.#difference(difference);
    this.#bytes.writeUInt32BE(this.#length - start - 4, start);
    this.count += 1;
  }

  #difference({ names, keyring }: Difference): void {
    this.#reserve(5 + names.length * MAX_CHANGE_BYTES);
    this.#length = this.#bytes.writeUInt8(keyring ? 1 : 0, this.#length);
    this.#length = this.#bytes.writeUInt32BE(names.length, this.#length);
    for (const { name, before, after } of names) {
      this.#length += this.#bytes.write(name, this.#length, 'latin1');
      this.#length = this.#bytes.writeUInt8((before === undefined ? 0 : BEFORE) + (after === undefined ? 0 : AFTER), this.#length);
      if (before !== undefined) this.#oid(before);
      if (after !== undefined) this.#oid(after);
    }
  }

  #oid(oid: Oid): void {
    this.#length += this.#bytes.write(oid, this.#length, 'hex');
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const larger = Buffer.alloc(2 * (this.#length + count));
    this.#bytes.copy(larger);
    this.#bytes = larger;
  }
}

/** A row in place: what it says of differences is decoded when somebody asks. */
class Row implements IndexedCommit {
  readonly oid: Oid;
  readonly timeSec: number;
  readonly parents: readonly Oid[];
  readonly #bytes: Buffer;
  #at: number;

  /** @param at where the row goes on after its oid */
  constructor(oid: Oid, bytes: Buffer, at: number) {
    this.oid = oid;
    this.#bytes = bytes;
    this.#at = at;
    this.timeSec = bytes.readDoubleBE(this.#skip(TIME_BYTES));
    const parents: Oid[] = [];
    for (let left = bytes.readUInt8(this.#skip(1)); left > 0; left -= 1) parents.push(this.#oid());
    this.parents = parents;
  }

  get differences(): readonly Difference[] {
    const start = this.#at;
    const differences: Difference[] = [];
    for (let i = 0; i < Math.max(1, this.parents.length); i += 1) differences.push(this.#difference());
    this.#at = start;
    return differences;
  }

  #difference(): Difference {
    const keyring = this.#bytes.readUInt8(this.#skip(1)) === 1;
    const count = this.#bytes.readUInt32BE(this.#skip(4));
    const names: NameChange[] = [];
    while (names.length < count) {
      const name = this.#bytes.toString('latin1', this.#at, this.#skip(NAME_BYTES) + NAME_BYTES);
      const sides = this.#bytes.readUInt8(this.#skip(1));
      names.push({ name, before: (sides & BEFORE) === 0 ? undefined : this.#oid(), after: (sides & AFTER) === 0 ? undefined : this.#oid() });
    }
    return { names, keyring };
  }

  #oid(): Oid {
    return this.#bytes.toString('hex', this.#at, this.#skip(OID_BYTES) + OID_BYTES) as Oid;
  }

  /** Steps over so many bytes and returns where they began. */
  #skip(count: number): number {
    this.#at += count;
    return this.#at - count;
  }
}
