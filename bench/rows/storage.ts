/** What a history takes on the disk, against the same history kept in other ways. */
import { join } from 'node:path';
import { nodeFileSystem } from '../../src/git/fs.ts';
import type { VaultRepository } from '../../src/vault/vault-repository.ts';
import { sized, type Context } from '../context.ts';
import { ageBytes, gitCryptBytes } from '../encrypted-rivals.ts';
import { withoutSyncs } from '../file-systems.ts';
import { packBytes } from '../folder-size.ts';
import { applyStep, importFiles } from '../make-vault.ts';
import { single } from '../measure.ts';
import { makePlainTwin } from '../plain-twin.ts';
import { isInstalled } from '../processes.ts';
import { atMost, atMostTimes, smallerThan, row, shown, skipped, type Row } from '../row.ts';
import { makeStore } from '../vaults.ts';
import { Workload } from '../workload.ts';

export async function storageRows(context: Context): Promise<Row[]> {
  const mutations = sized(context, 30, 2_000);
  const { vault, repository, gitdir } = await makeStore(join(context.scratch, 'storage'), { fs: withoutSyncs(nodeFileSystem) });
  const workload = new Workload({ seed: 1, notes: sized(context, 10, 100), noteBytes: 4096 });
  await importFiles(repository, workload.files);
  let mostPacks = 0;
  for (let i = 0; i < mutations; i += 1) {
    await applyStep(repository, workload.next());
    if (i % 10 === 0) mostPacks = Math.max(mostPacks, (await repository.repository.stats()).packs);
  }
  const before = packBytes(gitdir);
  const plain = join(context.scratch, 'storage-in-clear.git');
  await makePlainTwin(repository, plain);

  const started = performance.now();
  await repository.repository.gc();
  const gcMs = performance.now() - started;
  const after = single(packBytes(gitdir));
  const what = `${mutations.toLocaleString('en')} mutations`;
  const rows = [
    row(`repository after ${what} and memgit gc`, 'bytes', after, [atMostTimes('plain git after git gc', single(packBytes(plain)), 2)]),
    row('the same before memgit gc', 'bytes', single(before), [atMostTimes('after it', after, 3)]),
    row('packs before memgit gc, at most', 'count', single(mostPacks), [atMost(60)]),
    row('memgit gc of it', 'ms', single(gcMs), []),
    ...(await encryptedRows(context, repository)),
  ];
  await vault.close();
  return rows;
}

async function encryptedRows(context: Context, repository: VaultRepository): Promise<Row[]> {
  const job = 'repository against others that encrypt';
  if (context.scale !== 'full') return [skipped(job, 'only with --full')];
  const missing = ['git-crypt', 'age'].filter((program) => !isInstalled(program));
  if (missing.length > 0) return [skipped(job, `${missing.join(' and ')} not installed`)];
  const gitCrypt = single(await gitCryptBytes(repository, join(context.scratch, 'git-crypt')));
  const age = single(await ageBytes(repository));
  const memgit = single(packBytes(repository.repository.gitdir));
  return [row(job, 'bytes', memgit, [smallerThan('git-crypt after git gc', gitCrypt, 8), shown('age, one file a version', age)])];
}
