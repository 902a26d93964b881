/**
 * The room of cborg: canonical CBOR (RFC 8949 section 4.2.3, length-first key order) of maps with small integer keys.
 * One value has one encoding: what was decoded must encode to the same bytes again.
 */
import { decodeFirst, encode, Tokenizer, type DecodeOptions, type Token } from 'cborg';
import { equalBytes, utf8Decode, type Bytes } from '../bytes.ts';

export type CborValue = string | number | Bytes | readonly CborValue[];
export type CborMap = Map<number, CborValue>;

export function encodeMap(map: ReadonlyMap<number, CborValue>): Bytes {
  return encode(map);
}

const OPTIONS: DecodeOptions = {
  useMaps: true,
  strict: true,
  rejectDuplicateMapKeys: true,
  retainStringBytes: true,
  allowIndefinite: false,
  allowUndefined: false,
  allowInfinity: false,
  allowNaN: false,
  allowBigInt: false,
};

/** cborg's own decoding drops a byte order mark at the beginning of a text, and so would turn a path or a note into another. */
class ExactText extends Tokenizer {
  override next(): Token {
    const token = super.next();
    if (token.byteValue !== undefined) token.value = utf8Decode(token.byteValue);
    return token;
  }
}

/** Decodes the map at the beginning of `bytes` and returns it with what follows; `undefined` unless it is canonical. */
export function decodeMap(bytes: Bytes): { map: CborMap; rest: Bytes } | undefined {
  try {
    const [value, rest] = decodeFirst(bytes, { ...OPTIONS, tokenizer: new ExactText(bytes, OPTIONS) }) as [unknown, Bytes];
    if (!(value instanceof Map) || ![...value.keys()].every((key) => Number.isInteger(key))) return undefined;
    const canonical = equalBytes(encode(value), bytes.subarray(0, bytes.length - rest.length));
    return canonical ? { map: value as CborMap, rest } : undefined;
  } catch {
    return undefined;
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
