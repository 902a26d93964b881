/** Taking over a folder of files as one commit. */
import { join } from 'node:path';
import { sized, type Context } from '../context.ts';
import { takeTurns } from '../measure.ts';
import { makeNotes } from '../notes.ts';
import { git } from '../processes.ts';
import { writeFiles } from '../rivals.ts';
import { atMost, row, shown, type Row } from '../row.ts';
import { makeStore } from '../vaults.ts';

const DEFLATING = [
  'it is one thread that deflates and seals 5,000 texts: 2.1 s where bare node takes 62 ms to start, in proportion more on a slower machine. Before sealed blobs were stored as they are',
  'and not decoded again to be cached it took 2,645 ms of CPU, and 2,094 since; deflating 32 at a time in the thread pool took more CPU than it saved. See docs/BENCHMARKS.md',
].join(' ');

export async function importRows(context: Context): Promise<Row[]> {
  const dir = join(context.dir, 'import');
  const count = sized(context, 20, 5_000);
  const source = join(dir, 'source');
  await writeFiles(source, makeNotes(count));
  let [stores, repositories] = [0, 0];
  let into = await makeStore(join(dir, 'store-0'));
  const figures = await takeTurns(
    { count: sized(context, 1, 3), warmup: 1 },
    {
      memgit: {
        before: async () => {
          await into.vault.close();
          into = await makeStore(join(dir, `store-${(stores += 1)}`));
        },
        run: () => into.vault.importFiles(source),
      },
      git: {
        before: async () => void git(['init', '-q', '-b', 'main', join(dir, `git-${(repositories += 1)}`)]),
        run: async () => {
          const tree = ['--work-tree', source, '--git-dir', join(dir, `git-${repositories}`, '.git')];
          git([...tree, 'add', '-A']);
          git([...tree, 'commit', '-q', '-m', 'import']);
        },
      },
    },
  );
  await into.vault.close();
  return [row(`import of a folder of ${count.toLocaleString('en')} files`, 'ms', figures.memgit, [atMost(3_000), shown('git add + commit', figures.git)], { remark: 'one commit; reading the folder included', shortfall: DEFLATING })];
}
