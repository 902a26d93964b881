/**
 * The plaintext of an entry (docs/FORMAT.md, "Entry"): `header || payload || padding`, where the header is canonical CBOR
 *
 *     { 0: path, 1: kind (0 file, 1 empty directory), 2: size, 3: encoding, 4: payload length, 5: base oid(20), 6: depth }
 *
 * with 5 and 6 present exactly when the encoding is a delta. Pure: sealing is done by the caller.
 */
import { concat, fromHex, toHex, type Bytes } from '../bytes.ts';
import { MemgitError } from '../errors.ts';
import { asBytes, asCount, asText, decodeMap, encodeMap, type CborValue } from './cbor.ts';
import { isPadding, pad, paddedEntryLength } from './padding.ts';
import type { MemoryPath } from './path.ts';
import { ENCODINGS, MAX_DELTA_DEPTH, MAX_FILE_BYTES, type Encoding, type Payload } from './payload.ts';
import { isStoredPath } from './stored-path.ts';

const KEYS = { path: 0, kind: 1, size: 2, encoding: 3, payloadLength: 4, base: 5, depth: 6 } as const;
const ENTRY_KINDS = ['file', 'directory'] as const;
const OID_BYTES = 20;

export interface EntryHeader {
  readonly path: MemoryPath;
  readonly kind: (typeof ENTRY_KINDS)[number];
  /** Bytes of the file; 0 for a directory. */
  readonly size: number;
  readonly encoding: Encoding;
  /** The blob that the delta builds on, and how many deltas lie between this entry and one in full. */
  readonly base: { readonly blob: string; readonly depth: number } | undefined;
}

export interface DecodedEntry {
  readonly header: EntryHeader;
  readonly payload: Bytes;
}

/** An entry out of its envelope: with the epoch it was sealed in, and the name that its path has there. */
export interface OpenedEntry extends DecodedEntry {
  readonly epochId: string;
  readonly name: string;
}

/** The entry of a file of `size` bytes. */
export function fileEntry(path: MemoryPath, size: number, { encoding, bytes, base }: Payload): DecodedEntry {
  return { header: { path, kind: 'file', size, encoding, base }, payload: bytes };
}

/** The marker of an empty directory. */
export function directoryEntry(path: MemoryPath): DecodedEntry {
  return { header: { path, kind: 'directory', size: 0, encoding: 'raw', base: undefined }, payload: new Uint8Array() };
}

export function encodeEntry({ header: { path, kind, size, encoding, base }, payload }: DecodedEntry): Bytes {
  const header = new Map<number, CborValue>([
    [KEYS.path, path],
    [KEYS.kind, ENTRY_KINDS.indexOf(kind)],
    [KEYS.size, size],
    [KEYS.encoding, ENCODINGS[encoding]],
    [KEYS.payloadLength, payload.length],
  ]);
  if (base !== undefined) {
    header.set(KEYS.base, fromHex(base.blob)!);
    header.set(KEYS.depth, base.depth);
  }
  const body = concat(encodeMap(header), payload);
  return pad(body, paddedEntryLength(body.length));
}

/** @throws CORRUPT for anything that `encodeEntry` would not have written */
export function decodeEntry(plaintext: Bytes): DecodedEntry {
  const decoded = decodeMap(plaintext);
  const header = decoded && readHeader(decoded.map);
  if (!decoded || !header) throw new MemgitError('CORRUPT', 'an entry has no valid header');
  const payloadLength = asCount(decoded.map.get(KEYS.payloadLength));
  if (payloadLength === undefined || payloadLength > decoded.rest.length) {
    throw new MemgitError('CORRUPT', 'an entry is shorter than its header says');
  }
  // A raw payload is the file itself; a directory, always raw, has none.
  if (header.encoding === 'raw' && payloadLength !== header.size) throw new MemgitError('CORRUPT', 'an entry holds other than the bytes of its file');
  const bodyLength = plaintext.length - decoded.rest.length + payloadLength;
  if (paddedEntryLength(bodyLength) !== plaintext.length || !isPadding(plaintext.subarray(bodyLength))) {
    throw new MemgitError('CORRUPT', 'an entry is not padded as the format says');
  }
  return { header, payload: decoded.rest.subarray(0, payloadLength) };
}

function readHeader(map: ReadonlyMap<number, CborValue>): EntryHeader | undefined {
  const path = asText(map.get(KEYS.path));
  const kind = ENTRY_KINDS[asCount(map.get(KEYS.kind)) ?? -1];
  const size = asCount(map.get(KEYS.size));
  const encodingNumber = asCount(map.get(KEYS.encoding));
  const encoding = (Object.keys(ENCODINGS) as Encoding[]).find((name) => ENCODINGS[name] === encodingNumber);
  if (path === undefined || kind === undefined || size === undefined || encoding === undefined) return undefined;
  if (!isStoredPath(path) || size > MAX_FILE_BYTES || (kind === 'directory' && (size > 0 || encoding !== 'raw'))) return undefined;

  if (encoding !== 'delta') return map.size === 5 ? { path, kind, size, encoding, base: undefined } : undefined;
  const blob = asBytes(map.get(KEYS.base));
  const depth = asCount(map.get(KEYS.depth));
  if (map.size !== 7 || blob?.length !== OID_BYTES || depth === undefined || depth < 1 || depth > MAX_DELTA_DEPTH) return undefined;
  return { path, kind, size, encoding, base: { blob: toHex(blob), depth } };
}
