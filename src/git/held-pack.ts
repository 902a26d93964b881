/**
 * A pack whose bytes are in memory: for reading most of its objects, where opening and reading the file for each would take
 * longer than the rest. Bodies that deltas may build on are kept for a while, within a bound. Sizes and depths are bounded
 * before anything is allocated for them; the hash of a result is the caller's to check.
 */
import * as zlib from 'node:zlib';
import type { Bytes } from '../bytes.ts';
import { MemgitError } from '../errors.ts';
import { applyDelta } from './delta.ts';
import { MAX_OBJECT_BYTES, OID_BYTES, oidFromBytes, type GitObject, type ObjectType, type Oid } from './objects.ts';
import { MAX_DELTA_DEPTH, MAX_ENTRY_BYTES, OBJECT_TYPES, OFFSET_DELTA, OID_DELTA, readDistance, readHeader } from './pack-read.ts';
import { decodeStored } from './stored.ts';

/** An entry unpacked: an object, or a delta for the entry at an offset or for an object of the same pack. */
export interface HeldEntry {
  readonly base: ObjectType | { readonly offset: number } | { readonly oid: Oid };
  readonly body: Bytes;
  /** Where the next entry begins. */
  readonly end: number;
}

const KEPT_BYTES = 16 * 1024 * 1024;

export class HeldPack {
  readonly bytes: Buffer;
  readonly #offsetOf: (oid: Oid) => number | undefined;
  readonly #kept = new Kept();

  /** @param offsetOf where an object begins, for deltas that name their base by oid */
  constructor(bytes: Bytes, offsetOf: (oid: Oid) => number | undefined) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#offsetOf = offsetOf;
  }

  /** Unpacks the entry at an offset. @throws CORRUPT when it is torn, malformed or too large */
  entryAt(start: number): HeldEntry {
    const bytes = this.bytes.subarray(0, -OID_BYTES).subarray(start, start + MAX_ENTRY_BYTES);
    if (bytes.length === 0) throw corruptEntry('the pack ends before it');
    const { code, size, end } = readHeader(bytes);
    let bodyAt = end;
    let base: HeldEntry['base'] | undefined = OBJECT_TYPES[code];
    if (code === OFFSET_DELTA) {
      const read = readDistance(bytes, end);
      if (read.distance <= 0 || read.distance > start) throw corruptEntry('its base lies outside the pack');
      base = { offset: start - read.distance };
      bodyAt = read.end;
    } else if (code === OID_DELTA) {
      bodyAt = end + OID_BYTES;
      base = { oid: oidFromBytes(bytes.subarray(end, bodyAt)) };
    }
    if (base === undefined) throw corruptEntry('it is of a kind that memgit does not use');
    const { body, consumed } = inflateOne(bytes.subarray(bodyAt), size);
    return { base, body, end: start + bodyAt + consumed };
  }

  /** Reads the object at an offset, deltas resolved; `undefined` when one names a base that is not in the pack. @throws CORRUPT */
  objectAt(start: number): GitObject | undefined {
    const deltas: { readonly at: number; readonly body: Bytes }[] = [];
    let deltaBytes = 0;
    let at = start;
    let resolved = this.#kept.get(at);
    while (!resolved) {
      const { base, body } = this.entryAt(at);
      if (typeof base === 'string') {
        resolved = { object: { type: base, body }, depth: 0, deltaBytes: 0 };
        break;
      }
      deltas.push({ at, body });
      deltaBytes += body.length;
      assertChain(deltas.length, deltaBytes);
      const next = 'offset' in base ? base.offset : this.#offsetOf(base.oid);
      if (next === undefined) return undefined;
      at = next;
      resolved = this.#kept.get(at);
    }
    // Also of what is kept the whole chain counts, down to what holds its object: a reader that keeps nothing meets it all.
    assertChain(resolved.depth + deltas.length, resolved.deltaBytes + deltaBytes);
    // What no delta asks for is not worth keeping.
    if (deltas.length > 0) this.#kept.set(at, resolved);
    for (const delta of deltas.reverse()) {
      resolved = upon(resolved, delta.body);
      this.#kept.set(delta.at, resolved);
    }
    return resolved.object;
  }
}

function upon({ object: { type, body }, depth, deltaBytes }: Resolved, delta: Bytes): Resolved {
  return { object: { type, body: applyDelta(body, delta) }, depth: depth + 1, deltaBytes: deltaBytes + delta.length };
}

/** @throws CORRUPT for a chain of deltas that would not be read object by object */
function assertChain(depth: number, deltaBytes: number): void {
  if (depth > MAX_DELTA_DEPTH || deltaBytes > MAX_OBJECT_BYTES) throw corruptEntry('its chain of deltas has no end in sight');
}

/** Inflates the one stream that the bytes begin with, to exactly `size` bytes, and tells how long it was. */
function inflateOne(bytes: Bytes, size: number): { body: Bytes; consumed: number } {
  if (size > MAX_OBJECT_BYTES) throw corruptEntry(`its size exceeds ${MAX_OBJECT_BYTES} bytes`);
  // Nearly all bytes of a memory are ciphertext: taking it as it stands is what makes reading many entries fast.
  const stored = decodeStored(bytes, size);
  if (stored) return stored;
  let result: { buffer: Buffer; engine: { bytesWritten: number } };
  try {
    // One byte more is allowed out, so that "too long" is told from "exact".
    const options = { maxOutputLength: size + 1, chunkSize: Math.min(Math.max(size + 1, 64), 1024 * 1024), info: true };
    result = zlib.inflateSync(bytes, options) as unknown as typeof result;
  } catch (cause) {
    throw corruptEntry('it does not inflate to the size it declares', cause);
  }
  if (result.buffer.length !== size) throw corruptEntry('it does not inflate to the size it declares');
  return { body: result.buffer, consumed: result.engine.bytesWritten };
}

/** An object, and the chain of deltas that led to it. */
interface Resolved {
  readonly object: GitObject;
  readonly depth: number;
  readonly deltaBytes: number;
}

/** Objects by offset: two generations, of which the older is dropped when the younger is full. */
class Kept {
  #young = new Map<number, Resolved>();
  #old = new Map<number, Resolved>();
  #youngBytes = 0;

  get(at: number): Resolved | undefined {
    return this.#young.get(at) ?? this.#old.get(at);
  }

  set(at: number, resolved: Resolved): void {
    if (this.#young.has(at)) return;
    this.#young.set(at, resolved);
    this.#youngBytes += resolved.object.body.length;
    if (this.#youngBytes < KEPT_BYTES) return;
    this.#old = this.#young;
    this.#young = new Map();
    this.#youngBytes = 0;
  }
}

function corruptEntry(got: string, cause?: unknown): MemgitError {
  return new MemgitError('CORRUPT', `expected an entry of a pack, but ${got}`, { cause });
}
