/**
 * Reads a pack index (version 2), its own or one that git wrote: where in its pack an object begins and ends.
 * The index is kept in memory whole and searched in place. It never opens the pack.
 */
import { createHash } from 'node:crypto';
import { equalBytes, type Bytes } from '../bytes.ts';
import { MemgitError } from '../errors.ts';
import { OID_BYTES, oidToBytes, type Oid } from './objects.ts';

const SIGNATURE = Uint8Array.of(0xff, 0x74, 0x4f, 0x63, 0, 0, 0, 2);
const FAN_OUT_AT = 8;
const OIDS_AT = FAN_OUT_AT + 256 * 4;
const TRAILER_BYTES = 2 * OID_BYTES;

export class PackIndex {
  readonly count: number;
  readonly #bytes: Buffer;
  #sortedOffsets: Float64Array | undefined;

  /** @throws CORRUPT when the bytes are torn or not an index of version 2 */
  constructor(bytes: Bytes) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    this.count = this.#check();
  }

  /**
   * Returns where the entry of an object begins in the pack; `undefined` when it is not in there.
   * @param wanted the bytes of the oid, for callers who ask many packs
   */
  offsetOf(oid: Oid, wanted = oidToBytes(oid)): number | undefined {
    const first = wanted[0]!;
    let low = first === 0 ? 0 : this.#fanOut(first - 1);
    let high = this.#fanOut(first);
    while (low < high) {
      const middle = (low + high) >>> 1;
      const order = this.#compare(middle, wanted);
      if (order === 0) return this.#offset(middle);
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    return undefined;
  }

  /** Returns where the entry that begins at `offset` ends, given where the entries of the pack end. */
  endOf(offset: number, endOfEntries: number): number {
    const offsets = (this.#sortedOffsets ??= Float64Array.from({ length: this.count }, (_, i) => this.#offset(i)).sort());
    let low = 0;
    let high = offsets.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (offsets[middle]! <= offset) low = middle + 1;
      else high = middle;
    }
    return offsets[low] ?? endOfEntries;
  }

  /** @param prefix hexadecimal digits, at least two */
  *startingWith(prefix: string): Generator<Oid> {
    const first = parseInt(prefix.slice(0, 2), 16);
    for (let i = first === 0 ? 0 : this.#fanOut(first - 1); i < this.#fanOut(first); i += 1) {
      const oid = this.#oid(i);
      if (oid.startsWith(prefix)) yield oid;
    }
  }

  *oids(): Generator<Oid> {
    for (let i = 0; i < this.count; i += 1) yield this.#oid(i);
  }

  /** Every object of the pack in the order of oids, with the checksum of its compressed bytes. */
  *entries(): Generator<{ oid: Oid; offset: number; crc32: number }> {
    for (let i = 0; i < this.count; i += 1) {
      const crc32 = this.#bytes.readUInt32BE(OIDS_AT + this.count * OID_BYTES + i * 4);
      yield { oid: this.#oid(i), offset: this.#offset(i), crc32 };
    }
  }

  #check(): number {
    const bytes = this.#bytes;
    const end = bytes.length - OID_BYTES;
    if (end < OIDS_AT + OID_BYTES || !equalBytes(bytes.subarray(0, FAN_OUT_AT), SIGNATURE)) {
      throw new MemgitError('CORRUPT', 'expected a pack index of version 2, got something else or only its beginning');
    }
    if (!createHash('sha1').update(bytes.subarray(0, end)).digest().equals(bytes.subarray(end))) {
      throw new MemgitError('CORRUPT', 'expected the pack index to match its checksum; it is torn or was altered');
    }
    let count = 0;
    for (let byte = 0; byte < 256; byte += 1) {
      const next = this.#fanOut(byte);
      if (next < count) throw new MemgitError('CORRUPT', 'expected the fan-out of a pack index to rise');
      count = next;
    }
    const leastBytes = OIDS_AT + count * (OID_BYTES + 8) + TRAILER_BYTES;
    if (bytes.length < leastBytes || (bytes.length - leastBytes) % 8 !== 0) {
      throw new MemgitError('CORRUPT', `expected a pack index of ${count} objects, got ${bytes.length} bytes`);
    }
    return count;
  }

  /** Two oids nearly always differ in their first bytes, before a call into node would have begun to compare. */
  #compare(i: number, wanted: Bytes): number {
    const at = OIDS_AT + i * OID_BYTES;
    for (let byte = 0; byte < OID_BYTES; byte += 1) {
      const order = this.#bytes[at + byte]! - wanted[byte]!;
      if (order !== 0) return order;
    }
    return 0;
  }

  #oid(i: number): Oid {
    const at = OIDS_AT + i * OID_BYTES;
    return this.#bytes.toString('hex', at, at + OID_BYTES) as Oid;
  }

  #fanOut(byte: number): number {
    return this.#bytes.readUInt32BE(FAN_OUT_AT + byte * 4);
  }

  /** An offset with the top bit set is the place of a 64-bit one in the table behind: packs over 2 GiB, which only git writes. */
  #offset(i: number): number {
    const offsetsAt = OIDS_AT + this.count * (OID_BYTES + 4);
    const offset = this.#bytes.readUInt32BE(offsetsAt + i * 4);
    if (offset < 0x80000000) return offset;
    const wideAt = offsetsAt + this.count * 4 + (offset - 0x80000000) * 8;
    if (wideAt + 8 > this.#bytes.length - TRAILER_BYTES) throw new MemgitError('CORRUPT', 'expected a wide offset, got the end of the index');
    return Number(this.#bytes.readBigUInt64BE(wideAt));
  }
}
