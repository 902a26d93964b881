import fc from 'fast-check';
import { toHex } from '../../../src/bytes.ts';
import { formatKey, parseKey } from '../../../src/crypto/key-text.ts';
import { ready } from '../../../src/crypto/sodium.ts';
import { isMemgitError } from '../../../src/errors.ts';
import { matching } from '../../support/codes.ts';
import { fixedRandom } from '../../support/fixed-random.ts';

beforeAll(() => ready);

const keys = fc.uint8Array({ minLength: 32, maxLength: 32 });
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

test('a key reads back, whatever the case and the white space around it', () => {
  expect(formatKey(Uint8Array.from({ length: 32 }, (_, i) => i))).toBe('memgit-key-aaaqeayeaudaocajbifqydiob4ibceqtcqkrmfyydenbwha5dyp6g55h');
  fc.assert(
    fc.property(keys, (key) => {
      const text = formatKey(key);
      expect(text).toMatch(/^memgit-key-[a-z2-7]{56}$/);
      for (const spelling of [text, text.toUpperCase(), ` ${text}\r\n`]) expect(toHex(parseKey(spelling))).toBe(toHex(key));
    }),
  );
});

/** The checksum has 24 bits, so one wrong key in 16.8 million is let through; not one in these ten thousand is. */
test('10,000 typing errors are all KEY_MALFORMED, and no message holds what was typed', () => {
  const random = fixedRandom('typing errors');
  const pick = (below: number) => random(4).reduce((value, byte) => value * 256 + byte, 0) % below;
  for (let i = 0; i < 10_000; i++) {
    const right = formatKey(random(32));
    const chars = [...right];
    const at = 11 + pick(56);
    switch (i % 4) {
      case 0: chars[at] = ALPHABET[(ALPHABET.indexOf(chars[at]!) + 1 + pick(31)) % 32]!; break;
      case 1: chars.splice(at, 1); break;
      case 2: chars.splice(at, 0, ALPHABET[pick(32)]!); break;
      case 3: {
        const next = at === 66 ? 65 : at + 1;
        if (chars[at] === chars[next]) continue;
        [chars[at], chars[next]] = [chars[next]!, chars[at]!];
      }
    }
    let error: unknown;
    try {
      parseKey(chars.join(''));
    } catch (caught) {
      error = caught;
    }
    if (!isMemgitError(error, 'KEY_MALFORMED')) throw new Error(`typing error ${i} was accepted`);
    expect(JSON.stringify(error)).not.toContain(chars.slice(11, 31).join(''));
  }
});

test.each([[''], ['memgit-key-'], ['memgit-kay-aaaqeayeaudaocajbifqydiob4ibceqtcqkrmfyydenbwha5dyp6g55h'], ['memgit-key-aaaqeayeaudaocajbifqydiob4ibceqtcqkrmfyydenbwha5dyp6g551'], [`memgit-key-${'a'.repeat(100_000)}`]])(
  '%.80s is no key',
  (text) => expect(() => parseKey(text)).toThrow(matching('KEY_MALFORMED')),
);

test('a key of another length is not put into text', () => expect(() => formatKey(new Uint8Array(31))).toThrow(RangeError));
