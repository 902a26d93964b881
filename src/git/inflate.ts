/** Inflates what git compressed, to a size that is known beforehand, so that hostile bytes cannot ask for more memory. */
import * as zlib from 'node:zlib';
import type { Bytes } from '../bytes.ts';
import { MemgitError } from '../errors.ts';

/** @throws CORRUPT when the bytes are torn or do not inflate to exactly `size` bytes */
export function inflate(bytes: Bytes, size: number): Bytes {
  const body = inflateWithin(bytes, size);
  if (body.length !== size) throw new MemgitError('CORRUPT', `expected ${size} bytes after inflating, got ${body.length}`);
  return body;
}

/** @throws CORRUPT when the bytes are torn or inflate to more than `maxBytes` */
export function inflateWithin(bytes: Bytes, maxBytes: number): Bytes {
  try {
    return zlib.inflateSync(bytes, { maxOutputLength: Math.max(maxBytes, 1) });
  } catch (error) {
    throw new MemgitError('CORRUPT', `expected compressed bytes of at most ${maxBytes} inflated, got torn or larger ones`, { cause: error });
  }
}
