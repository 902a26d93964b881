/**
 * The text form of a store key: `memgit-key-` followed by base32 of `key(32) || checksum(3)`, 56 characters.
 * The checksum makes a typing error a typing error instead of a wrong key; it hides nothing and proves nothing.
 */
import { assertLength, concat, equalBytes, fromBase32, toBase32, type Bytes } from '../bytes.ts';
import { MemgitError } from '../errors.ts';
import { KEY_BYTES, labelledHash } from './kdf.ts';
import { LABELS } from './labels.ts';

const PREFIX = 'memgit-key-';
const CHECKSUM_BYTES = 3;

export function formatKey(key: Bytes): string {
  assertLength(key, KEY_BYTES, 'store key');
  return PREFIX + toBase32(concat(key, checksum(key)));
}

/**
 * Reads a key from its text form. Surrounding white space and the case of letters do not matter.
 *
 * @throws KEY_MALFORMED; the message says what is wrong and never repeats the text
 */
export function parseKey(text: string): Bytes {
  const trimmed = text.trim().toLowerCase();
  if (!trimmed.startsWith(PREFIX)) {
    throw new MemgitError('KEY_MALFORMED', `expected a key that begins with "${PREFIX}", got other text`);
  }
  const bytes = fromBase32(trimmed.slice(PREFIX.length));
  if (bytes?.length !== KEY_BYTES + CHECKSUM_BYTES) {
    throw new MemgitError(
      'KEY_MALFORMED',
      `expected 56 letters a-z and digits 2-7 after "${PREFIX}", got ${trimmed.length - PREFIX.length} characters; is the key cut short or mistyped?`,
    );
  }
  const key = bytes.subarray(0, KEY_BYTES);
  if (!equalBytes(bytes.subarray(KEY_BYTES), checksum(key))) {
    throw new MemgitError('KEY_MALFORMED', 'the key was mistyped: its checksum does not match');
  }
  return key;
}

function checksum(key: Bytes): Bytes {
  return labelledHash(16, LABELS.keyTextChecksum, key).subarray(0, CHECKSUM_BYTES);
}
