/**
 * One changed byte anywhere in a vault's repository is noticed, or changes nothing that anyone can read. Seen to fail with a ref read
 * without its end, and with HEAD not read. Objects are checked twice, by hash and by seal or signature: without the first alone it holds.
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { toHex, utf8 } from '../../src/bytes.ts';
import { ready } from '../../src/crypto/sodium.ts';
import { ERRORS } from '../../src/errors.ts';
import type { Oid } from '../../src/git/objects.ts';
import { parsePath, ROOT } from '../../src/vault/path.ts';
import { VaultRepository } from '../../src/vault/vault-repository.ts';
import { flipped, outcomeOf } from '../support/codes.ts';
import { fixedRandom } from '../support/fixed-random.ts';
import { git, temporaryFolder } from '../support/git-repository.ts';
import { makeStore, type HandStore } from '../support/hand-made-vault.ts';

const gitdir = join(temporaryFolder(), 'vault.git');
let store: HandStore;
let whole: string;

beforeAll(async () => {
  await ready;
  store = await makeStore('alice', fixedRandom('byte flips'));
  const vault = await VaultRepository.create(gitdir, { userId: 'alice', vaultId: store.vaultId, store: store.identity, wrapKey: store.wrapKey });
  const text = Array.from({ length: 200 }, (_, i) => `line ${i} of a file`).join('\n');
  for (const [i, name] of ['a.txt', 'b/c.txt', 'a.txt', 'a.txt'].entries()) {
    const path = parsePath(`/memories/${name}`);
    const content = utf8(text.replace(`line ${i * 40} `, `line ${i} changed `));
    await vault.transact(async () => ({ changes: [{ kind: 'write', path, content }], record: { op: 'create', paths: [path] }, result: undefined }));
  }
  const paths = Array.from({ length: 50 }, (_, i) => parsePath(`/memories/many/${i}`));
  await vault.transact(async () => ({ changes: paths.map((path) => ({ kind: 'write', path, content: utf8(path) })), record: { op: 'import', paths }, result: undefined }));
  await vault.close();
  await leavePathList();
  whole = await readEverything();
});

/** Has a process that knows nothing look for a path. */
async function leavePathList(): Promise<void> {
  const vault = await VaultRepository.open(gitdir, store);
  await (await vault.snapshot()).stat(parsePath('/memories/nothing'));
  await vault.close();
}

/** Every record and every file of every commit, as text. */
async function readEverything(): Promise<string> {
  const vault = await VaultRepository.open(gitdir, store, { readOnly: true });
  try {
    const found: unknown[] = [];
    for (let oid: Oid | undefined = (await vault.head()).oid; oid; ) {
      const info = await vault.commit(oid);
      await vault.checkSignatureOf(info);
      const snapshot = await vault.snapshot(oid);
      for await (const { path } of snapshot.walk(ROOT)) found.push(path, toHex(await snapshot.read(path)));
      found.push(info);
      oid = info.commit.parents[0];
    }
    return JSON.stringify(found);
  } finally {
    await vault.close();
  }
}

/** What becomes of reading everything with one byte changed. */
async function readWithFlip(file: string, at: number, xor: number): Promise<string> {
  const path = join(gitdir, file);
  const bytes = readFileSync(path);
  writeFileSync(path, flipped(bytes, at, xor));
  try {
    const result = await outcomeOf(readEverything);
    return 'code' in result ? result.code : result.value === whole ? 'the same' : 'something else';
  } finally {
    writeFileSync(path, bytes);
  }
}

const filesOf = () => (readdirSync(gitdir, { recursive: true }) as string[]).filter((file) => statSync(join(gitdir, file)).isFile()).sort();
const NOTICED = Object.keys(ERRORS);

test('the vault that is damaged below is whole', async () => {
  expect(await readEverything()).toBe(whole);
  expect(filesOf().filter((file) => file.endsWith('.pack')).length).toBeGreaterThan(2);
});

test('any byte of any file', async () => {
  const files = filesOf();
  const place = fc.constantFrom(...files).chain((file) => fc.tuple(fc.constant(file), fc.nat(statSync(join(gitdir, file)).size - 1), fc.integer({ min: 1, max: 255 })));
  await fc.assert(
    fc.asyncProperty(place, async ([file, at, xor]) => {
      expect([...NOTICED, 'the same']).toContain(await readWithFlip(file, at, xor));
    }),
    { numRuns: process.env['SLOW'] === '1' ? 20_000 : 250 },
  );
});

test('every byte of the ref and of HEAD', async () => {
  for (const file of ['HEAD', 'refs/heads/main']) {
    const { size } = statSync(join(gitdir, file));
    for (let at = 0; at < size; at++) expect(NOTICED).toContain(await readWithFlip(file, at, 1 << (at % 7)));
  }
});

test('some bytes of the path list, and none changes anything', async () => {
  const { size } = statSync(join(gitdir, 'memgit/paths'));
  for (let at = 0; at < size; at += 97) expect(await readWithFlip('memgit/paths', at, 1 << at % 8)).toBe('the same');
});

test('the same after git has packed everything into deltas of its own', async () => {
  git(gitdir, ['repack', '-a', '-d', '-f', '-q', '--depth=50']);
  git(gitdir, ['pack-refs', '--all']);
  expect(await readEverything()).toBe(whole);
  const files = filesOf();
  const place = fc.constantFrom(...files).chain((file) => fc.tuple(fc.constant(file), fc.nat(statSync(join(gitdir, file)).size - 1), fc.integer({ min: 1, max: 255 })));
  await fc.assert(
    fc.asyncProperty(place, async ([file, at, xor]) => {
      expect([...NOTICED, 'the same']).toContain(await readWithFlip(file, at, xor));
    }),
    { numRuns: process.env['SLOW'] === '1' ? 20_000 : 100 },
  );
});
