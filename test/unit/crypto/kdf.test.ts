/** Known answers are from RFC 7693 and, for keyed hashes, from the hashlib module of Python 3.11. */
import { createHash } from 'node:crypto';
import { toHex, utf8 } from '../../../src/bytes.ts';
import { blake2b, deriveKey, labelledHash } from '../../../src/crypto/kdf.ts';
import { LABELS } from '../../../src/crypto/labels.ts';
import { ready } from '../../../src/crypto/sodium.ts';

beforeAll(() => ready);

const key = Uint8Array.from({ length: 32 }, (_, i) => i);

test('BLAKE2b gives the answers of RFC 7693, of OpenSSL and of Python', () => {
  expect(toHex(blake2b(64, utf8('abc')))).toBe(
    'ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d17d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923',
  );
  const long = Buffer.alloc(1000, 'memgit');
  expect(toHex(blake2b(64, long))).toBe(createHash('blake2b512').update(long).digest('hex'));
  expect(toHex(blake2b(32, utf8(''), key))).toBe('4e51e7a913fc80137da52880fecca175bf81e117d5c68126dc2774033517ea0d');
  expect(toHex(blake2b(20, utf8('a/b.txt'), key))).toBe('2267135ca05fb44e0d7f56ff547df86a909855a7');
  expect(toHex(blake2b(16, Uint8Array.from({ length: 200 }, (_, i) => i), key))).toBe('8aa5152a0f33a31b72568b613ea3c92e');
});

test('a subkey is the keyed hash of label, zero and context', () => {
  expect(toHex(deriveKey(key, LABELS.entrySeal))).toBe('dce36f4a10c55e0e57689eed0d6c6a1b0b7a551b2564598e0ed54a86e16d44bb');
  expect(toHex(deriveKey(key, LABELS.vaultWrap, new Uint8Array(20)))).toBe('e5b42791e91378ed3d8057c36be1fc6930962b3416547d3b8e7204ff14082a20');
  expect(toHex(labelledHash(16, LABELS.keyTextChecksum, key))).toBe('e377a7d35bb8d69b441f8c62e8ffe019');
});

test('a key of any length but 32 bytes is refused: libsodium would take 0 to 64, and 0 would be no key', () => {
  for (const length of [0, 16, 31, 33, 64]) expect(() => deriveKey(new Uint8Array(length), LABELS.entrySeal)).toThrow(RangeError);
});

test('labels differ, hold no zero byte, and none but the repository id is free of the version', () => {
  const labels = Object.values(LABELS);
  expect(new Set(labels).size).toBe(labels.length);
  for (const label of labels) expect(label).toMatch(/^memgit ?1( [a-z]+)*$/);
});
