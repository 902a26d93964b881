/** Diverged histories in which keys were changed: they merge when one side did it, and never when both did. */
import { join } from 'node:path';
import { ready, systemRandom } from '../../src/crypto/sodium.ts';
import type { Oid } from '../../src/git/objects.ts';
import { pullRemote } from '../../src/sync/pull.ts';
import type { CommitRecord } from '../../src/vault/record.ts';
import { VaultRepository } from '../../src/vault/vault-repository.ts';
import { HandMadeVault, makeEpoch, makeKeyring, makeStore, makeStoreSlot, type HandEpoch } from '../support/hand-made-vault.ts';
import { Bench } from '../support/remote-vault.ts';
import { contentsOf } from '../support/tmp-vault.ts';

const bench = new Bench();
beforeAll(async () => ready);
afterAll(async () => bench.close());

/** What one side did since the beginning that both have. */
interface Side {
  /** Its files; all in the epoch that it ended in. */
  readonly files: Readonly<Record<string, string>>;
  readonly rotated?: boolean;
  readonly generation?: number;
  /** Instead of the next number. */
  readonly counter?: number;
  /** What a commit in the middle does wrong, under one that is right. */
  readonly wrong?: 'signed with the old key' | 'with the old keyring';
}

async function diverge(start: Readonly<Record<string, string>>, sides: readonly [Side, Side]): Promise<{ ours: VaultRepository; theirs: string }> {
  const store = await makeStore('alice', systemRandom);
  const first = makeEpoch(1, systemRandom);
  const { repositoryId } = first.epoch.facts;
  const slots = [makeStoreSlot(repositoryId, store.wrapKey, systemRandom)];
  const keyring = makeKeyring({ store, counter: 1, slots, epochs: [first] }, systemRandom);
  const hand = new HandMadeVault(systemRandom);
  const displayed = (files: Readonly<Record<string, string>>) => Object.fromEntries(Object.entries(files).map(([path, text]) => [`/memories/${path}`, text]));
  const commit = async (files: Readonly<Record<string, string>>, bytes: Uint8Array, sealIn: HandEpoch, signer: HandEpoch, parents: readonly Oid[], record: Partial<CommitRecord>) =>
    hand.commit({ tree: hand.tree(bytes, await hand.entries(sealIn.epoch, displayed(files))), parents, record, sealIn: sealIn.epoch, signWith: signer.signingKey });

  const base = await commit(start, keyring, first, first, [], { op: 'init' });
  const places: string[] = [];
  for (const [i, { files, rotated = false, generation = 0, counter = 2, wrong }] of sides.entries()) {
    const second = makeEpoch(2, systemRandom, repositoryId);
    const bytes = rotated ? makeKeyring({ store, counter, slots, epochs: [first, second] }, systemRandom) : keyring;
    let head = await commit(files, bytes, rotated ? second : first, first, [base], { sequence: 1, generation, timeMs: Date.UTC(2026, 10, 30, 12, i) });
    if (wrong !== undefined) {
      const timeMs = Date.UTC(2026, 10, 30, 13);
      const back = wrong === 'with the old keyring';
      head = await commit(files, back ? keyring : bytes, back ? first : second, back ? second : first, [head], { sequence: 2, timeMs });
      head = await commit(files, bytes, second, back ? first : second, [head], { sequence: 3, timeMs });
    }
    const gitdir = join(bench.folder, `${head}.git`);
    await hand.save(gitdir, head);
    places.push(gitdir);
  }
  return { ours: await VaultRepository.open(places[0]!, { wrapKey: store.wrapKey }), theirs: places[1]! };
}

const start = { 'a.txt': 'a\n', 'b.txt': 'b\n' };

test.each([[[true, false]], [[false, true]]] as const)('a change of the keys on one side (%j) is merged', async ([here, there]) => {
  const { ours, theirs } = await diverge(start, [
    { files: { ...start, 'a.txt': 'ours\n' }, rotated: here },
    { files: { ...start, 'b.txt': 'theirs\n', 'c.txt': 'c\n' }, rotated: there },
  ]);
  expect(await pullRemote(ours, { name: 'origin', url: theirs })).toMatchObject({ outcome: 'merge', conflicts: [] });
  expect(await contentsOf(await ours.snapshot())).toEqual({ 'a.txt': 'ours\n', 'b.txt': 'theirs\n', 'c.txt': 'c\n' });
  expect(ours.keys.epoch.facts.number).toBe(2);
  await ours.checkSignatureOf(await ours.head());
  await ours.close();
});

test('a change of the keys on both sides is an error that says which is to be redone', async () => {
  const { ours, theirs } = await diverge(start, [{ files: start, rotated: true }, { files: start, rotated: true, counter: 3 }]);
  const { oid } = await ours.head();
  await expect(pullRemote(ours, { name: 'origin', url: theirs })).rejects.toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('made here must be redone'), details: { redo: 'ours' } });
  expect((await ours.head()).oid).toBe(oid);
  await ours.close();
});

test('a keyring that goes back is refused', async () => {
  const { ours, theirs } = await diverge(start, [{ files: { ...start, 'a.txt': 'ours\n' } }, { files: start, rotated: true, counter: 1 }]);
  await expect(pullRemote(ours, { name: 'origin', url: theirs })).rejects.toMatchObject({ code: 'ALTERED' });
  await ours.close();
});

test.each(['signed with the old key', 'with the old keyring'] as const)('a commit in the middle %s is refused', async (wrong) => {
  const { ours, theirs } = await diverge(start, [{ files: start }, { files: start, rotated: true, wrong }]);
  await expect(pullRemote(ours, { name: 'origin', url: theirs })).rejects.toMatchObject({ code: 'ALTERED' });
  await ours.close();
});

test('two writings of the history do not merge', async () => {
  const { ours, theirs } = await diverge(start, [{ files: { ...start, 'a.txt': 'ours\n' } }, { files: start, generation: 1 }]);
  await expect(pullRemote(ours, { name: 'origin', url: theirs })).rejects.toMatchObject({ code: 'HISTORY_REWRITTEN' });
  await ours.close();
});
