/**
 * What someone can make of a vault who can write to its repository, with no key, an old one, or a reader's. Seen to fail with the
 * signature, the descent, the succession of keyrings or the name of an entry not checked.
 */
import { join } from 'node:path';
import { concat } from '../../../src/bytes.ts';
import { sealBox } from '../../../src/crypto/box.ts';
import { decodeCommit } from '../../../src/git/commit.ts';
import type { Oid } from '../../../src/git/objects.ts';
import { ready } from '../../../src/crypto/sodium.ts';
import { recordEnvelope } from '../../../src/vault/commit-info.ts';
import { Epoch } from '../../../src/vault/epoch.ts';
import type { KeyringFacts } from '../../../src/vault/keyring.ts';
import { ROLES, sealEpochBox } from '../../../src/vault/keys.ts';
import { parsePath } from '../../../src/vault/path.ts';
import { VaultRepository } from '../../../src/vault/vault-repository.ts';
import { matching } from '../../support/codes.ts';
import { fixedRandom } from '../../support/fixed-random.ts';
import { git, temporaryFolder } from '../../support/git-repository.ts';
import { HandMadeVault, makeEpoch, makeKeyring, makeSlot, makeStore, makeStoreSlot, type HandEpoch, type HandSlot, type HandStore, type KeyringParts } from '../../support/hand-made-vault.ts';

const folder = temporaryFolder();
const random = fixedRandom('trust');
const file = '/memories/a.txt';
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

const parts = (changes: Partial<KeyringParts> = {}): KeyringParts => ({ store, counter: 1, slots: [slot], epochs: [first], ...changes });
const keyringOf = (changes: Partial<KeyringParts> = {}, change?: (facts: KeyringFacts) => KeyringFacts) => makeKeyring(parts(changes), random, change);

/** A vault whose one file was written, and then written over. */
async function honest(made: HandMadeVault, keyring: Uint8Array): Promise<{ old: Oid; head: Oid; oldTree: Oid }> {
  const by = { sealIn: first.epoch, signWith: first.signingKey };
  const oldTree = made.tree(keyring, await made.entries(first.epoch, { [file]: 'the old text' }));
  const old = made.commit({ ...by, tree: oldTree });
  const head = made.commit({ ...by, tree: made.tree(keyring, await made.entries(first.epoch, { [file]: 'the new text' })), parents: [old], record: { sequence: 1 } });
  return { old, head, oldTree };
}

/** The same epoch with another key. */
function strangeKey({ epoch, signingKey }: HandEpoch): Epoch {
  return new Epoch(epoch.facts, random(32), signingKey);
}

/** A reader's box that holds the writers' seed all the same. */
function boxOfReaderWithSeed({ epoch, seed }: HandEpoch): Uint8Array {
  return sealBox(concat(epoch.facts.repositoryId, epoch.tag, Uint8Array.of(ROLES.reader), epoch.key, seed), slot.pair.publicKey);
}

function boxOf({ epoch, seed }: HandEpoch): Uint8Array {
  return sealEpochBox(epoch, 'writer', seed, slot.pair.publicKey);
}

let repositories = 0;
/** Opens what was made afresh, and also as the next head of a vault that was open at `seen`. */
async function refusals(made: HandMadeVault, seen: Oid, head: Oid): Promise<unknown[]> {
  const gitdir = join(folder, `${repositories++}.git`);
  await made.save(gitdir, seen);
  const running = await VaultRepository.open(gitdir, store);
  git(gitdir, ['update-ref', 'refs/heads/main', head]);
  const results = await Promise.allSettled([VaultRepository.open(gitdir, store), running.head()]);
  return results.map((result) => (result.status === 'rejected' ? (result.reason as { code: unknown }).code : 'accepted'));
}

test('an honest next commit is accepted', async () => {
  const made = new HandMadeVault(random);
  const { old, head } = await honest(made, keyringOf());
  expect(await refusals(made, old, head)).toEqual(['accepted', 'accepted']);
});

test('without any key: a keyring of one’s own in a parent does not make one a signer', async () => {
  const made = new HandMadeVault(random);
  const keyring = keyringOf();
  const { head, oldTree } = await honest(made, keyring);
  const mine = makeEpoch(1, random);
  const strange = makeKeyring({ ...parts(), counter: 0, epochs: [mine] }, random);
  const parent = made.commit({ tree: made.tree(strange), parents: [head], sealIn: mine.epoch, signWith: mine.signingKey });
  // The old tree again, under a record that was copied from a real commit.
  const copied = recordEnvelope(decodeCommit(made.body(head)));
  const forged = made.commit({ tree: oldTree, parents: [parent], envelope: copied, sealIn: mine.epoch, signWith: mine.signingKey });
  expect(await refusals(made, head, forged)).toEqual(['ALTERED', 'ALTERED']);
});

