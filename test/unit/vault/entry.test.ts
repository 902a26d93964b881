import fc from 'fast-check';
import { concat, fromHex, toHex } from '../../../src/bytes.ts';
import { encodeMap, type CborValue } from '../../../src/vault/cbor.ts';
import { decodeEntry, directoryEntry, encodeEntry, fileEntry } from '../../../src/vault/entry.ts';
import { paddedEntryLength, pad } from '../../../src/vault/padding.ts';
import { parsePath } from '../../../src/vault/path.ts';
import type { Payload } from '../../../src/vault/payload.ts';
import { flipped, matching, outcome } from '../../support/codes.ts';

const path = parsePath('/memories/notes/a.txt');
const blob = '0123456789abcdef0123456789abcdef01234567';

test('a file comes back with its path, size, encoding and base', () => {
  const base = fc.record({ blob: fc.constant(blob), depth: fc.integer({ min: 1, max: 32 }) });
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2000 }), fc.constantFrom('raw', 'deflate', 'delta'), base, fc.nat(64 * 1024 * 1024), (bytes, encoding, origin, anySize) => {
      const payload: Payload = { encoding, bytes, ...(encoding === 'delta' && { base: origin }) };
      const size = encoding === 'raw' ? bytes.length : anySize;
      const plaintext = encodeEntry(fileEntry(path, size, payload));
      expect(paddedEntryLength(plaintext.length)).toBe(plaintext.length);
      const decoded = decodeEntry(plaintext);
      expect(decoded.header).toEqual({ path, kind: 'file', size, encoding, base: encoding === 'delta' ? origin : undefined });
      expect(toHex(decoded.payload)).toBe(toHex(bytes));
    }),
  );
});

test('an empty directory comes back, and looks like a small file from outside', () => {
  expect(decodeEntry(encodeEntry(directoryEntry(path))).header).toEqual({ path, kind: 'directory', size: 0, encoding: 'raw', base: undefined });
  expect(encodeEntry(directoryEntry(path)).length).toBe(encodeEntry(fileEntry(path, 1, { encoding: 'raw', bytes: new Uint8Array(1) })).length);
});

test('no byte can change without another meaning or CORRUPT', () => {
  const plaintext = encodeEntry(fileEntry(path, 300, { encoding: 'delta', bytes: Buffer.alloc(250, 7), base: { blob, depth: 3 } }));
  for (let at = 0; at < plaintext.length; at++) {
    const result = outcome(() => decodeEntry(flipped(plaintext, at, 3)));
    if ('code' in result) expect(result.code).toBe('CORRUPT');
    else expect(result.value).not.toEqual(decodeEntry(plaintext));
  }
});

/** The header of a raw file of three bytes, changed, with a payload and padding that fit it. */
function forged(changes: Record<number, CborValue | undefined>, payload = 'abc'): Uint8Array {
  const fields = { 0: 'a.txt', 1: 0, 2: 3, 3: 0, 4: 3, ...changes } as Record<number, CborValue | undefined>;
  const header = new Map(Object.entries(fields).flatMap(([key, value]) => (value === undefined ? [] : [[Number(key), value] as const])));
  const body = concat(encodeMap(header), Buffer.from(payload));
  return pad(body, paddedEntryLength(body.length));
}

test('the header that the others depart from is good', () => expect(Buffer.from(decodeEntry(forged({})).payload).toString()).toBe('abc'));

test.each<[string, Uint8Array]>([
  ['the root as its path', forged({ 0: '' })],
  ['a path that climbs', forged({ 0: 'a/../b' })],
  ['a path with an empty segment', forged({ 0: 'a//b' })],
  ['a path that begins with a slash', forged({ 0: '/a' })],
  ['a path with a control character', forged({ 0: 'a\nb' })],
  ['a path with a backslash', forged({ 0: 'a\\b' })],
  ['a segment that is too long', forged({ 0: 'x'.repeat(256) })],
  ['a path that is too long', forged({ 0: `${'x/'.repeat(600)}x` })],
  ['a path that is not text', forged({ 0: 7 })],
  ['no path', forged({ 0: undefined })],
  ['an unknown kind', forged({ 1: 2 })],
  ['an unknown encoding', forged({ 3: 3 })],
  ['an unknown field', forged({ 9: 1 })],
  ['a size over 64 MiB', forged({ 2: 64 * 1024 * 1024 + 1, 3: 1 })],
  ['a raw payload of another size', forged({ 2: 4 })],
  ['a payload longer than the entry', forged({ 2: 9000, 4: 9000 })],
  ['a directory with a size', forged({ 1: 1 })],
  ['a directory with a payload', forged({ 1: 1, 2: 0 })],
  ['a base without a delta', forged({ 5: fromHex(blob)!, 6: 1 })],
  ['a delta without a base', forged({ 3: 2 })],
  ['a delta of depth 0', forged({ 3: 2, 5: fromHex(blob)!, 6: 0 })],
  ['a delta of depth 33', forged({ 3: 2, 5: fromHex(blob)!, 6: 33 })],
  ['a base that is no oid', forged({ 3: 2, 5: new Uint8Array(32), 6: 1 })],
  ['more padding than it needs', pad(forged({}), 512)],
  ['less padding than it needs', forged({}).subarray(0, 128)],
  ['padding that is not zeros', flipped(forged({}), 255)],
  ['nothing', new Uint8Array()],
])('an entry with %s is CORRUPT', (_, plaintext) => expect(() => decodeEntry(plaintext)).toThrow(matching('CORRUPT')));

test.each(['\ufeffbom', 'a%2fb', '\u{105D2}\u0307', 'cafe\u0301', '...', '.x', ' '])('the path %j reads, whatever this version of Unicode or of path.ts says of it', (odd) => {
  expect(decodeEntry(forged({ 0: odd })).header.path).toBe(odd);
});
