import fc from 'fast-check';
import { toHex } from '../../../src/bytes.ts';
import { ready } from '../../../src/crypto/sodium.ts';
import { createStore, decodeStoreFile, encodeStoreFile, openStoreFile, openStoreSlots, vaultIdOf, vaultWrapKey, type OpenedStore, type StoreSlot } from '../../../src/vault/store-file.ts';
import { flipped, matching, outcomeOf } from '../../support/codes.ts';
import { fixedRandom } from '../../support/fixed-random.ts';

const random = fixedRandom('store');
const key = random(32);
const cheap = { n: 1024, r: 1, p: 1 };
let byKey: OpenedStore;
let byPassphrase: OpenedStore;

beforeAll(async () => {
  await ready;
  byKey = await createStore({ key }, 'derived', random);
  byPassphrase = await createStore({ passphrase: 'correct horse' }, 'separate', random, { scrypt: cheap });
});

test('a store opens with its key or its passphrase, and with no other', async () => {
  expect(await openStoreFile(encodeStoreFile(byKey), { key })).toEqual(byKey);
  expect(await openStoreFile(encodeStoreFile(byPassphrase), { passphrase: 'correct horse' })).toEqual(byPassphrase);
  for (const [store, credential] of [[byKey, { key: random(32) }], [byKey, { passphrase: 'x' }], [byPassphrase, { passphrase: 'Correct horse' }], [byPassphrase, { key }]] as const) {
    await expect(openStoreFile(encodeStoreFile(store), credential)).rejects.toThrow(matching('WRONG_KEY'));
  }
  await expect(openStoreFile(encodeStoreFile(byKey), { key: key.subarray(1) })).rejects.toThrow(RangeError);
});

test('the other kind of secret is told from a wrong one', async () => {
  await expect(openStoreFile(encodeStoreFile(byKey), { passphrase: 'x' })).rejects.toThrow('no passphrase opens this store; its ways in are: key');
  await expect(openStoreFile(encodeStoreFile(byPassphrase), { key })).rejects.toThrow('no key opens this store; its ways in are: passphrase');
});

test('no byte of store.json can change without a code that says what is wrong', async () => {
  const bytes = encodeStoreFile(byKey);
  const seen = new Set<string>();
  for (let at = 0; at < bytes.length; at++) {
    for (const xor of [1, 2, 0x20, 0x80]) {
      const result = await outcomeOf(() => openStoreFile(flipped(bytes, at, xor), { key }));
      seen.add('code' in result ? result.code : `accepted byte ${at}`);
    }
  }
  expect([...seen].sort()).toEqual(['ALTERED', 'CORRUPT', 'DAMAGED_SLOT', 'UNSUPPORTED_VERSION', 'WRONG_KEY']);
});

/** The file again after a change to its text, or to its parsed JSON in canonical form; its keyed hash is as before. */
const changedText = (change: (text: string) => string) => Buffer.from(change(Buffer.from(encodeStoreFile(byKey)).toString()));
const changedJson = (change: (json: Record<string, unknown>) => unknown) => changedText((text) => `${JSON.stringify(change(JSON.parse(text) as Record<string, unknown>), undefined, 1)}\n`);

test.each<[string, () => Uint8Array]>([
  ['an unknown field', () => changedJson(({ mac, ...rest }) => ({ ...rest, extra: 1, mac }))],
  ['fields in another order', () => changedJson(({ format, store, ...rest }) => ({ store, format, ...rest }))],
  ['a repeated field', () => changedText((text) => text.replace('"format": 1,', '"format": 1,\n "format": 1,'))],
  ['other white space', () => changedText((text) => text.replaceAll('\n ', '\n  '))],
  ['no last line end', () => changedText((text) => text.trimEnd())],
  ['a byte order mark', () => changedText((text) => `\ufeff${text}`)],
  ['an escaped letter', () => changedText((text) => text.replace('derived', '\\u0064erived'))],
  ['a number in another spelling', () => changedText((text) => text.replace('"format": 1', '"format": 1.0'))],
  ['an unknown userKeys', () => changedJson((json) => ({ ...json, userKeys: 'shared' }))],
  ['two slots of one id', () => changedJson((json) => ({ ...json, slots: [json['slots'], json['slots']].flat() }))],
  ['65 slots', () => changedJson((json) => ({ ...json, slots: Array.from({ length: 65 }, (_, i) => ({ ...(json['slots'] as object[])[0], id: `${toHex(random(7))}${10 + i}` })) }))],
  ['a prototype', () => changedText((text) => text.replace('"store"', '"__proto__": {},\n "store"'))],
  ['no JSON', () => Buffer.from('{')],
  ['a list', () => Buffer.from('[]\n')],
  ['nothing', () => new Uint8Array()],
  ['a megabyte too many', () => Buffer.alloc(1024 * 1024 + 1, ' ')],
  ['bytes that are not UTF-8', () => changedText((text) => text).fill(0xff, 3, 4)],
])('%s is CORRUPT', (_, bytes) => expect(() => decodeStoreFile(bytes())).toThrow(matching('CORRUPT')));

