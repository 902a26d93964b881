/** Format 1 holds more than this version writes. What a later 1.x writes within it must be read here and now. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { utf8 } from '../../../src/bytes.ts';
import { ready } from '../../../src/crypto/sodium.ts';
import { nodeFileSystem, type FileSystem } from '../../../src/git/fs.ts';
import type { Oid } from '../../../src/git/objects.ts';
import type { Unlock } from '../../../src/vault/keys.ts';
import { parsePath } from '../../../src/vault/path.ts';
import { VaultRepository } from '../../../src/vault/vault-repository.ts';
import { flipped, matching } from '../../support/codes.ts';
import { fixedRandom } from '../../support/fixed-random.ts';
import { git, temporaryFolder } from '../../support/git-repository.ts';
import { HandMadeVault, makeEpoch, makeKeyring, makeSlot, makeStore, makeStoreSlot, type HandEpoch, type HandStore } from '../../support/hand-made-vault.ts';

const folder = temporaryFolder();
const random = fixedRandom('future');
const [a, b] = ['/memories/a.txt', '/memories/b/c.txt'];
let store: HandStore;
let first: HandEpoch;
let second: HandEpoch;

beforeAll(async () => {
  await ready;
  store = await makeStore('alice', random);
  first = makeEpoch(1, random);
  second = makeEpoch(2, random, first.epoch.facts.repositoryId);
});

let repositories = 0;
async function saved(vault: HandMadeVault, head: Oid): Promise<string> {
  const gitdir = join(folder, `${repositories++}.git`);
  await vault.save(gitdir, head);
  return gitdir;
}

async function readAll(vault: VaultRepository, at?: Oid): Promise<Record<string, string>> {
  const snapshot = await vault.snapshot(at);
  const files: Record<string, string> = {};
  for await (const { kind, path } of snapshot.walk(parsePath('/memories'))) files[path] = kind === 'file' ? Buffer.from(await snapshot.read(path)).toString() : kind;
  return files;
}

const writing = (path: string, text: string) => async () => ({
  changes: [{ kind: 'write' as const, path: parsePath(path), content: utf8(text) }], record: { op: 'create', paths: [parsePath(path)] }, result: undefined,
});

const storeSlot = () => makeStoreSlot(first.epoch.facts.repositoryId, store.wrapKey, random);

/** One commit with two files, in the first epoch; then the rotation to the second, whose commit the first one signs. */
async function rotated(vault: HandMadeVault): Promise<{ before: Oid; rotation: Oid }> {
  const slots = [storeSlot()];
  const keyring = makeKeyring({ store, counter: 1, slots, epochs: [first] }, random);
  const init = vault.commit({ tree: vault.tree(keyring), sealIn: first.epoch, signWith: first.signingKey, record: { op: 'init' } });
  const files = { [a]: 'first', [b]: 'below' };
  const before = vault.commit({ tree: vault.tree(keyring, await vault.entries(first.epoch, files)), parents: [init], sealIn: first.epoch, signWith: first.signingKey, record: { sequence: 1 } });
  const next = makeKeyring({ store, counter: 2, slots, epochs: [first, second] }, random);
  const rotation = vault.commit({
    tree: vault.tree(next, await vault.entries(second.epoch, files)), parents: [before], sealIn: second.epoch, signWith: first.signingKey, record: { op: 'rotate', sequence: 2 },
  });
  return { before, rotation };
}

test('a vault of two epochs opens, reads its old snapshots, and is written in the newer one', async () => {
  const made = new HandMadeVault(random);
  const { before, rotation } = await rotated(made);
  const gitdir = await saved(made, rotation);
  const vault = await VaultRepository.open(gitdir, store);
  expect((await vault.head()).record.op).toBe('rotate');
  for (const at of [undefined, before, rotation]) expect(await readAll(vault, at)).toEqual({ 'a.txt': 'first', 'b/c.txt': 'below' });
  expect((await vault.commit(before)).record.sequence).toBe(1);

  const { commit } = await vault.transact(writing(a, 'second'));
  expect(commit?.record.sequence).toBe(3);
  const again = await VaultRepository.open(gitdir, store);
  expect(again.keys.epoch.facts.number).toBe(2);
  expect(await readAll(again)).toEqual({ 'a.txt': 'second', 'b/c.txt': 'below' });
  expect(await readAll(again, before)).toEqual({ 'a.txt': 'first', 'b/c.txt': 'below' });
  for (let oid: Oid | undefined = commit!.oid; oid; oid = (await again.commit(oid)).commit.parents[0]) await again.checkSignatureOf(await again.commit(oid));
});

