/** Keyed and unkeyed BLAKE2b, and the one way in which a key is derived from another. */
import { assertLength, concat, utf8, type Bytes } from '../bytes.ts';
import type { Label } from './labels.ts';
import { sodium } from './sodium.ts';

export const KEY_BYTES = 32;

const SEPARATOR = new Uint8Array([0]);

/** BLAKE2b of `data`, 16 to 64 bytes long, keyed when `key` (32 bytes) is given. @throws RangeError for a key of another length */
export function blake2b(length: number, data: Bytes, key?: Bytes): Bytes {
  // libsodium takes keys of 0 to 64 bytes, and an empty one would be none at all.
  if (key !== undefined) assertLength(key, KEY_BYTES, 'key');
  return sodium.crypto_generichash(length, data, key ?? null);
}

/**
 * Derives the subkey (32 bytes) of `key` for one purpose: BLAKE2b-256 keyed by `key` over `label || 0x00 || context`.
 * Labels hold no zero byte, so two different pairs never meet.
 */
export function deriveKey(key: Bytes, label: Label, context: Bytes = new Uint8Array()): Bytes {
  return blake2b(KEY_BYTES, concat(utf8(label), SEPARATOR, context), key);
}

/** As `deriveKey`, of another length and without a key: for public identifiers and checksums, never for secrets. */
export function labelledHash(length: number, label: Label, data: Bytes): Bytes {
  return blake2b(length, concat(utf8(label), SEPARATOR, data));
}