test('a later format is told from damage, whatever else stands in the file', () => {
  for (const format of [0, 2, 100]) expect(() => decodeStoreFile(Buffer.from(`{"new": [], "format": ${format}}`))).toThrow(matching('UNSUPPORTED_VERSION'));
  for (const format of ['1.5', '"1"', 'null', '1e400']) expect(() => decodeStoreFile(Buffer.from(`{"format": ${format}}`))).toThrow(matching('CORRUPT'));
});

describe('slots', () => {
  const withSlots = (...slots: StoreSlot[]) => ({ ...byKey.identity, slots });
  const good = () => byKey.identity.slots[0]!;
  const damaged = (): StoreSlot => ({ ...good(), data: flipped(good().data, 30) });

  test('one of an unknown kind is kept and skipped', async () => {
    const strange: StoreSlot = { id: random(8), kind: 'hardware-token', params: ['model', 3], data: random(200) };
    const file = encodeStoreFile({ ...byKey, identity: withSlots(strange, good()) });
    const opened = await openStoreFile(file, { key });
    expect(opened.identity.slots[0]!.kind).toBe('hardware-token');
    expect(toHex(encodeStoreFile(opened))).toBe(toHex(file));
  });

  test('one that is damaged, or asks for too much work, does not close the others', async () => {
    expect(toHex(await openStoreSlots(withSlots(damaged(), good()), { key }))).toBe(toHex(byKey.secret));
    const salt = Buffer.alloc(16).toString('base64');
    const greedy: StoreSlot = { id: random(8), kind: 'passphrase', params: ['scrypt', 2 ** 30, 8, 1, salt], data: good().data };
    const slots = [greedy, byPassphrase.identity.slots[0]!];
    expect(toHex(await openStoreSlots({ ...byPassphrase.identity, slots }, { passphrase: 'correct horse' }))).toBe(toHex(byPassphrase.secret));
    await expect(openStoreSlots(withSlots(greedy), { passphrase: 'x' })).rejects.toThrow(matching('UNSUPPORTED_VERSION'));
  });

  test('damage is told from a wrong key', async () => {
    await expect(openStoreSlots(withSlots(damaged()), { key })).rejects.toThrow(matching('DAMAGED_SLOT'));
    await expect(openStoreSlots(withSlots(), { key })).rejects.toThrow(matching('WRONG_KEY'));
  });

  test('one of another store, of another id or with other parameters does not open', async () => {
    const [slot] = byPassphrase.identity.slots as [StoreSlot];
    const easier: StoreSlot = { ...slot, params: ['scrypt', 1024, 2, 1, slot.params[4]!] };
    for (const identity of [{ ...byPassphrase.identity, id: random(16) }, { ...byPassphrase.identity, slots: [{ ...slot, id: random(8) }] }, { ...byPassphrase.identity, slots: [easier] }]) {
      await expect(openStoreSlots(identity, { passphrase: 'correct horse' })).rejects.toThrow(matching('WRONG_KEY'));
    }
  });
});

test('users have vaults of their own: ids and keys differ for any two texts, and are the same on every call', () => {
  const { secret } = byKey;
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
      expect(toHex(vaultIdOf(secret, a)) === toHex(vaultIdOf(secret, b))).toBe(a === b);
      expect(toHex(vaultWrapKey(secret, vaultIdOf(secret, a))) === toHex(vaultWrapKey(secret, vaultIdOf(secret, b)))).toBe(a === b);
    }),
  );
  // No normalisation: two spellings are two users.
  expect(toHex(vaultIdOf(secret, 'caf\u00e9'))).not.toBe(toHex(vaultIdOf(secret, 'cafe\u0301')));
  expect(toHex(vaultIdOf(secret, 'a'))).not.toBe(toHex(vaultIdOf(random(32), 'a')));
  expect(() => vaultIdOf(secret, '\udc00')).toThrow(TypeError);
});
