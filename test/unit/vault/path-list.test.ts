/**
 * A path list is what was sealed, or it is none. Seen to fail without sealing, with one key for all epochs, with a key that readers have, with the header not
 * compared, with sizes of two bytes, and without padding.
 */
import fc from 'fast-check';
import { concat, toBase32, toHex, utf8 } from '../../../src/bytes.ts';
import { signingKeyFromSeed } from '../../../src/crypto/signature.ts';
import { ready, systemRandom } from '../../../src/crypto/sodium.ts';
import { Epoch } from '../../../src/vault/epoch.ts';
import type { EntryInfo } from '../../../src/vault/path-index.ts';
import { openPathList, sealPathList, type ListedEntries } from '../../../src/vault/path-list.ts';
import { MAX_FILE_BYTES } from '../../../src/vault/payload.ts';
import { flipped } from '../../support/codes.ts';
import { makeEpoch } from '../../support/hand-made-vault.ts';
import { at } from '../../support/tmp-vault.ts';

let epoch: Epoch;
beforeAll(async () => {
  await ready;
  ({ epoch } = makeEpoch(1, systemRandom));
});

const name = fc.uint8Array({ minLength: 20, maxLength: 20 }).map(toBase32);
const blob = fc.uint8Array({ minLength: 20, maxLength: 20 }).map(toHex);
const segment = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).filter((text) => !/^\.{1,2}$|[/\\%\p{Cc}]/u.test(text));
const path = fc.array(segment, { minLength: 1, maxLength: 5 }).map((segments) => at(segments.join('/')));
const entry: fc.Arbitrary<EntryInfo> = fc.oneof(
  fc.record({ kind: fc.constant('file' as const), path, sizeBytes: fc.nat(MAX_FILE_BYTES), blob }),
  fc.record({ kind: fc.constant('directory' as const), path, sizeBytes: fc.constant(0), blob }),
);
const list: fc.Arbitrary<ListedEntries> = fc.array(fc.tuple(name, entry), { maxLength: 30 }).map((rows) => new Map(rows));

const listOf = (...paths: string[]): ListedEntries =>
  new Map(paths.map((each, i) => [`${i}`.padStart(32, 'a'), { kind: 'file', path: at(each), sizeBytes: i, blob: `${i}`.padStart(40, '0') }]));

test('what was sealed is what is opened', () => {
  fc.assert(fc.property(list, (entries) => { expect(openPathList(sealPathList(entries, epoch, systemRandom), epoch)).toEqual(entries); }));
});

test('any flipped bit, any cut, anything more, is no list', () => {
  const sealed = sealPathList(listOf('a.md', 'b/c.md'), epoch, systemRandom);
  for (let i = 0; i < sealed.length; i += 1) {
    expect(openPathList(flipped(sealed, i, 1 << i % 8), epoch)).toBeUndefined();
    expect(openPathList(sealed.subarray(0, i), epoch)).toBeUndefined();
  }
  expect(openPathList(concat(sealed, new Uint8Array(1)), epoch)).toBeUndefined();
});

test('it opens in its epoch and repository only, for who can sign', () => {
  const sealed = sealPathList(listOf('a.md'), epoch, systemRandom);
  const { facts, key, signingKey } = epoch;
  const others = {
    'another signing key': new Epoch(facts, key, signingKeyFromSeed(systemRandom(32))),
    'another epoch': new Epoch({ ...facts, id: systemRandom(8) }, key, signingKey),
    'another repository': new Epoch({ ...facts, repositoryId: systemRandom(32) }, key, signingKey),
    'a reader': new Epoch(facts, key, undefined),
    itself: new Epoch(facts, key, signingKey),
  };
  expect(Object.entries(others).filter(([, other]) => openPathList(sealed, other)).map(([what]) => what)).toEqual(['itself']);
});

test.each([
  ['sealed as something else', () => epoch.seal('entry', epoch.open('paths', sealPathList(listOf('a.md'), epoch, systemRandom)), systemRandom)],
  ['of another version', () => epoch.seal('paths', flipped(epoch.open('paths', sealPathList(listOf('a.md'), epoch, systemRandom)), 13, 3), systemRandom)],
  ['shorter than it says', () => epoch.seal('paths', epoch.open('paths', sealPathList(listOf('a.md', 'b.md'), epoch, systemRandom)).subarray(0, 100), systemRandom)],
  ['sealed, and nothing in it', () => epoch.seal('paths', utf8(''), systemRandom)],
])('a list %s is none', (_, make) => expect(openPathList(make(), epoch)).toBeUndefined());

test('its length does not tell how long paths are', () => {
  const lengthOf = (paths: string[]) => sealPathList(listOf(...paths), epoch, systemRandom).length;
  const paths = Array.from({ length: 100 }, (_, i) => `notes/${i}.md`);
  expect(lengthOf(['a', ...paths])).toBe(lengthOf(['a-name-that-is-longer.md', ...paths]));
});
