import { toHex } from '../../../src/bytes.ts';
import { keyFromPassphrase, SCRYPT_DEFAULTS, scryptParametersAllowed } from '../../../src/crypto/passphrase.ts';
import { matching } from '../../support/codes.ts';

const cheap = { n: 1024, r: 8, p: 1 };
const salt = new Uint8Array(16);

test('scrypt gives the answer of RFC 7914, section 12', async () => {
  const key = await keyFromPassphrase('pleaseletmein', Buffer.from('SodiumChloride'), { n: 16384, r: 8, p: 1 });
  expect(toHex(key)).toBe('7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2');
});

test('two spellings of one text are one passphrase; spaces and case count', async () => {
  const key = toHex(await keyFromPassphrase('caf\u00e9', salt, cheap));
  expect(toHex(await keyFromPassphrase('cafe\u0301', salt, cheap))).toBe(key);
  for (const other of ['Caf\u00e9', 'caf\u00e9 ', 'cafe']) expect(toHex(await keyFromPassphrase(other, salt, cheap))).not.toBe(key);
});

test('an empty, an over-long and an ill-formed passphrase are refused', async () => {
  await expect(keyFromPassphrase('', salt, cheap)).rejects.toThrow(matching('KEY_MALFORMED'));
  await expect(keyFromPassphrase('x'.repeat(1025), salt, cheap)).rejects.toThrow(matching('KEY_MALFORMED'));
  await expect(keyFromPassphrase('\ud800', salt, cheap)).rejects.toThrow(TypeError);
});

test('parameters out of bounds are refused before any work is done', async () => {
  expect(scryptParametersAllowed(SCRYPT_DEFAULTS)).toBe(true);
  const bad = [{ n: 512 }, { n: 2 ** 21 }, { n: 1500 }, { n: 0 }, { n: -1024 }, { n: NaN }, { n: 1024.5 }, { r: 0 }, { r: 33 }, { r: 1.5 }, { p: 0 }, { p: 5 }, { n: 2 ** 20, r: 9 }];
  for (const change of bad) {
    expect(scryptParametersAllowed({ ...cheap, ...change })).toBe(false);
    await expect(keyFromPassphrase('x', salt, { ...cheap, ...change })).rejects.toThrow(matching('UNSUPPORTED_VERSION'));
  }
});
