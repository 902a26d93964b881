/** Inflates what git compressed, to a size that is known beforehand, so that hostile bytes cannot ask for more memory. */
import * as zlib from 'node:zlib';
import type { Bytes } from '../bytes.ts';
import { MemgitError } from '../errors.ts';

const STORED_HEADER_BYTES = 7;
const DEFLATE = 8;
/** 32 KiB, as a power of two less 8. */
const MAX_WINDOW = 7;
const PRESET_DICTIONARY = 0x20;
const ADLER_BYTES = 4;
const ADLER_BASE = 65_521;
const ADLER_RUN = 3_800;
const MIN_CHUNK_BYTES = 64;
const MAX_CHUNK_BYTES = 64 * 1024;

/** Inflates the stream that the bytes begin with; what follows it is not looked at. @throws CORRUPT when it is torn or gives other than `size` bytes */
export function inflate(bytes: Bytes, size: number): Bytes {
  const body = storedBody(bytes, size)?.body ?? inflateWithin(bytes, size);
  if (body.length !== size) throw new MemgitError('CORRUPT', `expected ${size} bytes after inflating, got ${body.length}`);
  return body;
}

/** @throws CORRUPT when the bytes are torn or inflate to more than `maxBytes` */
export function inflateWithin(bytes: Bytes, maxBytes: number): Bytes {
  // Most results fit into one chunk of their own size; zlib's own choice is 16 KiB for any.
  const chunkSize = Math.min(Math.max(maxBytes + 1, MIN_CHUNK_BYTES), MAX_CHUNK_BYTES);
  try {
    return zlib.inflateSync(bytes, { maxOutputLength: Math.max(maxBytes, 1), chunkSize });
  } catch (error) {
    throw new MemgitError('CORRUPT', `expected compressed bytes of at most ${maxBytes} inflated, got torn or larger ones`, { cause: error });
  }
}

/**
 * What does not compress, as ciphertext, stands in a stream as it is: `zlib header(2) || 01 || length(2) || its complement(2) || body ||
 * checksum(4)` (RFC 1950; RFC 1951, section 3.2.4). Taking it from there is what makes reading many entries fast. Only what zlib would take is
 * taken: entries go into packs of ours as they are, to be read by zlib. Whatever is not just so is left for zlib to refuse.
 */
export function storedBody(bytes: Bytes, size: number): { body: Bytes; consumed: number } | undefined {
  const [method = 0, flags = 0, block, low = 0, high = 0, notLow = 0, notHigh = 0] = bytes;
  const end = STORED_HEADER_BYTES + size;
  const isZlib = (method & 15) === DEFLATE && method >> 4 <= MAX_WINDOW && (method * 256 + flags) % 31 === 0 && (flags & PRESET_DICTIONARY) === 0;
  const isStored = block === 1 && (low ^ notLow) === 0xff && (high ^ notHigh) === 0xff && low + high * 256 === size;
  if (!isZlib || !isStored || bytes.length < end + ADLER_BYTES) return undefined;
  const body = bytes.subarray(STORED_HEADER_BYTES, end);
  if (new DataView(bytes.buffer, bytes.byteOffset).getUint32(end) !== adler32(body)) return undefined;
  return { body, consumed: end + ADLER_BYTES };
}

/** RFC 1950, section 8. Between two remainders the sums must stay below 2^31, where arithmetic is fast: 2 us for 1,200 bytes, where zlib takes 20. */
function adler32(bytes: Bytes): number {
  let a = 1;
  let b = 0;
  for (let at = 0; at < bytes.length; ) {
    const end = Math.min(at + ADLER_RUN, bytes.length);
    for (; at < end; at += 1) {
      a += bytes[at]!;
      b += a;
    }
    a %= ADLER_BASE;
    b %= ADLER_BASE;
  }
  return b * 2 ** 16 + a;
}
