/**
 * Takes in a pack that came over the network without an index: finds its entries, names them, resolves deltas, and makes of
 * it a pack as memgit writes them. Every object passes a check of the caller's before the next one is looked at, so a pack of
 * other things (or one that only unpacks to something huge) ends early.
 */
import { createHash } from 'node:crypto';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import * as zlib from 'node:zlib';
import { equalBytes, type Bytes } from '../bytes.ts';
import { MemgitError } from '../errors.ts';
import { HeldPack } from './held-pack.ts';
import { OID_BYTES, oidOf, type GitObject, type Oid } from './objects.ts';
import { assemblePack, encodePackEntry, type Pack, type PackEntry } from './pack-write.ts';

const HEADER_BYTES = 12;
/** The shortest entry there is: a header and an empty deflate stream with its checksum. */
const LEAST_ENTRY_BYTES = 9;
/** Other work gets its turn after this many objects. */
const TURN = 256;

/** @throws CORRUPT when the pack is torn, malformed or depends on objects outside it; what `check` throws. `undefined` for a pack of nothing. */
export async function receivePack(bytes: Bytes, check: (object: GitObject) => void): Promise<Pack | undefined> {
  const entries = await new ReceivedPack(bytes, check).unpack();
  return entries.length === 0 ? undefined : assemblePack(entries);
}

class ReceivedPack {
  readonly #held: HeldPack;
  readonly #check: (object: GitObject) => void;
  readonly #offsets = new Map<Oid, number>();
  readonly #packed = new Map<Oid, PackEntry>();

  constructor(bytes: Bytes, check: (object: GitObject) => void) {
    this.#held = new HeldPack(bytes, (oid) => this.#offsets.get(oid));
    this.#check = check;
  }

  async unpack(): Promise<PackEntry[]> {
    const { bytes } = this.#held;
    const count = this.#readCount();
    let at = HEADER_BYTES;
    const deltas: number[] = [];
    for (let i = 0; i < count; i += 1) {
      if (i % TURN === 0) await yieldToOthers();
      const { base, body, end } = this.#held.entryAt(at);
      // Its compressed bytes are taken as they are.
      if (typeof base === 'string') this.#keep(at, { type: base, body }, packedAs({ type: base, body }, bytes.subarray(at, end)));
      else deltas.push(at);
      at = end;
    }
    if (at !== bytes.length - OID_BYTES) throw corruptPack('there are other bytes behind its entries');
    // A base by oid may itself be a delta that comes later, so those that cannot be resolved yet wait for another round.
    for (let waiting = deltas; waiting.length > 0; ) {
      const left = await this.#resolve(waiting);
      if (left.length === waiting.length) throw corruptPack('a delta builds on an object that is not in it');
      waiting = left;
    }
    return [...this.#packed.values()];
  }

  #readCount(): number {
    const { bytes } = this.#held;
    const content = bytes.subarray(0, -OID_BYTES);
    if (content.length < HEADER_BYTES || bytes.toString('latin1', 0, 4) !== 'PACK' || bytes.readUInt32BE(4) !== 2) throw corruptPack('it does not begin as one');
    if (!equalBytes(createHash('sha1').update(content).digest(), bytes.subarray(-OID_BYTES))) throw corruptPack('it does not match its checksum');
    const count = bytes.readUInt32BE(8);
    if (count * LEAST_ENTRY_BYTES > content.length) throw corruptPack('it is too short for the number of its objects');
    return count;
  }

  async #resolve(deltas: readonly number[]): Promise<number[]> {
    const left: number[] = [];
    for (const [i, at] of deltas.entries()) {
      if (i % TURN === 0) await yieldToOthers();
      const object = this.#held.objectAt(at);
      if (object === undefined) left.push(at);
      else this.#keep(at, object, await encodePackEntry(object));
    }
    return left;
  }

  #keep(at: number, object: GitObject, entry: PackEntry): void {
    this.#check(object);
    this.#offsets.set(entry.oid, at);
    if (!this.#packed.has(entry.oid)) this.#packed.set(entry.oid, entry);
  }
}

function packedAs({ type, body }: GitObject, bytes: Bytes): PackEntry {
  return { oid: oidOf(type, body), bytes, crc32: zlib.crc32(bytes) };
}

function corruptPack(got: string): MemgitError {
  return new MemgitError('CORRUPT', `expected a whole pack from the remote, but ${got}; nothing was taken in`);
}
