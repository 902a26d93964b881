/**
 * Checking what a remote sent: it lets the rest of the process work, it can be given up, and nothing is taken in that the branch does
 * not lead to. Seen to fail without `giveWay`, and where what nothing leads to only had to look like an entry.
 */
import { encodePackEntry, assemblePack } from '../../src/git/pack-write.ts';
import type { GitObject, Oid } from '../../src/git/objects.ts';
import { checkIncoming, type CheckedHistory } from '../../src/sync/incoming.ts';
import { Outgoing } from '../../src/sync/outgoing.ts';
import { everyObject } from '../support/git-repository.ts';
import { Bench } from '../support/remote-vault.ts';
import { copyVault, writeFile, type TmpVault } from '../support/tmp-vault.ts';
import { turnsDuring } from '../support/turns.ts';

const COMMITS = 200;
const bench = new Bench();
let ahead: TmpVault;
let behind: TmpVault;
let head: Oid;

beforeAll(async () => {
  ahead = await bench.vault();
  behind = await copyVault(ahead);
  for (let i = 0; i < COMMITS; i += 1) head = await writeFile(ahead.vault, `note-${i % 20}.md`, `version ${i}\n`);
});
afterAll(async () => {
  await behind.vault.close();
  await bench.close();
});

/** What `behind` makes of a pack of all that `ahead` has, and of some more. */
async function receive(more: readonly GitObject[], signal?: AbortSignal): Promise<CheckedHistory> {
  const { repository } = ahead.vault;
  const sent = await Promise.all(everyObject(ahead.gitdir).map(async ({ oid }) => repository.read(oid)));
  const quarantine = await behind.vault.repository.quarantine();
  try {
    await quarantine.addPack(assemblePack(await Promise.all([...sent, ...more].map(encodePackEntry))));
    return await checkIncoming(head, quarantine, (read) => behind.vault.readersOver(read), { commits: 'each', signal });
  } finally {
    await quarantine.discard();
  }
}

test('objects that are here already may come again', async () => {
  expect(await receive([])).toMatchObject({ commits: COMMITS + 1 });
});

test.each<[string, GitObject]>([
  ['a sealed entry by its looks', { type: 'blob', body: Buffer.concat([Buffer.from('mgit\x01\x01'), Buffer.alloc(500, 1)]) }],
  ['a tree of the right shape', { type: 'tree', body: new Uint8Array() }],
  ['plain text', { type: 'blob', body: Buffer.from('text\n') }],
])('%s that nothing leads to is refused', async (_, object) => {
  await expect(receive([object])).rejects.toMatchObject({ code: 'CORRUPT', message: expect.stringMatching(/only what its branch leads to/) });
});

const reading = (signal?: AbortSignal) => new Outgoing((oid) => ahead.vault.repository.read(oid), signal);
async function sendAll(outgoing: Outgoing): Promise<void> {
  const commits = await outgoing.history(head);
  for await (const oid of outgoing.objects(commits)) expect(oid).toHaveLength(40);
}

test('others have their turns while a history is checked, coming and going', async () => {
  // Even a fast machine needs 40 ms for this many; every 10 ms there is a turn.
  expect(await turnsDuring(() => sendAll(reading()))).toBeGreaterThan(1);
  const quarantine = await behind.vault.repository.quarantine();
  const sent = await Promise.all(everyObject(ahead.gitdir).map(async ({ oid }) => encodePackEntry(await ahead.vault.repository.read(oid))));
  await quarantine.addPack(assemblePack(sent));
  expect(await turnsDuring(() => checkIncoming(head, quarantine, (read) => behind.vault.readersOver(read), { commits: 'each' }))).toBeGreaterThan(3);
  await quarantine.discard();
});

test('both can be given up from outside', async () => {
  for (const act of [(signal: AbortSignal) => receive([], signal), (signal: AbortSignal) => sendAll(reading(signal))]) {
    const controller = new AbortController();
    const acting = act(controller.signal);
    controller.abort();
    await expect(acting).rejects.toMatchObject({ code: 'ABORTED' });
  }
});
