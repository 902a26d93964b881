import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemRandom } from '../../../src/crypto/sodium.ts';
import { isMemgitError } from '../../../src/errors.ts';
import type { Oid } from '../../../src/git/objects.ts';
import { PackIndex } from '../../../src/git/pack-index.ts';
import { resolveRange, resolveRevision } from '../../../src/history/revision.ts';
import { VaultRepository } from '../../../src/vault/vault-repository.ts';
import { temporaryFolder } from '../../support/git-repository.ts';
import { HandMadeVault, makeEpoch, makeKeyring, makeStore, makeStoreSlot } from '../../support/hand-made-vault.ts';
import { createTmpVault, FIRST_TIME_MS, MINUTE_MS, reopen, writeFile } from '../../support/tmp-vault.ts';

const folder = temporaryFolder();
let vault: VaultRepository;
/** The commit that made the vault, and one a minute after it: the first has a session, all have a tool use. */
let oids: Oid[];

beforeAll(async () => {
  ({ vault } = await createTmpVault(folder));
  oids = [(await vault.head()).oid];
  for (let i = 1; i <= 300; i += 1) {
    oids.push(await writeFile(vault, 'a.txt', `${i}`, { toolUseId: `toolu_${i}`, ...(i <= 2 ? { session: 'first' } : {}) }));
  }
});

afterAll(() => vault.close());

const resolve = (text: string) => resolveRevision(vault, text, FIRST_TIME_MS + 300 * MINUTE_MS);

test.each<[text: string, index: number]>([
  ['HEAD', 300],
  ['@', 300],
  ['HEAD~', 299],
  ['HEAD^', 299],
  ['HEAD~3', 297],
  ['HEAD~2^~', 296],
  ['HEAD~0', 300],
  ['@{10 minutes ago}', 290],
  ['@{now}', 300],
  ['HEAD@{10 minutes ago}~1', 289],
  [`@{${new Date(FIRST_TIME_MS + 5.5 * MINUTE_MS).toISOString()}}`, 5],
  ['tool-use:toolu_7', 7],
  ['tool-use:toolu_7~1', 6],
  ['session:first', 2],
])('%s', async (text, index) => {
  expect(await resolve(text)).toBe(oids[index]);
});

test('an oid, whole or as a prefix that is long enough', async () => {
  expect(await resolve(oids[9]!)).toBe(oids[9]);
  expect(await resolve(oids[9]!.slice(0, 12))).toBe(oids[9]);
  expect(await resolve(`${oids[9]!.slice(0, 12)}~2`)).toBe(oids[7]);
});

/** Seen to fail where objects of other types count. */
test('four digits name a commit where no other commit begins so, whatever else does', async () => {
  const prefixes = new Map<string, number>();
  for (const oid of oids) prefixes.set(oid.slice(0, 4), (prefixes.get(oid.slice(0, 4)) ?? 0) + 1);
  // 300 commits lie among 1,200 objects, so some of their prefixes are those of trees or blobs too.
  for (const oid of oids) {
    const expected = prefixes.get(oid.slice(0, 4)) === 1 ? expect(resolve(oid.slice(0, 4))).resolves.toBe(oid) : expect(resolve(oid.slice(0, 4))).rejects.toMatchObject({ code: 'BAD_REVISION' });
    await expected;
  }
});