test('an open vault follows a rotation that another process makes', async () => {
  const made = new HandMadeVault(random);
  const { before, rotation } = await rotated(made);
  const gitdir = await saved(made, rotation);
  git(gitdir, ['update-ref', 'refs/heads/main', before]);
  const vault = await VaultRepository.open(gitdir, store);
  expect(vault.keys.epoch.facts.number).toBe(1);
  await readAll(vault);
  git(gitdir, ['update-ref', 'refs/heads/main', rotation]);
  expect(await readAll(vault)).toEqual({ 'a.txt': 'first', 'b/c.txt': 'below' });
  expect(vault.keys.epoch.facts.number).toBe(2);
  await vault.transact(writing(a, 'after'));
  expect(await readAll(await VaultRepository.open(gitdir, store))).toMatchObject({ 'a.txt': 'after' });
});

test('a rotation signed by the new epoch itself is refused', async () => {
  const made = new HandMadeVault(random);
  const { before } = await rotated(made);
  const keyring = makeKeyring({ store, counter: 2, slots: [storeSlot()], epochs: [first, second] }, random);
  const head = made.commit({ tree: made.tree(keyring), parents: [before], sealIn: second.epoch, signWith: second.signingKey });
  await expect(VaultRepository.open(await saved(made, head), store)).rejects.toThrow(matching('ALTERED'));
});

test('a tree with an entry of another epoch is refused', async () => {
  const made = new HandMadeVault(random);
  const { before } = await rotated(made);
  const keyring = makeKeyring({ store, counter: 2, slots: [storeSlot()], epochs: [first, second] }, random);
  const mixed = { ...(await made.entries(second.epoch, { [a]: 'new' })), ...(await made.entries(first.epoch, { [b]: 'old' })) };
  const head = made.commit({ tree: made.tree(keyring, mixed), parents: [before], sealIn: second.epoch, signWith: first.signingKey });
  const vault = await VaultRepository.open(await saved(made, head), store);
  await expect(readAll(vault)).rejects.toThrow(matching('ALTERED'));
});

test('recipients open with their own keys, to write or only to read; a slot of an unknown kind is skipped', async () => {
  const made = new HandMadeVault(random);
  const [writer, reader] = [makeSlot('recipient', 'writer', random), makeSlot('recipient', 'reader', random)];
  const slots = [makeSlot('hardware-token', 'writer', random, random(100)), storeSlot(), writer, reader];
  const keyring = makeKeyring({ store, counter: 1, slots, epochs: [first] }, random);
  const head = made.commit({ tree: made.tree(keyring, await made.entries(first.epoch, { [a]: 'shared' })), sealIn: first.epoch, signWith: first.signingKey });
  const gitdir = await saved(made, head);

  const open = (unlock: Unlock) => VaultRepository.open(gitdir, unlock);
  const opened = { store: await open(store), writer: await open(writer.pair), reader: await open(reader.pair) };
  for (const vault of Object.values(opened)) expect(await readAll(vault)).toEqual({ 'a.txt': 'shared' });
  expect(Object.values(opened).map(({ keys }) => keys.role)).toEqual(['writer', 'writer', 'reader']);

  await opened.writer.transact(writing(a, 'by the recipient'));
  expect(await readAll(opened.reader)).toEqual({ 'a.txt': 'by the recipient' });
  const before = readdirSync(gitdir, { recursive: true });
  await expect(opened.reader.transact(writing(a, 'by the reader'))).rejects.toThrow(matching('READ_ONLY'));
  expect(readdirSync(gitdir, { recursive: true })).toEqual(before);
  await expect(open({ privateKey: random(32) })).rejects.toThrow(matching('WRONG_KEY'));
});