test('without any key: no signature, another signature, the parent’s signature', async () => {
  const made = new HandMadeVault(random);
  const { head, oldTree } = await honest(made, keyringOf());
  const copied = recordEnvelope(decodeCommit(made.body(head)));
  for (const signWith of [undefined, makeEpoch(1, random).signingKey]) {
    const forged = made.commit({ tree: oldTree, parents: [head], envelope: copied, sealIn: first.epoch, ...(signWith && { signWith }) });
    expect(await refusals(made, head, forged)).toEqual(['ALTERED', 'ALTERED']);
  }
  const { signature } = decodeCommit(made.body(head));
  const forged = made.commit({ tree: oldTree, parents: [head], envelope: copied, sealIn: first.epoch, signature: signature! });
  expect(await refusals(made, head, forged)).toEqual(['ALTERED', 'ALTERED']);
});

test('a commit of another vault does not pass for one of this', async () => {
  const made = new HandMadeVault(random);
  const { head } = await honest(made, keyringOf());
  const mine = makeEpoch(1, random);
  const copied = recordEnvelope(decodeCommit(made.body(head)));
  const strange = made.commit({ tree: made.tree(makeKeyring({ ...parts(), counter: 0, epochs: [mine] }, random)), envelope: copied, sealIn: mine.epoch, signWith: mine.signingKey });
  const gitdir = join(folder, `${repositories++}.git`);
  await made.save(gitdir, head);
  const vault = await VaultRepository.open(gitdir, store);
  await vault.checkSignatureOf(await vault.commit(head));
  await expect(vault.checkSignatureOf(await vault.commit(strange))).rejects.toThrow(matching('ALTERED'));
});

test('a head that goes back, or aside, is noticed by whoever saw the newer one', async () => {
  const made = new HandMadeVault(random);
  const keyring = keyringOf();
  const { old, head } = await honest(made, keyring);
  expect(await refusals(made, head, old)).toEqual(['accepted', 'ROLLBACK_DETECTED']);
  const aside = made.commit({ tree: made.tree(keyring), parents: [old], sealIn: first.epoch, signWith: first.signingKey });
  expect(await refusals(made, head, aside)).toEqual(['accepted', 'ROLLBACK_DETECTED']);
});

test('with the old epoch’s keys: a second rotation beside the first is refused by whoever saw the first', async () => {
  const made = new HandMadeVault(random);
  const { head } = await honest(made, keyringOf());
  const rotated = keyringOf({ counter: 2, epochs: [first, second] });
  const rotation = made.commit({ tree: made.tree(rotated), parents: [head], sealIn: second.epoch, signWith: first.signingKey });
  const mine = makeEpoch(2, random, first.epoch.facts.repositoryId);
  const aside = keyringOf({ counter: 9, epochs: [first, mine] });
  const parent = made.commit({ tree: made.tree(aside), parents: [rotation], sealIn: mine.epoch, signWith: mine.signingKey });
  const forged = made.commit({ tree: made.tree(aside), parents: [parent], sealIn: mine.epoch, signWith: mine.signingKey });
  expect(await refusals(made, rotation, forged)).toEqual(['accepted', 'ALTERED']);
  // Even where nothing was seen, the commit that changes the keyring does not stand.
  expect(await refusals(made, rotation, parent)).toEqual(['ALTERED', 'ALTERED']);
  const signedByOld = made.commit({ tree: made.tree(aside), parents: [rotation], sealIn: mine.epoch, signWith: first.signingKey });
  expect(await refusals(made, rotation, signedByOld)).toEqual(['ALTERED', 'ALTERED']);
});

// Seen to fail with the check of the other parents, or that of the record's epoch, left out of HeadReader.
test('with the old epoch’s keys: neither a merge that goes on from before the rotation nor a record sealed then is taken', async () => {
  const made = new HandMadeVault(random);
  const { head } = await honest(made, keyringOf());
  const rotated = made.tree(keyringOf({ counter: 2, epochs: [first, second] }));
  const rotation = made.commit({ tree: rotated, parents: [head], sealIn: second.epoch, signWith: first.signingKey });
  const merge = made.commit({ tree: rotated, parents: [head, rotation], sealIn: second.epoch, signWith: first.signingKey });
  expect(await refusals(made, rotation, merge)).toEqual(['ALTERED', 'ALTERED']);
  const sealedByOld = made.commit({ tree: rotated, parents: [rotation], sealIn: first.epoch, signWith: second.signingKey });
  expect(await refusals(made, rotation, sealedByOld)).toEqual(['ALTERED', 'ALTERED']);
  const rightWayRound = made.commit({ tree: rotated, parents: [rotation, head], sealIn: second.epoch, signWith: second.signingKey });
  expect(await refusals(made, rotation, rightWayRound)).toEqual(['accepted', 'accepted']);
});

