import fc from 'fast-check';
import { concat, fromHex, toHex } from '../../../src/bytes.ts';
import { decodeMap, encodeMap, type CborValue } from '../../../src/vault/cbor.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 60 });
const value: fc.Arbitrary<CborValue> = fc.oneof(text, text.map((rest) => `\ufeff${rest}`), fc.maxSafeNat(), fc.uint8Array({ maxLength: 300 }), fc.array(text, { maxLength: 4 }));
const map = fc.uniqueArray(fc.tuple(fc.nat(300), value), { selector: ([key]) => key, maxLength: 8 }).map((entries) => new Map(entries));
const plain = (from: ReadonlyMap<number, CborValue>) => [...from].map(([key, held]) => [key, held instanceof Uint8Array ? toHex(held) : held]).sort(([a], [b]) => Number(a) - Number(b));

test('a map comes back, with what follows it', () => {
  fc.assert(
    fc.property(map, fc.uint8Array({ maxLength: 20 }), (entries, rest) => {
      const decoded = decodeMap(concat(encodeMap(entries), rest));
      expect(plain(decoded!.map)).toEqual(plain(entries));
      expect(toHex(decoded!.rest)).toBe(toHex(rest));
    }),
  );
});

test('equal maps have equal bytes, whatever the order they were filled in', () => {
  fc.assert(fc.property(map, (entries) => expect(toHex(encodeMap(new Map([...entries].reverse())))).toBe(toHex(encodeMap(entries)))));
});

test('no byte can change without changing what is read, or being refused', () => {
  fc.assert(
    fc.property(map, fc.nat(), fc.integer({ min: 1, max: 255 }), (entries, at, xor) => {
      const bytes = Buffer.from(encodeMap(entries));
      bytes[at % bytes.length]! ^= xor;
      const decoded = decodeMap(bytes);
      if (decoded) expect(toHex(concat(encodeMap(decoded.map), decoded.rest))).toBe(toHex(bytes));
      if (decoded?.rest.length === 0) expect(plain(decoded.map)).not.toEqual(plain(entries));
    }),
    { numRuns: 500 },
  );
});

test.each([
  ['a list', '8101'],
  ['a number', '01'],
  ['nothing', ''],
  ['a map that ends early', 'a1'],
  ['a key in a longer form', 'a1180001'],
  ['a number in a longer form', 'a1001801'],
  ['a number as a float', 'a100f93c00'],
  ['a number over 2^53', 'a1001b0020000000000000'],
  ['keys out of order', 'a201010001'],
  ['a key twice', 'a200010002'],
  ['a text key', 'a1613001'],
  ['an indefinite map', 'bf0001ff'],
  ['an indefinite text', 'a1007f6161ff'],
  ['text that is not UTF-8', 'a10061ff'],
  ['text with an encoded surrogate', 'a10063eda080'],
  ['a tag', 'a100c001'],
  ['undefined', 'a100f7'],
  ['not a number', 'a100f97e00'],
])('%s is refused', (_, hex) => expect(decodeMap(fromHex(hex)!)).toBeUndefined());
