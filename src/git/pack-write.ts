/**
 * Builds a pack (version 2) and its index (version 2) in memory. Objects are stored whole, never as deltas, so that their
 * compressed bytes can later be copied into a bigger pack as they are. Pure but for the time it takes: no files here.
 *
 *     pack  = "PACK" || version(4) || count(4) || entry... || sha1(20)
 *     entry = size and type, 7 bits a byte after the first 4 || deflate(body)
 *     index = ff "tOc" || version(4) || fan-out(256 * 4) || oid(20)... || crc32(4)... || offset(4)... || sha1 of pack(20) || sha1(20)
 */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { concat, concatAll, toHex, type Bytes } from '../bytes.ts';
import { MemgitError } from '../errors.ts';
import { oidOf, oidToBytes, MAX_OBJECT_BYTES, type GitObject, type ObjectType, type Oid } from './objects.ts';
import { encodeStored, MAX_STORED_BYTES } from './stored.ts';

/** One object as it stands in a pack: header and compressed body. */
export interface PackEntry {
  readonly oid: Oid;
  readonly bytes: Bytes;
  readonly crc32: number;
}

export interface Pack {
  /** Hexadecimal of the pack's own checksum, which names its files: packs of one name are one pack. */
  readonly name: string;
  readonly pack: Bytes;
  readonly index: Bytes;
}

const TYPE_CODES: Readonly<Record<ObjectType, number>> = { commit: 1, tree: 2, blob: 3 };

/** Trees and commits shrink little more at a higher level: 1,200 bytes of tree gave 953 at level 1, 954 at 6. */
const LEVEL = 1;

/** Smaller bodies are compressed on the spot: 0.02 ms, where a trip to the thread pool takes 0.3. */
const SYNC_BYTES = 64 * 1024;

/** For a body of this size zlib needs a tenth of its tables, which are 268 KB that have to be allocated and collected. */
const SMALL_BYTES = 3 * 1024;
const SMALL_TABLES = { windowBits: 12, memLevel: 5 };

/** The offsets of an index are 31 bits wide here; git's 64-bit extension is read but never needed for writing. */
const MAX_PACK_BYTES = 0x7fffffff;

const deflate = promisify<Bytes, zlib.ZlibOptions, Buffer>(zlib.deflate);

/** @throws TOO_LARGE when the body exceeds MAX_OBJECT_BYTES */
export async function encodePackEntry({ type, body }: GitObject): Promise<PackEntry> {
  if (body.length > MAX_OBJECT_BYTES) {
    throw new MemgitError('TOO_LARGE', `expected an object of at most ${MAX_OBJECT_BYTES} bytes, got ${body.length}`);
  }
  const bytes = concat(encodeEntryHeader(type, body.length), await compressed(type, body));
  return { oid: oidOf(type, body), bytes, crc32: zlib.crc32(bytes) };
}

/** The blobs of a memory are ciphertext, which does not shrink. */
async function compressed(type: ObjectType, body: Bytes): Promise<Bytes> {
  if (type === 'blob' && body.length <= MAX_STORED_BYTES) return encodeStored(body);
  const options = { level: LEVEL, ...(body.length <= SMALL_BYTES ? SMALL_TABLES : {}) };
  return body.length <= SYNC_BYTES ? zlib.deflateSync(body, options) : deflate(body, options);
}

/** Puts entries, in the order given, into one pack. Their oids must be distinct. */
export function assemblePack(entries: readonly PackEntry[]): Pack {
  const header = Buffer.alloc(12);
  header.write('PACK', 'latin1');
  header.writeUInt32BE(2, 4);
  header.writeUInt32BE(entries.length, 8);
  const content = concatAll([header, ...entries.map(({ bytes }) => bytes)]);
  if (content.length > MAX_PACK_BYTES) {
    throw new MemgitError('TOO_LARGE', `expected the objects of one change to fit ${MAX_PACK_BYTES} bytes, got ${content.length}`);
  }
  const checksum = sha1(content);
  return { name: toHex(checksum), pack: concat(content, checksum), index: encodeIndex(entries, checksum) };
}

function encodeEntryHeader(type: ObjectType, size: number): Bytes {
  const bytes: number[] = [];
  let byte = (TYPE_CODES[type] << 4) | (size & 15);
  for (let rest = size >>> 4; rest > 0; rest >>>= 7) {
    bytes.push(byte | 0x80);
    byte = rest & 0x7f;
  }
  bytes.push(byte);
  return Uint8Array.from(bytes);
}

function encodeIndex(entries: readonly PackEntry[], packChecksum: Bytes): Bytes {
  let offset = 12;
  const rows = entries.map(({ oid, bytes, crc32 }) => {
    const row = { oid, crc32, offset };
    offset += bytes.length;
    return row;
  });
  rows.sort((a, b) => (a.oid < b.oid ? -1 : 1));

  const fanOut = Array.from({ length: 256 }, () => 0);
  for (const { oid } of rows) fanOut[Number.parseInt(oid.slice(0, 2), 16)]! += 1;
  for (let i = 1; i < 256; i += 1) fanOut[i]! += fanOut[i - 1]!;

  const content = concatAll([
    Uint8Array.of(0xff, 0x74, 0x4f, 0x63),
    uint32s([2]),
    uint32s(fanOut),
    ...rows.map(({ oid }) => oidToBytes(oid)),
    uint32s(rows.map((row) => row.crc32)),
    uint32s(rows.map((row) => row.offset)),
    packChecksum,
  ]);
  return concat(content, sha1(content));
}

function uint32s(values: readonly number[]): Bytes {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, i) => bytes.writeUInt32BE(value, i * 4));
  return bytes;
}

function sha1(bytes: Bytes): Bytes {
  return createHash('sha1').update(bytes).digest();
}
