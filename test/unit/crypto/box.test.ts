import { diffieHellman, createPrivateKey, createPublicKey } from 'node:crypto';
import fc from 'fast-check';
import { concat, fromHex, toHex } from '../../../src/bytes.ts';
import { BOX_OVERHEAD_BYTES, boxPublicKey, generateBoxKeyPair, openBox, sealBox } from '../../../src/crypto/box.ts';
import { ready, sodium } from '../../../src/crypto/sodium.ts';
import { flipped } from '../../support/codes.ts';
import { fixedRandom } from '../../support/fixed-random.ts';

beforeAll(() => ready);

const random = fixedRandom('box');

test('a public half is the one of RFC 7748, section 6.1', () => {
  const bob = fromHex('5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb')!;
  expect(toHex(boxPublicKey(bob))).toBe('de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f');
});

test('what was sealed to a pair opens with it and with no other', () => {
  const [mine, other] = [generateBoxKeyPair(random), generateBoxKeyPair(random)];
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (plaintext) => {
      const box = sealBox(plaintext, mine.publicKey);
      expect(box.length).toBe(plaintext.length + BOX_OVERHEAD_BYTES);
      expect(toHex(openBox(box, mine)!)).toBe(toHex(plaintext));
      expect(openBox(box, other)).toBeUndefined();
      expect(openBox(box, { ...mine, publicKey: other.publicKey })).toBeUndefined();
    }),
  );
});

test('a changed byte or another length opens nothing', () => {
  const pair = generateBoxKeyPair(random);
  const box = sealBox(random(40), pair.publicKey);
  for (let at = 0; at < box.length; at++) {
    // X25519 ignores the top bit of a public key, but the box's nonce covers every bit.
    for (const xor of [1, 128]) expect(openBox(flipped(box, at, xor), pair)).toBeUndefined();
    expect(openBox(box.subarray(0, at), pair)).toBeUndefined();
  }
});

test('a box is what libsodium says: X25519, a nonce of both public keys, XSalsa20-Poly1305', () => {
  const pair = generateBoxKeyPair(random);
  const box = sealBox(Buffer.from('hello'), pair.publicKey);
  const ephemeral = box.subarray(0, 32);
  const der = (prefix: string, raw: Uint8Array) => Buffer.concat([Buffer.from(prefix, 'hex'), raw]);
  const privateKey = createPrivateKey({ key: der('302e020100300506032b656e04220420', pair.privateKey), format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey({ key: der('302a300506032b656e032100', ephemeral), format: 'der', type: 'spki' });
  const shared = diffieHellman({ privateKey, publicKey });
  expect(toHex(sodium.crypto_scalarmult(pair.privateKey, ephemeral))).toBe(toHex(shared));
  const nonce = sodium.crypto_generichash(24, concat(ephemeral, pair.publicKey), null);
  expect(Buffer.from(sodium.crypto_box_open_easy(box.subarray(32), nonce, ephemeral, pair.privateKey)).toString()).toBe('hello');
});
