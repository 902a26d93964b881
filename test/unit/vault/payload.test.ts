import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { concat, toHex } from '../../../src/bytes.ts';
import { decodePayload, encodePayload, MAX_DELTA_DEPTH, MAX_FILE_BYTES, sharedEnds, type Base } from '../../../src/vault/payload.ts';
import { flipped, matching, outcome } from '../../support/codes.ts';
import { fixedRandom } from '../../support/fixed-random.ts';

const blob = '0'.repeat(40);
const baseOf = (content: Uint8Array, depth = 0): Base => ({ blob, depth, content });
const words = fc.array(fc.constantFrom('the ', 'memory ', 'of ', 'an agent\n', 'caf\u00e9 ', '0123456789'), { maxLength: 400 }).map((parts) => Buffer.from(parts.join('')));
const content = fc.oneof(words, fc.uint8Array({ maxLength: 600 }), fc.tuple(fc.integer({ min: 0, max: 90_000 }), words).map(([length, tail]) => concat(Buffer.alloc(length, 'abcdefgh long '), tail)));

test('content comes back, in full and against any base', async () => {
  await fc.assert(
    fc.asyncProperty(content, content, fc.nat(100), async (before, middle, cut) => {
      // An edit somewhere in the base, which is what deltas are for, or something else altogether.
      for (const after of [middle, concat(before.subarray(0, cut), middle, before.subarray(cut * 2))]) {
        for (const base of [undefined, baseOf(before)]) {
          const payload = await encodePayload(after, 'deflate', base);
          expect(toHex(decodePayload(payload.encoding, payload.bytes, after.length, payload.base && before))).toBe(toHex(after));
        }
      }
    }),
  );
});

test('a small edit in a long text is a small delta, one deeper than its base', async () => {
  const random = fixedRandom('payload');
  const before = Buffer.from(toHex(random(60_000)));
  const after = concat(before.subarray(0, 50_000), Buffer.from('an edit'), before.subarray(50_010));
  const payload = await encodePayload(after, 'deflate', baseOf(before, 4));
  expect(payload).toMatchObject({ encoding: 'delta', base: { blob, depth: 5 } });
  expect(payload.bytes.length).toBeLessThan(40);
});

test('at the deepest allowed base a version is written in full', async () => {
  const before = Buffer.alloc(5000, 'some text ');
  const after = concat(before, Buffer.from('x'));
  expect((await encodePayload(after, 'deflate', baseOf(before, MAX_DELTA_DEPTH))).encoding).not.toBe('delta');
});

test('without compression the payload is the content, whatever the base', async () => {
  const text = Buffer.alloc(5000, 'a');
  expect(await encodePayload(text, 'none', baseOf(text))).toEqual({ encoding: 'raw', bytes: text });
});

test('a file over the limit is refused', async () => {
  await expect(encodePayload(new Uint8Array(MAX_FILE_BYTES + 1), 'none', undefined)).rejects.toThrow(matching('TOO_LARGE'));
});

test('inflating stops at the declared size', () => {
  const bomb = deflateRawSync(Buffer.alloc(10_000_000));
  expect(() => decodePayload('deflate', bomb, 1000, undefined)).toThrow(matching('TOO_LARGE'));
  expect(() => decodePayload('deflate', bomb, 0, undefined)).toThrow(matching('TOO_LARGE'));
  expect(() => decodePayload('delta', concat(Uint8Array.of(0, 0), bomb), 1000, new Uint8Array())).toThrow(matching('TOO_LARGE'));
});

test.each<[string, () => unknown]>([
  ['a raw payload of another size', () => decodePayload('raw', new Uint8Array(3), 4, undefined)],
  ['a payload that inflates to less', () => decodePayload('deflate', deflateRawSync('abc'), 4, undefined)],
  ['a payload with bytes behind it', () => decodePayload('deflate', concat(deflateRawSync('abc'), Uint8Array.of(0)), 3, undefined)],
  ['a payload cut short', () => decodePayload('deflate', deflateRawSync('abcdefgh').subarray(0, -1), 8, undefined)],
  ['a delta without its base', () => decodePayload('delta', Uint8Array.of(0, 0, 3, 0), 0, undefined)],
  ['a delta that shares more than there is', () => decodePayload('delta', Uint8Array.of(2, 2, 3, 0), 4, new Uint8Array(3))],
  ['a delta that shares more than the result holds', () => decodePayload('delta', Uint8Array.of(2, 2, 3, 0), 3, new Uint8Array(9))],
  ['a count in a longer form', () => decodePayload('delta', Uint8Array.of(0x80, 0, 0, 3, 0), 0, new Uint8Array())],
  ['a count without an end', () => decodePayload('delta', Uint8Array.of(0x80, 0x80, 0x80, 0x80, 0x80, 0x80), 0, new Uint8Array())],
  ['an empty delta', () => decodePayload('delta', new Uint8Array(), 0, new Uint8Array())],
])('%s is CORRUPT', (_, decode) => expect(decode).toThrow(matching('CORRUPT')));

test('any changed byte gives a code or other content of the same size, never an exception of zlib', async () => {
  const before = Buffer.alloc(3000, 'some text here ');
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.integer({ min: 1, max: 255 }), async (at, xor) => {
      const after = concat(before.subarray(0, 900), Buffer.from('something else altogether, and longer'), before.subarray(1000));
      for (const base of [undefined, baseOf(before)]) {
        const payload = await encodePayload(after, 'deflate', base);
        const changed = flipped(payload.bytes, at % payload.bytes.length, xor);
        const result = outcome(() => decodePayload(payload.encoding, changed, after.length, payload.base && before));
        if ('code' in result) expect(['CORRUPT', 'TOO_LARGE']).toContain(result.code);
        else expect(result.value.length).toBe(after.length);
      }
    }),
  );
});

test('shared ends never overlap and are as long as can be', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(1, 2), { maxLength: 12 }), fc.array(fc.constantFrom(1, 2), { maxLength: 12 }), (a, b) => {
      const { prefix, suffix } = sharedEnds(Uint8Array.from(a), Uint8Array.from(b));
      expect(a.slice(0, prefix)).toEqual(b.slice(0, prefix));
      expect(a.slice(a.length - suffix)).toEqual(b.slice(b.length - suffix));
      const most = Math.min(a.length, b.length);
      expect(prefix + suffix).toBeLessThanOrEqual(most);
      if (prefix + suffix < most) {
        expect(a[prefix]).not.toBe(b[prefix]);
        expect(a.at(-1 - suffix)).not.toBe(b.at(-1 - suffix));
      }
    }),
  );
});
