/**
 * The CBOR of docs/FORMAT.md: maps from whole numbers to texts, byte strings, whole numbers and lists of these, in their one
 * deterministic encoding (RFC 8949 section 4.2.3). The room of cborg, which writes it. It is read here, since every look at a
 * memory decodes headers by the hundred: what takes this form only need not encode what it read once more and compare.
 */
import { encode } from 'cborg';
import { utf8Decode, type Bytes } from '../bytes.ts';

type CborItem = string | number | Bytes;
export type CborValue = CborItem | readonly CborItem[];
export type CborMap = Map<number, CborValue>;

export function encodeMap(map: ReadonlyMap<number, CborValue>): Bytes {
  return encode(map);
}

/** Decodes the map at the beginning of `bytes` and returns it with what follows; `undefined` unless it is as `encodeMap` writes it. */
export function decodeMap(bytes: Bytes): { map: CborMap; rest: Bytes } | undefined {
  const reader = new Reader(bytes);
  try {
    return { map: reader.map(), rest: reader.rest() };
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
}

/** Major types, which stand in the top three bits of an item. */
const [UINT, BYTES, TEXT, LIST, MAP] = [0, 2, 3, 4, 5] as const;
/** The least numbers that do not fit into the low five bits, and into 1, 2 and 4 bytes behind them. */
const LEAST = [24, 2 ** 8, 2 ** 16, 2 ** 32] as const;

class Refused extends Error {}

class Reader {
  readonly #bytes: Bytes;
  #at = 0;

  constructor(bytes: Bytes) {
    this.#bytes = bytes;
  }

  map(): CborMap {
    const map: CborMap = new Map();
    let last = -1;
    for (let left = this.#head(MAP); left > 0; left -= 1) {
      const key = this.#head(UINT);
      // Of whole numbers in their shortest form the smaller is never the longer.
      if (key <= last) throw new Refused();
      last = key;
      map.set(key, this.#type() === LIST ? this.#list() : this.#item());
    }
    return map;
  }

  rest(): Bytes {
    return this.#bytes.subarray(this.#at);
  }

  #list(): CborItem[] {
    const list: CborItem[] = [];
    for (let left = this.#head(LIST); left > 0; left -= 1) list.push(this.#item());
    return list;
  }

  #item(): CborItem {
    const type = this.#type();
    if (type === UINT) return this.#head(UINT);
    if (type === BYTES) return this.#take(this.#head(BYTES));
    const text = utf8Decode(this.#take(this.#head(TEXT)));
    if (text === undefined) throw new Refused();
    return text;
  }

  /** The type of the item that comes next. */
  #type(): number | undefined {
    const first = this.#bytes[this.#at];
    return first === undefined ? undefined : first >> 5;
  }

  /** Reads the number that an item of this type begins with: a whole number itself, else how much there is of what follows. */
  #head(type: number): number {
    const first = this.#byte();
    if (first >> 5 !== type) throw new Refused();
    const short = first & 31;
    if (short < LEAST[0]) return short;
    const least = LEAST[short - LEAST[0]];
    if (least === undefined) throw new Refused();
    let number = 0;
    for (let left = 2 ** (short - LEAST[0]); left > 0; left -= 1) number = number * 256 + this.#byte();
    if (number < least || number > Number.MAX_SAFE_INTEGER) throw new Refused();
    return number;
  }

  #byte(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new Refused();
    this.#at += 1;
    return byte;
  }

  #take(length: number): Bytes {
    if (length > this.#bytes.length - this.#at) throw new Refused();
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }
}

export function asText(value: CborValue | undefined): string | undefined {
  return typeof value === 'string' && value.isWellFormed() ? value : undefined;
}

export function asBytes(value: CborValue | undefined): Bytes | undefined {
  return value instanceof Uint8Array ? value : undefined;
}

/** A whole number from 0 to 2^53 - 1. */
export function asCount(value: CborValue | undefined): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

export function asList(value: CborValue | undefined): readonly CborValue[] | undefined {
  return Array.isArray(value) ? (value as readonly CborValue[]) : undefined;
}