/** Seen to fail where what is damaged is passed over. */
test('the first digits of a damaged commit say that it is damaged', async () => {
  const made = await createTmpVault(folder, 'bob');
  const { vault: other, gitdir } = made;
  const oid = await writeFile(other, 'a.txt', 'a');
  // Of the head and its parents opening would tell.
  for (const text of ['b', 'c']) await writeFile(other, 'a.txt', text);
  for (const file of readdirSync(join(gitdir, 'objects/pack')).filter((name) => name.endsWith('.idx'))) {
    const offset = new PackIndex(readFileSync(join(gitdir, 'objects/pack', file))).offsetOf(oid);
    if (offset === undefined) continue;
    const path = join(gitdir, 'objects/pack', file.replace(/idx$/, 'pack'));
    const bytes = readFileSync(path);
    bytes.fill(0, offset + 4, offset + 20);
    chmodSync(path, 0o600);
    writeFileSync(path, bytes);
  }
  const reopened = await reopen(made);
  await expect(resolveRevision(reopened, oid.slice(0, 10))).rejects.toMatchObject({ code: 'BAD_REVISION', message: expect.stringContaining('damaged') as string });
  await Promise.all([other.close(), reopened.close()]);
});

test('a range', async () => {
  expect(await resolveRange(vault, 'HEAD~3..HEAD~1')).toEqual({ from: oids[297], to: oids[299] });
  expect(await resolveRange(vault, 'HEAD~3..')).toEqual({ from: oids[297], to: oids[300] });
});

test.each(['', 'main', 'abc', 'zzzz', '@{soon}', 'HEAD~301', 'f'.repeat(40), 'tool-use:none', 'session:', 'HEAD~1..HEAD'])('%j is refused', async (text) => {
  await expect(resolve(text)).rejects.toMatchObject({ code: 'BAD_REVISION' });
});

test('the oid of something that is no commit is refused', async () => {
  await expect(resolve((await vault.head()).commit.tree)).rejects.toMatchObject({ code: 'BAD_REVISION' });
});

test('a commit that is named by its oid has to be signed by the vault', async () => {
  const store = await makeStore('alice', systemRandom);
  const made = makeEpoch(1, systemRandom);
  const hand = new HandMadeVault(systemRandom);
  const keyring = makeKeyring({ store, counter: 1, slots: [makeStoreSlot(made.epoch.facts.repositoryId, store.wrapKey, systemRandom)], epochs: [made] }, systemRandom);
  const first = hand.commit({ sealIn: made.epoch, signWith: made.signingKey, tree: hand.tree(keyring) });
  const beside = { sealIn: made.epoch, tree: hand.tree(keyring), parents: [first], record: { sequence: 1 } };
  const own = hand.commit({ ...beside, signWith: made.signingKey });
  const foreign = hand.commit({ ...beside, signWith: makeEpoch(1, systemRandom).signingKey });
  const gitdir = join(folder, 'beside.git');
  await hand.save(gitdir, first);
  const other = await VaultRepository.open(gitdir, { wrapKey: store.wrapKey });
  expect(await resolveRevision(other, own)).toBe(own);
  await expect(resolveRevision(other, foreign)).rejects.toMatchObject({ code: 'ALTERED' });
  await other.close();
});

test('a tool use that is not there says which it could be', async () => {
  const error: unknown = await resolve('tool-use:toolu_30').then(() => undefined, (reason: unknown) => reason);
  expect(error).toBeUndefined();
  await expect(resolve('tool-use:toolu_29x')).rejects.toMatchObject({ details: { candidates: [] } });
  await expect(resolve('session:fir')).rejects.toMatchObject({ details: { candidates: [oids[2]] } });
});

test('a prefix that several commits have says which', async () => {
  const alike = new Map<string, Oid[]>();
  for (const oid of oids) alike.set(oid.slice(0, 4), [...(alike.get(oid.slice(0, 4)) ?? []), oid]);
  // Among 301 commits two that begin alike are likely, but not certain.
  for (const [prefix, found] of [...alike].filter(([, { length }]) => length > 1).slice(0, 1)) {
    const error: unknown = await resolve(prefix).catch((reason: unknown) => reason);
    expect(isMemgitError(error, 'BAD_REVISION') && error.details['candidates']).toEqual(found.sort());
  }
});

test('a time before the first commit says so', async () => {
  await expect(resolve('@{2020-01-01}')).rejects.toMatchObject({ code: 'BAD_REVISION', details: { candidates: [oids[0]] } });
});
