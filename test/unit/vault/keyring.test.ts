import { ready } from '../../../src/crypto/sodium.ts';
import { toBase64, toHex } from '../../../src/bytes.ts';
import { decodeKeyring, encodeKeyring, type KeyringEpoch } from '../../../src/vault/keyring.ts';
import { createKeyring, openKeyring } from '../../../src/vault/keys.ts';
import { flipped, matching, outcome } from '../../support/codes.ts';
import { fixedRandom } from '../../support/fixed-random.ts';
import { makeEpoch, makeKeyring, makeSlot, makeStore, makeStoreSlot, type HandEpoch, type HandSlot, type HandStore } from '../../support/hand-made-vault.ts';

const random = fixedRandom('keyring');
let store: HandStore;
let first: HandEpoch;
let second: HandEpoch;
let slot: HandSlot;

beforeAll(async () => {
  await ready;
  store = await makeStore('alice', random);
  first = makeEpoch(1, random);
  second = makeEpoch(2, random, first.epoch.facts.repositoryId);
  slot = makeStoreSlot(first.epoch.facts.repositoryId, store.wrapKey, random);
});

const parts = () => ({ store, counter: 2, slots: [slot], epochs: [first, second] });
const create = (userId = 'alice') => createKeyring({ userId, vaultId: store.vaultId, store: store.identity, wrapKey: store.wrapKey }, random);

test('a new keyring opens for its user, and encodes to the same bytes again', () => {
  const bytes = create();
  const keyring = decodeKeyring(bytes);
  const keys = openKeyring(keyring, store);
  expect([keys.userId, keys.role, keys.epoch.facts.number]).toEqual(['alice', 'writer', 1]);
  expect(toHex(encodeKeyring(keyring, keys.epoch.keyringMacKey()))).toBe(toHex(bytes));
  const epochTag = keys.epoch.tag;
  expect(keys.epochByTag(epochTag)).toBe(keys.epoch);
  expect(keys.epochByTag(flipped(epochTag, 11))).toBeUndefined();
});

test.each([0, 1, 126, 127, 512])('a user id of %d bytes fits, and is padded so that only its step shows', (length) => {
  const keyring = decodeKeyring(create('u'.repeat(length)));
  expect(openKeyring(keyring, store).userId).toBe('u'.repeat(length));
  expect((keyring.label.length - 58) % 128).toBe(0);
});

test('a user id that is too long or ill-formed makes no keyring', () => {
  expect(() => create('u'.repeat(513))).toThrow(RangeError);
  expect(() => create('\ud800')).toThrow(TypeError);
});

test('no byte can change without a code that says what is wrong', () => {
  const bytes = makeKeyring(parts(), random);
  const seen = new Set<string>();
  for (let at = 0; at < bytes.length; at++) {
    const result = outcome(() => openKeyring(decodeKeyring(flipped(bytes, at, at % 2 === 0 ? 1 : 3)), store));
    seen.add('code' in result ? result.code : `accepted byte ${at}`);
  }
  expect([...seen].sort()).toEqual(['ALTERED', 'CORRUPT', 'DAMAGED_SLOT', 'UNSUPPORTED_VERSION', 'WRONG_KEY']);
});

const changed = (change: (json: { slots: object[]; epochs: Record<string, unknown>[] } & Record<string, unknown>) => object) => {
  const json = JSON.parse(Buffer.from(makeKeyring(parts(), random)).toString()) as Parameters<typeof change>[0];
  return Buffer.from(`${JSON.stringify(change(json), undefined, 1)}\n`);
};

test('the file that the others depart from is good', () => expect(openKeyring(decodeKeyring(changed((json) => json)), store).epoch.facts.number).toBe(2));

