/**
 * What goes through a whole memory or a whole history lets the rest of the process work meanwhile: other vaults of a server, and the
 * signal that ends it. Seen to fail (no turn at all) without `giveWay`.
 */
import type { Oid } from '../../src/git/objects.ts';
import { exportTar } from '../../src/history/export.ts';
import { grep } from '../../src/history/grep.ts';
import { listSnapshot } from '../../src/history/listing.ts';
import { verify } from '../../src/history/verify.ts';
import { relate } from '../../src/sync/ancestry.ts';
import type { CommitInfo } from '../../src/vault/commit-info.ts';
import { temporaryFolder } from '../support/git-repository.ts';
import { at, collect, commitChanges, createTmpVault, reopen, writeFile, type TmpVault } from '../support/tmp-vault.ts';
import { turnsDuring } from '../support/turns.ts';

const folder = temporaryFolder();
/** The faster the machine, the fewer turns it takes: with 1,500 a free one was once done after 19. */
const FILES = 5_000;
let made: TmpVault;

/** Even a fast machine takes some 50 ms for each of these; every 10 ms there is a turn. */
const LEAST = 2;

beforeAll(async () => {
  made = await createTmpVault(folder);
  const changes = Array.from({ length: FILES }, (_, i) => ({ kind: 'write' as const, path: at(`notes/${i}.md`), content: Buffer.from(`note ${i}\n`) }));
  expect(await turnsDuring(() => commitChanges(made.vault, changes))).toBeGreaterThan(20);
  for (let i = 0; i < 100; i += 1) await writeFile(made.vault, 'diary.md', `day ${i}\n`);
  await made.vault.close();
});

/** A history of 50,000 commits that are made as they are asked for. */
async function readLongHistory(oid: Oid): Promise<CommitInfo> {
  const number = Number(oid);
  const parents = number === 50_000 ? [] : [`${number + 1}`.padStart(40, '0') as Oid];
  const record = { op: 'write', paths: [], timeMs: 0, sequence: 50_000 - number, generation: 0, addedBytes: 0, removedBytes: 0 };
  return Promise.resolve({ oid, commit: { tree: oid, parents, timeSec: 0, message: '' }, record });
}

test.each<[string, (vault: TmpVault['vault']) => Promise<unknown>]>([
  ['listing a memory', async (vault) => listSnapshot(await vault.snapshot())],
  ['searching it', (vault) => collect(grep(vault, 'no such text'))],
  ['exporting it', (vault) => collect(exportTar(vault))],
  ['verifying its history', (vault) => verify(vault)],
  ['comparing two commits', async () => relate(readLongHistory, '0'.repeat(40) as Oid, undefined)],
])('%s lets others work', async (_, action) => {
  const vault = await reopen(made);
  expect(await turnsDuring(() => action(vault))).toBeGreaterThan(LEAST);
  await vault.close();
});

test('verifying can be given up', async () => {
  const controller = new AbortController();
  const vault = await reopen(made);
  const verifying = verify(vault, { signal: controller.signal, onProgress: () => controller.abort() });
  await expect(verifying).rejects.toMatchObject({ code: 'ABORTED' });
  await vault.close();
});
