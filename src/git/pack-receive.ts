/**
 * Takes in a pack that came over the network without an index: finds its entries, names them, resolves deltas, and makes of
 * it a pack as memgit writes them. Every object passes a check of the caller's before the next one is looked at, so a pack of
 * other things (or one that only unpacks to something huge) ends early. One object at a time is in memory unpacked.
 */
import { createHash } from 'node:crypto';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import * as zlib from 'node:zlib';
import { equalBytes, type Bytes } from '../bytes.ts';
import { MemgitError } from '../errors.ts';
import { applyDelta } from './delta.ts';
import { MAX_OBJECT_BYTES, OID_BYTES, oidFromBytes, oidOf, type GitObject, type ObjectType, type Oid } from './objects.ts';
import { MAX_DELTA_DEPTH, OBJECT_TYPES, OFFSET_DELTA, OID_DELTA, readDistance, readHeader } from './pack-read.ts';
import { assemblePack, encodePackEntry, type Pack, type PackEntry } from './pack-write.ts';

const HEADER_BYTES = 12;
/** The shortest entry there is: a header and an empty deflate stream with its checksum. */
const LEAST_ENTRY_BYTES = 9;
/** Other work gets its turn after this many objects. */
const TURN = 256;

/** Where an entry stands in the received bytes, and what it is based on when it is a delta. */
interface Entry {
  readonly start: number;
  readonly bodyAt: number;
  readonly end: number;
  readonly size: number;
  readonly base: ObjectType | { readonly offset: number } | { readonly oid: Oid };
}

/** @throws CORRUPT when the pack is torn, malformed or depends on objects outside it; what `check` throws. `undefined` for a pack of nothing. */
export async function receivePack(bytes: Bytes, check: (object: GitObject) => void): Promise<Pack | undefined> {
  const received = new ReceivedPack(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), check);
  const entries = await received.unpack();
  return entries.length === 0 ? undefined : assemblePack(entries);
}

class ReceivedPack {
  readonly #bytes: Buffer;
  readonly #check: (object: GitObject) => void;
  readonly #entries = new Map<number, Entry>();
  readonly #offsets = new Map<Oid, number>();
  readonly #packed = new Map<Oid, PackEntry>();

  constructor(bytes: Buffer, check: (object: GitObject) => void) {
    this.#bytes = bytes;
    this.#check = check;
  }

  async unpack(): Promise<PackEntry[]> {
    const count = this.#readCount();
    let at = HEADER_BYTES;
    const deltas: Entry[] = [];
    for (let i = 0; i < count; i += 1) {
      if (i % TURN === 0) await yieldToOthers();
      const { entry, body } = this.#readEntry(at);
      this.#entries.set(at, entry);
      at = entry.end;
      if (typeof entry.base === 'string') this.#keepWhole(entry, { type: entry.base, body });
      else deltas.push(entry);
    }
    if (at !== this.#bytes.length - OID_BYTES) throw corruptPack('there are other bytes behind its entries');
    // A base by oid may itself be a delta that comes later, so those that cannot be resolved yet wait for another round.
    for (let waiting = deltas; waiting.length > 0; ) {
      const left = await this.#resolveThese(waiting);
      if (left.length === waiting.length) throw corruptPack('a delta builds on an object that is not in it');
      waiting = left;
    }
    return [...this.#packed.values()];
  }

  #readCount(): number {
    const bytes = this.#bytes;
    const content = bytes.subarray(0, -OID_BYTES);
    if (content.length < HEADER_BYTES || bytes.toString('latin1', 0, 4) !== 'PACK' || bytes.readUInt32BE(4) !== 2) throw corruptPack('it does not begin as one');
    if (!equalBytes(createHash('sha1').update(content).digest(), bytes.subarray(-OID_BYTES))) throw corruptPack('it does not match its checksum');
    const count = bytes.readUInt32BE(8);
    if (count * LEAST_ENTRY_BYTES > content.length) throw corruptPack('it is too short for the number of its objects');
    return count;
  }

  #readEntry(start: number): { entry: Entry; body: Bytes } {
    const bytes = this.#bytes.subarray(start, -OID_BYTES);
    const { code, size, end } = readHeader(bytes);
    let bodyAt = end;
    let base: Entry['base'] | undefined = OBJECT_TYPES[code];
    if (code === OFFSET_DELTA) {
      const read = readDistance(bytes, end);
      base = { offset: start - read.distance };
      bodyAt = read.end;
    } else if (code === OID_DELTA) {
      bodyAt = end + OID_BYTES;
      base = { oid: oidFromBytes(bytes.subarray(end, bodyAt)) };
    }
    if (base === undefined) throw corruptPack('an entry is of a kind that memgit does not use');
    const { body, consumed } = inflateOne(bytes.subarray(bodyAt), size);
    return { entry: { start, bodyAt: start + bodyAt, end: start + bodyAt + consumed, size, base }, body };
  }

