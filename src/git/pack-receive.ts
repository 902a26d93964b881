/**
 * Takes in a pack that came over the network without an index: finds its entries, names them, resolves deltas, and makes of
 * it a pack as memgit writes them. Every object passes a check of the caller's before the next one is looked at, so a pack of
 * other things (or one that only unpacks to something huge) ends early.
 */
import { createHash } from 'node:crypto';
import * as zlib from 'node:zlib';
import { equalBytes, type Bytes } from '../bytes.ts';
import { MemgitError } from '../errors.ts';
import { HeldPack } from './held-pack.ts';
import { OID_BYTES, oidOf, type GitObject, type Oid } from './objects.ts';
import { giveWay } from './turns.ts';
import { assemblePack, encodePackEntry, type Pack, type PackEntry } from './pack-write.ts';

const HEADER_BYTES = 12;
/** The shortest entry there is: a header and an empty deflate stream with its checksum. */
const LEAST_ENTRY_BYTES = 9;
/** Each takes some 400 bytes of memory here, however few of the pack. Half a million commits have as many. */
const MAX_OBJECTS = 2_000_000;
/** What deltas unpack to is kept whole, and may be a thousand times the pack. */
const MAX_KEPT_BYTES = 1024 ** 3;

/**
 * @throws CORRUPT when the pack is torn, malformed or depends on objects outside it; TOO_LARGE; ABORTED; what `check` throws
 * @returns `undefined` for a pack of nothing
 */
export async function receivePack(bytes: Bytes, check: (object: GitObject) => void, signal?: AbortSignal): Promise<Pack | undefined> {
  const entries = await new ReceivedPack(bytes, check, signal).unpack();
  return entries.length === 0 ? undefined : assemblePack(entries);
}

class ReceivedPack {
  readonly #held: HeldPack;
  readonly #check: (object: GitObject) => void;
  readonly #signal: AbortSignal | undefined;
  readonly #offsets = new Map<Oid, number>();
  readonly #packed = new Map<Oid, PackEntry>();
  #keptBytes = 0;
  /** Where deltas begin, by what they build on: a place in the pack, or an object. */
  readonly #waiting = new Map<number | Oid, number[]>();

  constructor(bytes: Bytes, check: (object: GitObject) => void, signal: AbortSignal | undefined) {
    this.#held = new HeldPack(bytes, (oid) => this.#offsets.get(oid));
    this.#check = check;
    this.#signal = signal;
  }

  async unpack(): Promise<PackEntry[]> {
    const { bytes } = this.#held;
    const count = this.#readCount();
    const whole: { readonly at: number; readonly oid: Oid }[] = [];
    let at = HEADER_BYTES;
    for (let i = 0; i < count; i += 1) {
      const { base, body, end } = this.#held.entryAt(at);
      // Its compressed bytes are taken as they are.
      if (typeof base === 'string') whole.push({ at, oid: this.#keep(at, { type: base, body }, packedAs({ type: base, body }, bytes.subarray(at, end))) });
      else this.#wait('offset' in base ? base.offset : base.oid, at);
      at = end;
      await giveWay(this.#signal);
    }
    if (at !== bytes.length - OID_BYTES) throw corruptPack('there are other bytes behind its entries');
    for (const each of whole) await this.#resolveUpon(each);
    if (this.#waiting.size > 0) throw corruptPack('a delta builds on an object that is not in it');
    return [...this.#packed.values()];
  }

  #readCount(): number {
    const { bytes } = this.#held;
    const content = bytes.subarray(0, -OID_BYTES);
    if (content.length < HEADER_BYTES || bytes.toString('latin1', 0, 4) !== 'PACK' || bytes.readUInt32BE(4) !== 2) throw corruptPack('it does not begin as one');
    if (!equalBytes(createHash('sha1').update(content).digest(), bytes.subarray(-OID_BYTES))) throw corruptPack('it does not match its checksum');
    const count = bytes.readUInt32BE(8);
    if (count * LEAST_ENTRY_BYTES > content.length) throw corruptPack('it is too short for the number of its objects');
    if (count > MAX_OBJECTS) throw tooLarge('objects', MAX_OBJECTS);
    return count;
  }

  #wait(base: number | Oid, at: number): void {
    const others = this.#waiting.get(base);
    if (others) others.push(at);
    else this.#waiting.set(base, [at]);
  }

  /** Resolves the deltas that lead to an object, each as soon as its base is known: while that is still at hand. */
  async #resolveUpon(base: { readonly at: number; readonly oid: Oid }): Promise<void> {
    const known = [base];
    for (let next = known.pop(); next; next = known.pop()) {
      for (const key of [next.at, next.oid]) {
        const deltas = this.#waiting.get(key) ?? [];
        this.#waiting.delete(key);
        for (const at of deltas) {
          const object = this.#held.objectAt(at);
          if (object === undefined) throw corruptPack('a delta builds on an object that is not in it');
          known.push({ at, oid: this.#keep(at, object, await encodePackEntry(object)) });
          await giveWay(this.#signal);
        }
      }
    }
  }

  #keep(at: number, object: GitObject, entry: PackEntry): Oid {
    this.#check(object);
    this.#offsets.set(entry.oid, at);
    if (this.#packed.has(entry.oid)) return entry.oid;
    this.#packed.set(entry.oid, entry);
    this.#keptBytes += entry.bytes.length;
    if (this.#keptBytes > MAX_KEPT_BYTES) throw tooLarge('bytes when it is unpacked', MAX_KEPT_BYTES);
    return entry.oid;
  }
}

function packedAs({ type, body }: GitObject, bytes: Bytes): PackEntry {
  return { oid: oidOf(type, body), bytes, crc32: zlib.crc32(bytes) };
}

function tooLarge(what: string, limit: number): MemgitError {
  return new MemgitError('TOO_LARGE', `expected a pack of at most ${limit} ${what}, got more; install git to fetch it`, { details: { limit } });
}

function corruptPack(got: string): MemgitError {
  return new MemgitError('CORRUPT', `expected a whole pack from the remote, but ${got}; nothing was taken in`, { details: { from: 'remote' } });
}
