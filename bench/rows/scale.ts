/** The same jobs on a large vault as on a small one, and how long a cold process takes to its first answer. */
import { join } from 'node:path';
import { cpSync } from 'node:fs';
import { nodeFileSystem } from '../../src/git/fs.ts';
import { sized, type Context } from '../context.ts';
import { withoutSyncs } from '../file-systems.ts';
import { importFiles } from '../make-vault.ts';
import { takeTurns } from '../measure.ts';
import { makeNotes, notePath, Replacements } from '../notes.ts';
import { atMost, atMostTimes, row, shown, type Row } from '../row.ts';
import { vaultJobs } from '../vault-jobs.ts';
import { makeStore, openVault, type BenchStore } from '../vaults.ts';

export async function scaleRows(context: Context): Promise<Row[]> {
  const small = await makeFlatVault(context, 'small', sized(context, 4, 100), sized(context, 4, 100));
  const large = await makeFlatVault(context, 'large', sized(context, 10, 10_000), sized(context, 20, 10_000));
  return [...(await compareJobs(context, small, large)), await openingRow(context, small, large)];
}

interface FlatVault extends BenchStore {
  readonly replacements: Replacements;
}

async function compareJobs(context: Context, small: FlatVault, large: FlatVault): Promise<Row[]> {
  const { vault: smallVault } = await openVault(small);
  const { vault: largeVault } = await openVault(large);
  const [few, many] = [vaultJobs(smallVault, small.replacements), vaultJobs(largeVault, large.replacements)];
  const path = notePath(3);
  const views = { count: sized(context, 3, 100), warmup: 5 };
  const viewFile = await takeTurns(views, { few: { run: () => few.viewFile(path) }, many: { run: () => many.viewFile(path) } });
  const viewFolder = await takeTurns(views, { few: { run: () => few.viewFolder('few') }, many: { run: () => many.viewFolder('few') } });
  const replace = await takeTurns({ count: sized(context, 3, 60), warmup: 5 }, { few: { run: () => few.replace(path) }, many: { run: () => many.replace(path) } });
  await smallVault.close();
  await largeVault.close();
  const against = 'at 100 files and 100 commits';
  return [
    row('view of a file at 10,000 files and 10,000 commits', 'ms', viewFile.many, [atMostTimes(against, viewFile.few, 1.5)]),
    row('view of a folder with 10 files there', 'ms', viewFolder.many, [atMostTimes(against, viewFolder.few, 1.5)]),
    row('str_replace there', 'ms', replace.many, [atMostTimes(against, replace.few, 1.5)]),
  ];
}

/** Opens a vault as a new process would, apart from loading modules, and views one file of it. */
async function openingRow(context: Context, small: BenchStore, large: BenchStore): Promise<Row> {
  const openAndView = (store: BenchStore) => async () => {
    const { vault } = await openVault(store);
    await vaultJobs(vault).viewFile(notePath(3));
    await vault.close();
  };
  const figures = await takeTurns({ count: sized(context, 3, 40) }, { few: { run: openAndView(small) }, many: { run: openAndView(large) } });
  return row('open at 10,000 commits and answer the first view', 'ms', figures.many, [atMost(30), shown('at 100 files and 100 commits', figures.few)]);
}

/** A vault with the given numbers of notes and of commits, and a folder of ten small files. */
async function makeFlatVault(context: Context, name: string, files: number, commits: number): Promise<FlatVault> {
  const folder = new Map(Array.from({ length: 10 }, (_, i) => [`few/file-${i}.md`, `file ${i}\n`]));
  const { vault, repository, ...store } = await makeStore(join(context.scratch, name), { fs: withoutSyncs(nodeFileSystem) });
  await importFiles(repository, new Map([...makeNotes(files), ...folder]));
  const replacements = new Replacements();
  const { replace } = vaultJobs(vault, replacements);
  for (let i = 2; i < commits; i += 1) await replace(notePath(i % files));
  await vault.close();
  const dir = join(context.dir, name);
  cpSync(store.dir, dir, { recursive: true });
  return { ...store, dir, gitdir: store.gitdir.replace(store.dir, dir), replacements };
}