test('a merge of two lines reads, counts on from the longer one, and is signed as its first parent says', async () => {
  const made = new HandMadeVault(random);
  const keyring = makeKeyring({ store, counter: 1, slots: [storeSlot()], epochs: [first] }, random);
  const by = { sealIn: first.epoch, signWith: first.signingKey };
  const base = made.commit({ ...by, tree: made.tree(keyring), record: { op: 'init' } });
  const ours = made.commit({ ...by, tree: made.tree(keyring, await made.entries(first.epoch, { [a]: 'ours' })), parents: [base], record: { sequence: 1 } });
  const theirs = made.commit({ ...by, tree: made.tree(keyring, await made.entries(first.epoch, { [b]: 'theirs' })), parents: [base], record: { sequence: 7 } });
  const both = await made.entries(first.epoch, { [a]: 'ours', [b]: 'theirs' });
  const merge = made.commit({ ...by, tree: made.tree(keyring, both), parents: [ours, theirs], record: { op: 'merge', sequence: 8 } });
  const vault = await VaultRepository.open(await saved(made, merge), store);
  expect(await readAll(vault)).toEqual({ 'a.txt': 'ours', 'b/c.txt': 'theirs' });
  expect((await vault.head()).commit.parents).toEqual([ours, theirs]);
  expect(await readAll(vault, theirs)).toEqual({ 'b/c.txt': 'theirs' });
  await vault.checkSignatureOf(await vault.commit(merge));
  expect((await vault.transact(writing(a, 'on'))).commit?.record.sequence).toBe(9);
});

describe('what is of a later format is refused before anything is written', () => {
  /** Refuses every call that changes something. */
  const readOnlyDisk = new Proxy(nodeFileSystem, {
    get(target, name: keyof FileSystem) {
      if (['open', 'readFile', 'lstat', 'readdir'].includes(name)) return target[name];
      return () => { throw new Error(`${name} was called`); };
    },
  });

  const by = () => ({ sealIn: first.epoch, signWith: first.signingKey });
  const firstKeyring = () => makeKeyring({ store, counter: 1, slots: [storeSlot()], epochs: [first] }, random);

  /** A commit of a later format, with these parents and, where it does not change it, this keyring. */
  const later: Record<string, (made: HandMadeVault, keyring: Uint8Array, parents: Oid[]) => Oid> = {
    'a keyring of format 2': (made, keyring, parents) => {
      const changed = Buffer.from(keyring).toString().replace('"format": 1', '"format": 2,\n "new": {}');
      return made.commit({ ...by(), tree: made.tree(utf8(changed)), parents });
    },
    'a record in an envelope of version 2': (made, keyring, parents) =>
      made.commit({ ...by(), tree: made.tree(keyring), parents, envelope: flipped(first.epoch.seal('record', new Uint8Array(64), random), 4, 1 ^ 2) }),
    'a record in an envelope of an unknown kind': (made, keyring, parents) =>
      made.commit({ ...by(), tree: made.tree(keyring), parents, envelope: flipped(first.epoch.seal('record', new Uint8Array(64), random), 5, 2 ^ 9) }),
  };

  test.each(Object.entries(later))('%s', async (_, make) => {
    const made = new HandMadeVault(random);
    const gitdir = await saved(made, make(made, firstKeyring(), []));
    await expect(VaultRepository.open(gitdir, store, { fs: readOnlyDisk })).rejects.toThrow(matching('UNSUPPORTED_VERSION'));
  });

  test.each(Object.entries(later))('%s, on top of a head that was open already', async (_, make) => {
    const made = new HandMadeVault(random);
    const keyring = firstKeyring();
    const base = made.commit({ ...by(), tree: made.tree(keyring) });
    const head = make(made, keyring, [base]);
    const gitdir = await saved(made, base);
    const vault = await VaultRepository.open(gitdir, store, { fs: readOnlyDisk });
    git(gitdir, ['update-ref', 'refs/heads/main', head]);
    await expect(vault.transact(writing(a, 'x'))).rejects.toThrow(matching('UNSUPPORTED_VERSION'));
  });
});
