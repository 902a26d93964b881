/**
 * Envelopes open where and as what they were sealed, and nowhere else. Seen to fail with the repository not bound, with the header not
 * bound, and with the kind not looked at.
 */
import { createDecipheriv } from 'node:crypto';
import fc from 'fast-check';
import { concat, fromHex, toHex, utf8 } from '../../../src/bytes.ts';
import { ENVELOPE_OVERHEAD_BYTES, epochOf, HEADER_BYTES, KINDS, open, seal, type EnvelopeContext } from '../../../src/crypto/envelope.ts';
import { ready, sodium, systemRandom } from '../../../src/crypto/sodium.ts';
import { flipped, matching, outcome } from '../../support/codes.ts';
import { fixedRandom } from '../../support/fixed-random.ts';

beforeAll(() => ready);

const random = fixedRandom('envelope');
const key = random(32);
const context: EnvelopeContext = { kind: 'entry', epoch: random(12), repositoryId: random(32) };
const bytes = (maxLength = 300) => fc.uint8Array({ maxLength });

test('the cipher gives the answer of draft-irtf-cfrg-xchacha-03, A.3.1', () => {
  const plaintext = utf8("Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it.");
  const [aad, nonce] = [fromHex('50515253c0c1c2c3c4c5c6c7')!, Uint8Array.from({ length: 24 }, (_, i) => 0x40 + i)];
  const cipherKey = Uint8Array.from({ length: 32 }, (_, i) => 0x80 + i);
  expect(toHex(sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(plaintext, aad, null, nonce, cipherKey))).toBe(
    'bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb731c7f1b0b4aa6440bf3a82f4eda7e39ae64c6708c54c216cb96b72e1213b452' +
      '2f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff921f9664c97637da9768812f615c68b13b52e' +
      'c0875924c1c7987947deafd8780acf49',
  );
});

test('what was sealed opens, here and with the ChaCha20-Poly1305 of OpenSSL', () => {
  fc.assert(
    fc.property(bytes(), fc.constantFrom(...(Object.keys(KINDS) as (keyof typeof KINDS)[])), (plaintext, kind) => {
      const envelope = seal(plaintext, key, { ...context, kind }, systemRandom);
      expect(envelope.length).toBe(plaintext.length + ENVELOPE_OVERHEAD_BYTES);
      expect(toHex(open(envelope, key, { ...context, kind }))).toBe(toHex(plaintext));
      expect(toHex(openWithOpenssl(envelope))).toBe(toHex(plaintext));
      expect(toHex(envelope.subarray(0, HEADER_BYTES))).toBe(`6d676974010${KINDS[kind]}${toHex(context.epoch)}`);
      expect(toHex(epochOf(envelope, kind))).toBe(toHex(context.epoch));
    }),
  );
});

test('any changed byte, and any cut, ends in a documented code and never in a plaintext', () => {
  const envelope = seal(utf8('some text that nobody may change'), key, context, systemRandom);
  for (let at = 0; at < envelope.length; at++) {
    const codes = [1, 2, 4, 8, 16, 32, 64, 128, 255].map((xor) => outcome(() => open(flipped(envelope, at, xor), key, context)));
    const expected = at < 4 ? ['CORRUPT'] : at === 4 ? ['UNSUPPORTED_VERSION'] : at === 5 ? ['UNSUPPORTED_VERSION', 'CORRUPT'] : ['ALTERED'];
    for (const result of codes) expect(expected).toContain('code' in result ? result.code : 'a plaintext');
  }
  for (let length = 0; length < envelope.length; length++) {
    expect(outcome(() => open(envelope.subarray(0, length), key, context))).toEqual({ code: length < ENVELOPE_OVERHEAD_BYTES ? 'CORRUPT' : 'ALTERED' });
  }
  expect(() => open(concat(envelope, new Uint8Array(1)), key, context)).toThrow(matching('ALTERED'));
});

test('an envelope opens only with its key, in its repository, epoch and kind', () => {
  const envelope = seal(utf8('x'), key, context, random);
  expect(() => open(envelope, random(32), context)).toThrow(matching('ALTERED'));
  expect(() => open(envelope, key, { ...context, repositoryId: random(32) })).toThrow(matching('ALTERED'));
  expect(() => open(envelope, key, { ...context, epoch: random(12) })).toThrow(matching('ALTERED'));
  expect(() => open(envelope, key, { ...context, kind: 'record' })).toThrow(matching('CORRUPT'));
  // The kind is authenticated as well as compared.
  expect(() => open(flipped(envelope, 5, KINDS.entry ^ KINDS.record), key, { ...context, kind: 'record' })).toThrow(matching('ALTERED'));
});

test('nonces are fresh', () => {
  const nonces = Array.from({ length: 100 }, () => toHex(seal(utf8('x'), key, context, systemRandom).subarray(HEADER_BYTES, HEADER_BYTES + 24)));
  expect(new Set(nonces).size).toBe(100);
});

/** XChaCha20 is HChaCha20 of the first 16 nonce bytes, then ChaCha20 with four zero bytes and the last 8 (draft section 2.3). */
function openWithOpenssl(envelope: Uint8Array): Uint8Array {
  const nonce = envelope.subarray(HEADER_BYTES, HEADER_BYTES + 24);
  const decipher = createDecipheriv('chacha20-poly1305', hchacha20(key, nonce.subarray(0, 16)), concat(new Uint8Array(4), nonce.subarray(16)), { authTagLength: 16 });
  decipher.setAAD(concat(envelope.subarray(0, HEADER_BYTES), context.repositoryId), { plaintextLength: envelope.length - ENVELOPE_OVERHEAD_BYTES });
  decipher.setAuthTag(envelope.subarray(-16));
  return concat(decipher.update(envelope.subarray(HEADER_BYTES + 24, -16)), decipher.final());
}

function hchacha20(cipherKey: Uint8Array, input: Uint8Array): Uint8Array {
  const block = Buffer.concat([Buffer.from('expand 32-byte k'), cipherKey, input]);
  const x = Uint32Array.from({ length: 16 }, (_, i) => block.readUInt32LE(i * 4));
  const rotate = (value: number, by: number) => (value << by) | (value >>> (32 - by));
  const quarter = (a: number, b: number, c: number, d: number) => {
    for (const [to, from, by, add] of [[d, a, 16, b], [b, c, 12, d], [d, a, 8, b], [b, c, 7, d]] as const) {
      x[from]! += x[add]!;
      x[to] = rotate(x[to]! ^ x[from]!, by);
    }
  };
  for (let round = 0; round < 10; round++) {
    for (let i = 0; i < 4; i++) quarter(i, i + 4, i + 8, i + 12);
    for (let i = 0; i < 4; i++) quarter(i, 4 + ((i + 1) % 4), 8 + ((i + 2) % 4), 12 + ((i + 3) % 4));
  }
  const out = Buffer.alloc(32);
  [0, 1, 2, 3, 12, 13, 14, 15].forEach((word, i) => out.writeUInt32LE(x[word]!, i * 4));
  return out;
}
