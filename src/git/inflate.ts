/** Inflates what git compressed, to a size that is known beforehand, so that hostile bytes cannot ask for more memory. */
import * as zlib from 'node:zlib';
import type { Bytes } from '../bytes.ts';
import { MemgitError } from '../errors.ts';
import { decodeStored } from './stored.ts';

const MIN_CHUNK_BYTES = 64;
const MAX_CHUNK_BYTES = 64 * 1024;

/** Inflates the stream that the bytes begin with; what follows it is not looked at. @throws CORRUPT when it is torn or gives other than `size` bytes */
export function inflate(bytes: Bytes, size: number): Bytes {
  const body = decodeStored(bytes, size)?.body ?? inflateWithin(bytes, size);
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