test.each<[string, () => Uint8Array]>([
  ['an older counter', () => keyringOf({ counter: 4, epochs: [first, second] })],
  ['the same counter with other contents', () => keyringOf({ counter: 5, slots: [slot, makeSlot('recipient', 'writer', random)], epochs: [first, second] })],
  ['an epoch fewer', () => keyringOf({ counter: 6, epochs: [first] })],
])('a keyring may not be exchanged for one with %s', async (_, make) => {
  const made = new HandMadeVault(random);
  const current = keyringOf({ counter: 5, epochs: [first, second] });
  const by = { sealIn: second.epoch };
  const init = made.commit({ tree: made.tree(keyringOf()), sealIn: first.epoch, signWith: first.signingKey });
  const rotation = made.commit({ ...by, tree: made.tree(current), parents: [init], signWith: first.signingKey });
  const exchanged = made.commit({ sealIn: first.epoch, tree: made.tree(make()), parents: [rotation], signWith: second.signingKey });
  expect(await refusals(made, rotation, exchanged)).toEqual(['ALTERED', 'ALTERED']);
});

test.each<[string, () => Uint8Array]>([
  ['a keyed hash under another key', () => makeKeyring(parts({ epochs: [{ ...first, epoch: strangeKey(first) }], boxes: [boxOf(first)] }), random)],
  ['a box of another epoch', () => keyringOf({ boxes: [boxOf(makeEpoch(1, random, first.epoch.facts.repositoryId))] })],
  ['a box of an unknown role', () => keyringOf({ boxes: [sealBox(concat(first.epoch.facts.repositoryId, first.epoch.tag, Uint8Array.of(3), first.epoch.key, first.seed), slot.pair.publicKey)] })],
  ["a reader's box with a seed", () => keyringOf({ boxes: [boxOfReaderWithSeed(first)] })],
  ['a box that does not open', () => keyringOf({ boxes: [random(157)] })],
  ['another key check', () => keyringOf({}, (facts) => ({ ...facts, epochs: facts.epochs.map((epoch) => ({ ...epoch, check: random(16) })) }))],
  ['a label of another epoch', () => keyringOf({}, (facts) => ({ ...facts, label: makeEpoch(1, random).epoch.seal('label', new Uint8Array(128), random) }))],
  ['a label that is not padded as it should be', () => keyringOf({}, (facts) => ({ ...facts, label: first.epoch.seal('label', new Uint8Array(256), random) }))],
])('%s means an altered keyring', async (_, make) => {
  const made = new HandMadeVault(random);
  const head = made.commit({ tree: made.tree(make()), sealIn: first.epoch, signWith: first.signingKey });
  const gitdir = join(folder, `${repositories++}.git`);
  await made.save(gitdir, head);
  await expect(VaultRepository.open(gitdir, store)).rejects.toThrow(matching('ALTERED'));
});

test('another wrap key is a wrong key', async () => {
  const made = new HandMadeVault(random);
  const gitdir = join(folder, `${repositories++}.git`);
  await made.save(gitdir, (await honest(made, keyringOf())).head);
  await expect(VaultRepository.open(gitdir, { wrapKey: random(32) })).rejects.toThrow(matching('WRONG_KEY'));
});

test('an entry under another name, or of another vault, is altered', async () => {
  const made = new HandMadeVault(random);
  const keyring = keyringOf();
  const [x, y] = ['/memories/x', '/memories/y'];
  const named = await made.entries(first.epoch, { [x]: 'x', [y]: 'y' });
  const [[nameX, oidX], [nameY, oidY]] = Object.entries(named) as [[string, Oid], [string, Oid]];
  const stranger = await made.entries(makeEpoch(1, random).epoch, { [x]: 'strange' });
  for (const entries of [{ [nameX]: oidY, [nameY]: oidX }, { [nameX]: Object.values(stranger)[0]! }]) {
    const head = made.commit({ tree: made.tree(keyring, entries), sealIn: first.epoch, signWith: first.signingKey });
    const gitdir = join(folder, `${repositories++}.git`);
    await made.save(gitdir, head);
    const vault = await VaultRepository.open(gitdir, store);
    const snapshot = await vault.snapshot();
    await expect(snapshot.read(parsePath(x))).rejects.toThrow(matching('ALTERED'));
  }
});
