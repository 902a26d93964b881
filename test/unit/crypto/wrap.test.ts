import { toHex } from '../../../src/bytes.ts';
import { LABELS } from '../../../src/crypto/labels.ts';
import { ready } from '../../../src/crypto/sodium.ts';
import { unwrapKey, WRAPPED_BYTES, wrapKey } from '../../../src/crypto/wrap.ts';
import { flipped, matching, outcome } from '../../support/codes.ts';
import { fixedRandom } from '../../support/fixed-random.ts';

beforeAll(() => ready);

const random = fixedRandom('wrap');
const [key, wrappingKey] = [random(32), random(32)];
const context = { label: LABELS.vaultStoreSlot, context: random(24) };

test('a wrapped key comes back, and only with its key, its label and its context', () => {
  const wrapped = wrapKey(key, wrappingKey, context, random);
  expect(wrapped.length).toBe(WRAPPED_BYTES);
  expect(toHex(unwrapKey(wrapped, wrappingKey, context))).toBe(toHex(key));
  expect(() => unwrapKey(wrapped, random(32), context)).toThrow(matching('WRONG_KEY'));
  expect(() => unwrapKey(wrapped, wrappingKey, { ...context, label: LABELS.storeKeySlot })).toThrow(matching('WRONG_KEY'));
  expect(() => unwrapKey(wrapped, wrappingKey, { ...context, context: random(24) })).toThrow(matching('WRONG_KEY'));
  expect(() => wrapKey(key.subarray(1), wrappingKey, context, random)).toThrow(RangeError);
  expect(() => wrapKey(key, wrappingKey.subarray(1), context, random)).toThrow(RangeError);
});

test('any changed byte and any other length is damage, not a wrong key', () => {
  const wrapped = wrapKey(key, wrappingKey, context, random);
  for (let at = 0; at < wrapped.length; at++) {
    for (const xor of [1, 16, 128, 255]) expect(outcome(() => unwrapKey(flipped(wrapped, at, xor), wrappingKey, context))).toEqual({ code: 'DAMAGED_SLOT' });
    expect(outcome(() => unwrapKey(wrapped.subarray(0, at), wrappingKey, context))).toEqual({ code: 'DAMAGED_SLOT' });
  }
  expect(outcome(() => unwrapKey(Buffer.concat([wrapped, Buffer.alloc(1)]), wrappingKey, context))).toEqual({ code: 'DAMAGED_SLOT' });
});
