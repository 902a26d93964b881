/**
 * A path list is what was sealed, or it is none. Seen to fail without sealing, with one key for all epochs, with a key that readers have, with the header not
 * compared, with sizes of two bytes, without padding, and with a count that goes beyond the end believed.
 */
import fc from 'fast-check';
import { concat, toBase32, toHex, utf8, type Bytes } from '../../../src/bytes.ts';
import { open, seal } from '../../../src/crypto/envelope.ts';
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

const sealed = (...paths: string[]): Bytes => sealPathList(listOf(...paths), epoch, systemRandom)!;

/** Seals what memgit would not, as it seals a list. */
function sealAs(plaintext: Bytes): Bytes {
  const { key, context } = epoch.pathsSeal()!;
  return seal(plaintext, key, context, systemRandom);
}

function opened(bytes: Bytes): Bytes {
  const { key, context } = epoch.pathsSeal()!;
  return open(bytes, key, context);
}

test('what was sealed is what is opened', async () => {
  await fc.assert(fc.asyncProperty(list, async (entries) => { expect(await openPathList(sealPathList(entries, epoch, systemRandom)!, epoch)).toEqual(entries); }));
});

test('any flipped bit, any cut, anything more, is no list', async () => {
  const bytes = sealed('a.md', 'b/c.md');
  for (let i = 0; i < bytes.length; i += 1) {
    expect(await openPathList(flipped(bytes, i, 1 << i % 8), epoch)).toBeUndefined();
    expect(await openPathList(bytes.subarray(0, i), epoch)).toBeUndefined();
  }
  expect(await openPathList(concat(bytes, new Uint8Array(1)), epoch)).toBeUndefined();
});

test('it opens in its epoch and repository only, for who can sign', async () => {
  const bytes = sealed('a.md');
  const { facts, key, signingKey } = epoch;
  const others = {
    'another signing key': new Epoch(facts, key, signingKeyFromSeed(systemRandom(32))),
    'another epoch': new Epoch({ ...facts, id: systemRandom(8) }, key, signingKey),
    'another repository': new Epoch({ ...facts, repositoryId: systemRandom(32) }, key, signingKey),
    'a reader': new Epoch(facts, key, undefined),
    itself: new Epoch(facts, key, signingKey),
  };
  const opening: string[] = [];
  for (const [what, other] of Object.entries(others)) if (await openPathList(bytes, other)) opening.push(what);
  expect(opening).toEqual(['itself']);
  expect(sealPathList(listOf('a.md'), others['a reader'], systemRandom)).toBeUndefined();
});

test.each([
  ['sealed as something else', () => epoch.seal('entry', opened(sealed('a.md')), systemRandom)],
  ['of another version', () => sealAs(flipped(opened(sealed('a.md')), 13, 3))],
  ['shorter than it says', () => sealAs(opened(sealed('a.md', 'b.md')).subarray(0, 100))],
  ['that ends within a path', () => sealAs(opened(sealed('a-long-name.md')).subarray(0, 15 + 4 + 59 + 5))],
  ['sealed, and nothing in it', () => sealAs(utf8(''))],
])('a list %s is none', async (_, make) => expect(await openPathList(make(), epoch)).toBeUndefined());

test('one of too many entries is not made', () => {
  const many = (count: number): ListedEntries => listOf(...Array.from({ length: count }, (_, i) => `notes/${i}.md`));
  expect(sealPathList(many(40_000), epoch, systemRandom)?.length).toBeLessThanOrEqual(4 * 1024 * 1024);
  expect(sealPathList(many(80_000), epoch, systemRandom)).toBeUndefined();
});

test('its length does not tell how long paths are', () => {
  const paths = Array.from({ length: 100 }, (_, i) => `notes/${i}.md`);
  expect(sealed('a', ...paths).length).toBe(sealed('a-name-that-is-longer.md', ...paths).length);
});
