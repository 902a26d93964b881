/**
 * zlib streams of bytes that do not compress, such as ciphertext: one block that holds them as they are (RFC 1950, RFC 1951 section
 * 3.2.4). It is what zlib itself would come to, without setting up its tables for each object.
 *
 *     78 01 || 01 || length(2) || its complement(2) || body || adler32(4, big endian)
 */
import type { Bytes } from '../bytes.ts';

/** The length of a block has 16 bits. */
export const MAX_STORED_BYTES = 0xffff;

const HEADER_BYTES = 7;
const ADLER_BYTES = 4;
const DEFLATE = 8;
/** 32 KiB, as a power of two less 8. */
const MAX_WINDOW = 7;
const PRESET_DICTIONARY = 0x20;
/** The largest prime below 2^16, and how many bytes can be summed up before a sum may pass 2^31, where arithmetic slows down. */
const ADLER_MODULUS = 65_521;
const ADLER_RUN = 3_800;

/** @throws RangeError for more than MAX_STORED_BYTES */
export function encodeStored(body: Bytes): Bytes {
  if (body.length > MAX_STORED_BYTES) throw new RangeError(`expected at most ${MAX_STORED_BYTES} bytes, got ${body.length}`);
  const stream = Buffer.allocUnsafe(HEADER_BYTES + body.length + ADLER_BYTES);
  stream.writeUInt16BE(0x7801, 0);
  stream.writeUInt8(1, 2);
  stream.writeUInt16LE(body.length, 3);
  stream.writeUInt16LE(body.length ^ 0xffff, 5);
  stream.set(body, HEADER_BYTES);
  stream.writeUInt32BE(adler32(body), HEADER_BYTES + body.length);
  return stream;
}

/**
 * Takes `size` bytes out of the stream that `bytes` begin with, and tells how long it was; `undefined` unless it is a whole one of the form
 * above, with whatever header and level zlib would take. What zlib would refuse must be refused here: entries that came from elsewhere go into
 * packs as they are, for git to read.
 */
export function decodeStored(bytes: Bytes, size: number): { body: Bytes; consumed: number } | undefined {
  const [method = 0, flags = 0, block, low = 0, high = 0, notLow = 0, notHigh = 0] = bytes;
  const end = HEADER_BYTES + size;
  const isZlib = (method & 15) === DEFLATE && method >> 4 <= MAX_WINDOW && (method * 256 + flags) % 31 === 0 && (flags & PRESET_DICTIONARY) === 0;
  const isStored = block === 1 && (low ^ notLow) === 0xff && (high ^ notHigh) === 0xff && low + high * 256 === size;
  if (!isZlib || !isStored || bytes.length < end + ADLER_BYTES) return undefined;
  const body = bytes.subarray(HEADER_BYTES, end);
  if (new DataView(bytes.buffer, bytes.byteOffset).getUint32(end) !== adler32(body)) return undefined;
  return { body, consumed: end + ADLER_BYTES };
}

function adler32(bytes: Bytes): number {
  let [low, high] = [1, 0];
  for (let at = 0; at < bytes.length; ) {
    for (const end = Math.min(at + ADLER_RUN, bytes.length); at < end; at += 1) {
      low += bytes[at]!;
      high += low;
    }
    low %= ADLER_MODULUS;
    high %= ADLER_MODULUS;
  }
  return high * 0x10000 + low;
}
