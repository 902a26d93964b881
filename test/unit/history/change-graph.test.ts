import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ready } from '../../../src/crypto/sodium.ts';
import { blame } from '../../../src/history/blame.ts';
import { log } from '../../../src/history/log.ts';
import { VaultRepository } from '../../../src/vault/vault-repository.ts';
import { fixedRandom } from '../../support/fixed-random.ts';
import { temporaryFolder } from '../../support/git-repository.ts';
import { HandMadeVault, makeEpoch, makeKeyring, makeStore, makeStoreSlot } from '../../support/hand-made-vault.ts';
import { indexPath, makeIndex, placeIndex } from '../../support/history-index.ts';
import { at, collect, createTmpVault, reopen, writeFile, type TmpVault } from '../../support/tmp-vault.ts';

const folder = temporaryFolder();

describe('a long history', () => {
  const COMMITS = 270;
  let tmp: TmpVault;
  const index = () => indexPath(tmp.gitdir);
  beforeAll(async () => {
    tmp = await createTmpVault(folder);
    for (let i = 0; i < COMMITS; i += 1) await writeFile(tmp.vault, i % 90 === 0 ? 'rare.txt' : `often-${i % 7}.txt`, `${i}\n`);
  });
  afterAll(() => tmp.vault.close());

  /** The oids that a question about the rare file is answered with, and how many objects were read for it. */
  async function ask(vault: VaultRepository): Promise<{ oids: string[]; reads: number }> {
    const read = jest.spyOn(vault.repository, 'read');
    const oids = (await collect(log(vault, { path: at('rare.txt') }))).map(({ oid }) => oid);
    const reads = read.mock.calls.length;
    read.mockRestore();
    return { oids, reads };
  }

  test('is read once; the next question reads what it shows', async () => {
    expect(existsSync(index())).toBe(false);
    const first = await ask(await reopen(tmp));
    expect(first.oids).toHaveLength(3);
    expect(first.reads).toBeGreaterThan(2 * COMMITS);
    expect(statSync(index()).mode & 0o777).toBe(0o600);
    const second = await ask(await reopen(tmp));
    expect(second.oids).toEqual(first.oids);
    expect(second.reads).toBeLessThan(20);
    expect((await blame(await reopen(tmp), at('rare.txt'))).map(({ oid }) => oid)).toEqual([first.oids[0]]);
  });

  test('a few further commits are read every time, and the index stays as it is', async () => {
    const before = readFileSync(index());
    const added = await writeFile(tmp.vault, 'rare.txt', 'new\n');
    const { oids, reads } = await ask(await reopen(tmp));
    expect(oids[0]).toBe(added);
    expect(reads).toBeLessThan(30);
    expect(readFileSync(index())).toEqual(before);
  });

  test('an index that is damaged is made anew', async () => {
    const whole = readFileSync(index());
    placeIndex(tmp.gitdir, whole.subarray(1));
    const { oids } = await ask(await reopen(tmp));
    expect(oids).toHaveLength(4);
    expect(readFileSync(index()).length).toBeGreaterThan(whole.length);
  });

  test('a vault that is open read-only uses an index and makes none', async () => {
    const readOnly = () => VaultRepository.open(tmp.gitdir, { wrapKey: tmp.wrapKey }, { readOnly: true });
    expect((await ask(await readOnly())).reads).toBeLessThan(30);
    placeIndex(tmp.gitdir, undefined);
    expect((await ask(await readOnly())).oids).toHaveLength(4);
    expect(existsSync(index())).toBe(false);
  });

  test('a question that is broken off keeps what it found out', async () => {
    placeIndex(tmp.gitdir, undefined);
    let met = 0;
    for await (const { oid } of log(await reopen(tmp), { path: at('often-1.txt') })) {
      met += 1;
      if (met === 38) break;
      expect(oid).toHaveLength(40);
    }
    expect(existsSync(index())).toBe(true);
    expect((await ask(await reopen(tmp))).oids).toHaveLength(4);
  });
});

test('a change of keys is no change of a file, with an index and without', async () => {
  await ready;
  const random = fixedRandom('change-graph');
  const store = await makeStore('alice', random);
  const first = makeEpoch(1, random);
  const second = makeEpoch(2, random, first.epoch.facts.repositoryId);
  const slots = [makeStoreSlot(first.epoch.facts.repositoryId, store.wrapKey, random)];
  const [old, fresh] = [[first], [first, second]].map((epochs, i) => makeKeyring({ store, counter: i + 1, slots, epochs }, random));
  const made = new HandMadeVault(random);
  const paths = { a: '/memories/a.txt', other: '/memories/d/b.txt' };
  const init = made.commit({ tree: made.tree(old!), sealIn: first.epoch, signWith: first.signingKey, record: { op: 'init' } });
  const written = await made.entries(first.epoch, { [paths.a]: 'one\n', [paths.other]: 'b\n' });
  const before = made.commit({ tree: made.tree(old!, written), parents: [init], sealIn: first.epoch, signWith: first.signingKey, record: { sequence: 1 } });
  const resealed = await made.entries(second.epoch, { [paths.a]: 'one\n', [paths.other]: 'b\n' });
  const rotation = made.commit({ tree: made.tree(fresh!, resealed), parents: [before], sealIn: second.epoch, signWith: first.signingKey, record: { op: 'rotate', sequence: 2 } });
  const edited = { ...resealed, ...(await made.entries(second.epoch, { [paths.a]: 'one\ntwo\n' })) };
  const edit = made.commit({ tree: made.tree(fresh!, edited), parents: [rotation], sealIn: second.epoch, signWith: second.signingKey, record: { sequence: 3 } });
  const gitdir = join(folder, 'rotated.git');
  await made.save(gitdir, edit);

  const vault = await VaultRepository.open(gitdir, store);
  const index = await makeIndex(vault, edit);
  for (const bytes of [undefined, index]) {
    placeIndex(gitdir, bytes);
    expect((await collect(log(vault, { path: at('a.txt') }))).map(({ oid }) => oid)).toEqual([edit, before]);
    expect((await collect(log(vault, { path: at('d') }))).map(({ oid }) => oid)).toEqual([before]);
    expect((await blame(vault, at('a.txt'))).map(({ oid }) => oid)).toEqual([before, edit]);
  }
  await vault.close();
});
