import { createPrivateKey, createPublicKey, sign as nodeSign, verify as nodeVerify } from 'node:crypto';
import fc from 'fast-check';
import { concat, fromHex, toHex, utf8 } from '../../../src/bytes.ts';
import { epochHandover, repositoryIdOf, sign, SIGNATURE_BYTES, signingKeyFromSeed, verify } from '../../../src/crypto/signature.ts';
import { ready } from '../../../src/crypto/sodium.ts';
import { flipped } from '../../support/codes.ts';
import { fixedRandom } from '../../support/fixed-random.ts';

beforeAll(() => ready);

const random = fixedRandom('signature');
const bytes = (hex: string) => fromHex(hex)!;

test.each([
  ['9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a', '',
    'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b'],
  ['4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb', '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c', '72',
    '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00'],
  ['c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7', 'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025', 'af82',
    '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a'],
])('RFC 8032, section 7.1: seed %s', (seed, publicKey, message, signature) => {
  const key = signingKeyFromSeed(bytes(seed));
  expect(toHex(key.publicKey)).toBe(publicKey);
  expect(toHex(sign(bytes(message), key))).toBe(signature);
  expect(verify(bytes(signature), bytes(message), bytes(publicKey))).toBe(true);
});

test('signatures are those of OpenSSL', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.uint8Array({ maxLength: 300 }), (seed, message) => {
      const key = signingKeyFromSeed(seed);
      const privateKey = createPrivateKey({ key: Buffer.concat([bytes('302e020100300506032b657004220420'), seed]), format: 'der', type: 'pkcs8' });
      expect(toHex(sign(message, key))).toBe(nodeSign(null, message, privateKey).toString('hex'));
      expect(nodeVerify(null, message, createPublicKey(privateKey), sign(message, key))).toBe(true);
    }),
  );
});

test('a changed byte of message, signature or key does not verify, nor does another length throw', () => {
  const key = signingKeyFromSeed(random(32));
  const message = random(50);
  const signature = sign(message, key);
  for (let at = 0; at < SIGNATURE_BYTES; at++) expect(verify(flipped(signature, at), message, key.publicKey)).toBe(false);
  for (let at = 0; at < 50; at++) expect(verify(signature, flipped(message, at), key.publicKey)).toBe(false);
  for (let at = 0; at < 32; at++) expect(verify(signature, message, flipped(key.publicKey, at))).toBe(false);
  for (const length of [0, 63, 65]) expect(verify(new Uint8Array(length), message, key.publicKey)).toBe(false);
});

test('a signature has one spelling and a key is of large order', () => {
  const key = signingKeyFromSeed(random(32));
  const message = utf8('m');
  const signature = sign(message, key);
  // S + L is the same number to a verifier that does not insist on S < L.
  const order = 2n ** 252n + 27742317777372353535851937790883648493n;
  const s = BigInt(`0x${Buffer.from(signature.subarray(32)).reverse().toString('hex')}`) + order;
  const malleated = concat(signature.subarray(0, 32), Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse());
  expect(verify(malleated, message, key.publicKey)).toBe(false);
  // The neutral element as key and as R signs everything with S = 0 for a verifier that allows it.
  const neutral = concat(new Uint8Array([1]), new Uint8Array(31));
  expect(verify(concat(neutral, new Uint8Array(32)), message, neutral)).toBe(false);
});

test('repository id and handover are what FORMAT.md says', () => {
  expect(toHex(repositoryIdOf(new Uint8Array(32)))).toBe('729dcb6c7e563e2e84c3a421d167036467297f72f5d5ad530e3260c21742efde');
  const [id, epoch, publicKey] = [random(32), random(12), random(32)];
  expect(toHex(epochHandover(id, epoch, publicKey))).toBe(toHex(concat(utf8('memgit 1 epoch signature\0'), id, epoch, publicKey)));
});