test.each<[string, () => Uint8Array]>([
  ['another repository id', () => changed((json) => ({ ...json, repository: toHex(random(32)) }))],
  ['an upper-case repository id', () => changed((json) => ({ ...json, repository: String(json['repository']).toUpperCase() }))],
  ['a counter that is no whole number', () => changed((json) => ({ ...json, counter: 1.5 }))],
  ['a negative counter', () => changed((json) => ({ ...json, counter: -1 }))],
  ['no epochs', () => changed((json) => ({ ...json, epochs: [] }))],
  ['only the second epoch', () => changed((json) => ({ ...json, epochs: json.epochs.slice(1) }))],
  ['epochs in another order', () => changed((json) => ({ ...json, epochs: json.epochs.toReversed() }))],
  ['an epoch twice', () => changed((json) => ({ ...json, epochs: [...json.epochs, json.epochs[1]] }))],
  ['an epoch that the one before did not sign', () => changed((json) => ({ ...json, epochs: [json.epochs[0], { ...json.epochs[1], signature: toBase64(random(64)) }] }))],
  ['an epoch of another id than was signed', () => changed((json) => ({ ...json, epochs: [json.epochs[0], { ...json.epochs[1], id: toHex(random(8)) }] }))],
  ['a first epoch with a signature', () => changed((json) => ({ ...json, epochs: [{ ...json.epochs[0], signature: toBase64(random(64)) }, json.epochs[1]] }))],
  ['a later epoch without the earlier key', () => changed((json) => ({ ...json, epochs: [json.epochs[0], { ...json.epochs[1], previousKey: '' }] }))],
  ['a slot without a box', () => changed((json) => ({ ...json, epochs: [json.epochs[0], { ...json.epochs[1], boxes: [] }] }))],
  ['a box without a slot', () => changed((json) => ({ ...json, slots: [] }))],
  ['a box in an older epoch', () => changed((json) => ({ ...json, epochs: [{ ...json.epochs[0], boxes: json.epochs[1]!['boxes'] }, json.epochs[1]] }))],
  ['a slot twice', () => changed((json) => ({ ...json, slots: [json.slots[0], json.slots[0]] }))],
  ['a recipient with wrapped data', () => changed((json) => ({ ...json, slots: [{ ...json.slots[0], kind: 'recipient' }] }))],
  ['a slot kind that is no word', () => changed((json) => ({ ...json, slots: [{ ...json.slots[0], kind: 'a b' }] }))],
  ['a box of another length', () => changed((json) => ({ ...json, epochs: [json.epochs[0], { ...json.epochs[1], boxes: [{ slot: toHex(slot.slot.id), box: toBase64(random(156)) }] }] }))],
  ['base64 without its padding', () => changed((json) => ({ ...json, label: `${String(json['label']).replace(/=*$/, '')}=` }))],
])('a keyring with %s is CORRUPT', (_, bytes) => expect(() => decodeKeyring(bytes())).toThrow(matching('CORRUPT')));

test('two slots for the store are one too many', () => {
  const again = makeStoreSlot(first.epoch.facts.repositoryId, store.wrapKey, random);
  expect(() => decodeKeyring(makeKeyring({ ...parts(), slots: [slot, again] }, random))).toThrow(matching('CORRUPT'));
});

test('a way in that is not there is a wrong key', () => {
  const keyring = decodeKeyring(makeKeyring({ ...parts(), slots: [makeSlot('recipient', 'writer', random)] }, random));
  expect(() => openKeyring(keyring, store)).toThrow(matching('WRONG_KEY'));
  expect(() => openKeyring(keyring, { privateKey: random(32) })).toThrow(matching('WRONG_KEY'));
});

test('the key of an earlier epoch that does not open is an alteration, a damaged one is damage', () => {
  const withPrevious = (previousKey: Uint8Array) => makeKeyring(parts(), random, (facts) => ({ ...facts, epochs: facts.epochs.map((epoch): KeyringEpoch => (epoch.number === 2 ? { ...epoch, previousKey } : epoch)) }));
  const other = decodeKeyring(makeKeyring({ ...parts(), epochs: [first, makeEpoch(2, random, first.epoch.facts.repositoryId)] }, random)).epochs[1]!.previousKey;
  expect(() => openKeyring(decodeKeyring(withPrevious(other)), store)).toThrow(matching('ALTERED'));
  expect(() => openKeyring(decodeKeyring(withPrevious(random(80))), store)).toThrow(matching('DAMAGED_SLOT'));
});
