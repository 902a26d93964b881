/**
 * Seen to fail with the keyed hash not checked, with rows appended before the old ones' hash was cut off, and with memory that
 * is given back for a longer row not copied over.
 */
import fc from 'fast-check';
import { ready, systemRandom } from '../../../src/crypto/sodium.ts';
import type { Oid } from '../../../src/git/objects.ts';
import { IndexFile, Rows, type IndexedCommit } from '../../../src/history/index-file.ts';

let key: Uint8Array;
beforeAll(async () => {
  await ready;
  key = systemRandom(32);
});

const oid = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString('hex') as Oid);
const name = fc.string({ unit: fc.constantFrom('a', 'm', 'z', '2', '7'), minLength: 32, maxLength: 32 });
const change = fc.record({ name, before: fc.option(oid, { nil: undefined }), after: fc.option(oid, { nil: undefined }) });
const difference = fc.record({ names: fc.array(change, { maxLength: 40 }), keyring: fc.boolean() });
const commit: fc.Arbitrary<IndexedCommit> = fc.array(oid, { maxLength: 2 }).chain((parents) => {
  const count = Math.max(1, parents.length);
  return fc.record({ oid, parents: fc.constant(parents), timeSec: fc.nat(999_999_999_999), differences: fc.array(difference, { minLength: count, maxLength: count }) });
});
const commits = fc.uniqueArray(commit, { selector: (each) => each.oid, maxLength: 60 });

function rowsOf(list: readonly IndexedCommit[]): Rows {
  const rows = new Rows();
  for (const each of list) rows.add(each);
  return rows;
}

const plain = ({ oid: own, parents, timeSec, differences }: IndexedCommit) => ({ oid: own, parents, timeSec, differences });

test('what is put in is found again, also when more is added', () => {
  fc.assert(
    fc.property(commits, fc.nat(60), (list, split) => {
      const first = IndexFile.open(IndexFile.empty.extended(rowsOf(list.slice(0, split)), key), key)!;
      const index = IndexFile.open(first.extended(rowsOf(list.slice(split)), key), key)!;
      for (const each of list) {
        const found = index.get(each.oid)!;
        expect(plain(found)).toEqual(each);
        // Asked a second time it says the same.
        expect(found.differences).toEqual(each.differences);
      }
      expect(index.get('0'.repeat(40) as Oid)).toBeUndefined();
    }),
  );
});

test('nothing else is taken for an index', () => {
  const list = fc.sample(commit, { seed: 1, numRuns: 3 });
  const bytes = IndexFile.empty.extended(rowsOf(list), key);
  expect(IndexFile.open(bytes, key)).toBeDefined();
  expect(IndexFile.open(bytes, systemRandom(32))).toBeUndefined();
  for (let at = 0; at < bytes.length; at += 1) {
    expect(IndexFile.open(Uint8Array.from(bytes, (byte, i) => (i === at ? byte ^ 1 : byte)), key)).toBeUndefined();
    expect(IndexFile.open(bytes.subarray(0, at), key)).toBeUndefined();
  }
  expect(IndexFile.open(Buffer.concat([bytes, bytes]), key)).toBeUndefined();
});
