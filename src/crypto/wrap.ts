/**
 * Wrapped keys: a 32-byte key sealed by another one, with a checksum that needs no key.
 *
 *     nonce(24) || ciphertext(32) || tag(16) || checksum(8)
 *
 * The checksum tells a damaged wrapping from a wrong key. It is no protection: who tampers on purpose can recompute it,
 * and will then be reported as a wrong key. The associated data is `label || 0x00 || context`.
 */
import { assertLength, concat, equalBytes, utf8, type Bytes } from '../bytes.ts';
import { MemgitError } from '../errors.ts';
import { deriveKey, KEY_BYTES, labelledHash } from './kdf.ts';
import { LABELS, type Label } from './labels.ts';
import { sodium, type RandomSource } from './sodium.ts';

const NONCE_BYTES = 24;
const TAG_BYTES = 16;
const CHECKSUM_BYTES = 8;
const BODY_BYTES = NONCE_BYTES + KEY_BYTES + TAG_BYTES;

export const WRAPPED_BYTES = BODY_BYTES + CHECKSUM_BYTES;

/** What the wrapped key is for, and where it stands. */
export interface WrapContext {
  readonly label: Label;
  readonly context: Bytes;
}

export function wrapKey(key: Bytes, wrappingKey: Bytes, context: WrapContext, random: RandomSource): Bytes {
  assertLength(key, KEY_BYTES, 'key to wrap');
  const nonce = random(NONCE_BYTES);
  const sealed = sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(
    key, associatedData(context), null, nonce, purposeKey(wrappingKey, context),
  );
  const body = concat(nonce, sealed);
  return concat(body, checksum(body));
}

/** @throws DAMAGED_SLOT when the checksum does not match, WRONG_KEY when it does and the key does not open it */
export function unwrapKey(wrapped: Bytes, wrappingKey: Bytes, context: WrapContext): Bytes {
  const body = wrapped.subarray(0, BODY_BYTES);
  if (wrapped.length !== WRAPPED_BYTES || !equalBytes(wrapped.subarray(BODY_BYTES), checksum(body))) {
    throw new MemgitError('DAMAGED_SLOT', 'a wrapped key is damaged: its checksum does not match; restore the file from a backup');
  }
  const key = purposeKey(wrappingKey, context);
  try {
    return sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(null, body.subarray(NONCE_BYTES), associatedData(context), body.subarray(0, NONCE_BYTES), key);
  } catch {
    throw new MemgitError('WRONG_KEY', 'the key does not open this slot: it is another key, or the slot was tampered with');
  }
}

function purposeKey(wrappingKey: Bytes, { label }: WrapContext): Bytes {
  return deriveKey(wrappingKey, label);
}

function associatedData({ label, context }: WrapContext): Bytes {
  return concat(utf8(label), new Uint8Array([0]), context);
}

function checksum(body: Bytes): Bytes {
  return labelledHash(16, LABELS.wrapChecksum, body).subarray(0, CHECKSUM_BYTES);
}