  /** Its compressed bytes are taken as they are. */
  #keepWhole({ start, end }: Entry, object: GitObject): void {
    const bytes = this.#bytes.subarray(start, end);
    this.#keep(start, object, { oid: oidOf(object.type, object.body), bytes, crc32: zlib.crc32(bytes) });
  }

  #keep(start: number, object: GitObject, entry: PackEntry): void {
    this.#check(object);
    this.#offsets.set(entry.oid, start);
    if (!this.#packed.has(entry.oid)) this.#packed.set(entry.oid, entry);
  }

  async #resolveThese(deltas: readonly Entry[]): Promise<Entry[]> {
    const left: Entry[] = [];
    for (const [i, delta] of deltas.entries()) {
      if (i % TURN === 0) await yieldToOthers();
      const object = this.#resolve(delta);
      if (object === undefined) left.push(delta);
      else this.#keep(delta.start, object, await encodePackEntry(object));
    }
    return left;
  }

  /** Follows a delta down to a whole object and builds up again; `undefined` when a base by oid is not known yet. */
  #resolve(delta: Entry): GitObject | undefined {
    const chain: Entry[] = [];
    let entry: Entry | undefined = delta;
    while (entry !== undefined && typeof entry.base !== 'string') {
      chain.push(entry);
      if (chain.length > MAX_DELTA_DEPTH) throw corruptPack('a chain of deltas has no end in sight');
      const offset: number | undefined = 'offset' in entry.base ? entry.base.offset : this.#offsets.get(entry.base.oid);
      if (offset === undefined) return undefined;
      entry = this.#entries.get(offset);
    }
    if (entry === undefined) throw corruptPack('a delta builds on something that is no object');
    const type = entry.base as ObjectType;
    const body = chain.reduceRight((base, { bodyAt, size }) => applyDelta(base, inflateOne(this.#bytes.subarray(bodyAt), size).body), this.#bodyOf(entry));
    return { type, body };
  }

  #bodyOf({ bodyAt, size }: Entry): Bytes {
    return inflateOne(this.#bytes.subarray(bodyAt), size).body;
  }
}

/** Inflates the one stream that the bytes begin with, to exactly `size` bytes, and tells how long it was. */
function inflateOne(bytes: Bytes, size: number): { body: Bytes; consumed: number } {
  if (size > MAX_OBJECT_BYTES) throw corruptPack('an object is larger than any that memgit reads');
  let result: { buffer: Buffer; engine: { bytesWritten: number } };
  try {
    // One byte more is allowed out, so that "too long" is told from "exact".
    result = zlib.inflateSync(bytes, { maxOutputLength: size + 1, chunkSize: Math.min(Math.max(size + 1, 64), 1024 * 1024), info: true }) as unknown as typeof result;
  } catch (cause) {
    throw corruptPack('an entry does not inflate to the size it declares', cause);
  }
  if (result.buffer.length !== size) throw corruptPack('an entry does not inflate to the size it declares');
  return { body: result.buffer, consumed: result.engine.bytesWritten };
}

function corruptPack(got: string, cause?: unknown): MemgitError {
  return new MemgitError('CORRUPT', `expected a whole pack from the remote, but ${got}; nothing was taken in`, { cause });
}
