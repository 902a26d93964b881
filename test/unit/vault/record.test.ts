import fc from 'fast-check';
import { concat } from '../../../src/bytes.ts';
import { encodeMap } from '../../../src/vault/cbor.ts';
import { pad } from '../../../src/vault/padding.ts';
import { parsePath, ROOT } from '../../../src/vault/path.ts';
import { decodeRecord, encodeRecord, type CommitRecord } from '../../../src/vault/record.ts';
import { flipped, matching, outcome } from '../../support/codes.ts';

const least: CommitRecord = { op: 'create', paths: [parsePath('/memories/a')], timeMs: 1, sequence: 2, generation: 0, addedBytes: 3, removedBytes: 4 };
const full: CommitRecord = {
  ...least, session: 's', toolUseId: 'toolu_1', model: 'm', actor: '\ufeffwith a byte order mark', note: 'caf\u00e9\n', targets: ['ab'.repeat(20)], paths: [ROOT, parsePath('/memories/\ufeffb')],
};

test('a record comes back whole', () => {
  const texts = fc.option(fc.string({ unit: 'grapheme', maxLength: 30 }), { nil: undefined });
  fc.assert(
    fc.property(fc.record({ session: texts, toolUseId: texts, model: texts, actor: texts, note: texts }), fc.nat({ max: Date.UTC(9999, 11, 31) - 1 }), fc.maxSafeNat(), (fields, timeMs, sequence) => {
      const present = Object.fromEntries(Object.entries(fields).filter(([, text]) => text !== undefined));
      const record = { ...least, ...present, timeMs, sequence };
      expect(encodeRecord(record).length % 64).toBe(0);
      expect(decodeRecord(encodeRecord(record))).toEqual(record);
    }),
  );
  expect(decodeRecord(encodeRecord(full))).toEqual(full);
});

test('no byte can change without another meaning or CORRUPT', () => {
  const plaintext = encodeRecord(full);
  for (let at = 0; at < plaintext.length; at++) {
    for (const xor of [1, 3, 0x20, 0xff]) {
      const result = outcome(() => decodeRecord(flipped(plaintext, at, xor)));
      if ('code' in result) expect(result.code).toBe('CORRUPT');
      // A key that becomes an unknown one is skipped: that is another record too.
      else expect(result.value).not.toEqual(full);
    }
  }
});

test('fields that a later version adds are skipped', () => {
  const encoded = encodeMap(new Map<number, string | number | string[]>([[0, 'create'], [1, 1], [2, 2], [3, 0], [4, ['a']], [11, 3], [12, 4], [13, 'new'], [200, 7]]));
  expect(decodeRecord(pad(encoded, 64))).toEqual(least);
});

test('a time that no date can hold is read as the last that can be shown', () => {
  const encoded = encodeMap(new Map<number, string | number | string[]>([[0, 'create'], [1, Number.MAX_SAFE_INTEGER], [2, 2], [3, 0], [4, ['a']], [11, 3], [12, 4]]));
  expect(new Date(decodeRecord(pad(encoded, 64)).timeMs).toISOString()).toBe('9999-12-30T23:59:59.999Z');
});

test('what could not be read again is not written', () => {
  for (const bad of [{ timeMs: 1.5 }, { timeMs: -1 }, { timeMs: NaN }, { timeMs: Date.UTC(9999, 11, 31) }, { sequence: 2 ** 53 }, { addedBytes: -1 }, { targets: ['HEAD'] }, { op: '\ud800' }]) {
    expect(() => encodeRecord({ ...least, ...bad })).toThrow(TypeError);
  }
  for (const bad of [{ op: 'x'.repeat(65) }, { session: 'x'.repeat(257) }, { note: '\u00e9'.repeat(2049) }]) {
    expect(() => encodeRecord({ ...least, ...bad })).toThrow(matching('TOO_LARGE'));
  }
  expect(decodeRecord(encodeRecord({ ...least, paths: Array<typeof ROOT>(100).fill(ROOT) })).paths.length).toBe(64);
});

test.each<[string, Uint8Array]>([
  ['nothing', new Uint8Array()],
  ['no padding', encodeRecord(least).subarray(0, 40)],
  ['a block of padding too many', concat(encodeRecord(least), new Uint8Array(64))],
  ['a path that climbs', pad(encodeMap(new Map<number, string | number | string[]>([[0, 'x'], [1, 1], [2, 2], [3, 0], [4, ['../a']], [11, 3], [12, 4]])), 64)],
  ['a missing field', pad(encodeMap(new Map<number, string | number | string[]>([[0, 'x'], [1, 1], [2, 2], [3, 0], [4, ['a']], [11, 3]])), 64)],
  ['a session that is no text', pad(encodeMap(new Map<number, string | number | string[]>([[0, 'x'], [1, 1], [2, 2], [3, 0], [4, ['a']], [5, 1], [11, 3], [12, 4]])), 64)],
  ['a target that is no oid', pad(encodeMap(new Map<number, string | number | string[] | Uint8Array[]>([[0, 'x'], [1, 1], [2, 2], [3, 0], [4, ['a']], [10, [new Uint8Array(19)]], [11, 3], [12, 4]])), 64)],
])('%s is CORRUPT', (_, plaintext) => expect(() => decodeRecord(plaintext)).toThrow(matching('CORRUPT')));
