/** The everyday jobs of the memory tool: a 4 KiB file among 100. */
import { join } from 'node:path';
import { nodeFileSystem } from '../../src/git/fs.ts';
import { makeBareMutation } from '../bare-calls.ts';
import { sized, type Context } from '../context.ts';
import { countingSyncs } from '../file-systems.ts';
import { importFiles } from '../make-vault.ts';
import { takeTurns } from '../measure.ts';
import { makeNotes, notePath, Replacements } from '../notes.ts';
import { makeGitRival, makeIsomorphicRival, makeSdkTool, sdkRival, type Rival } from '../rivals.ts';
import { atMostTimes, smallerThan, row, shown, type Row } from '../row.ts';
import { vaultJobs } from '../vault-jobs.ts';
import { makeStore } from '../vaults.ts';

const FIVE_SYNCS = [
  'against the SDK\'s tool the syncs decide, as the bare calls show: they come in three rounds, each of which has to be on the disk before the next (pack, index and new ref;',
  'the name of the pack; the name of the ref), where the SDK\'s tool has one and keeps no name. Four syncs took as long as five; a journal with one sync takes half,',
  'and was rejected: after a power cut plain git would not find what was acknowledged. Against isomorphic-git, which syncs nothing, and git the ratio is that of a sync to a program\'s start:',
  '3.0 and 6.3 times less where syncs were cheap, 2.6 and 4.4 where they were not. See docs/BENCHMARKS.md',
].join(' ');

export async function fileRows(context: Context): Promise<Row[]> {
  const dir = join(context.dir, 'files');
  const files = makeNotes(sized(context, 5, 100));
  const { fs, syncs } = countingSyncs(nodeFileSystem);
  const { vault, repository } = await makeStore(join(dir, 'store'), { fs });
  await importFiles(repository, files);
  const sdk = await makeSdkTool(join(dir, 'sdk'), files);
  const jobs = vaultJobs(vault);

  const views = { count: sized(context, 3, 200, 500), warmup: 20 };
  const target = notePath(3);
  const viewFile = await takeTurns(views, {
    memgit: { run: () => jobs.viewFile(target) },
    sdk: { run: () => sdk.view({ command: 'view', path: `/memories/${target}` }) },
  });
  const viewFolder = await takeTurns(views, {
    memgit: { run: () => jobs.viewFolder('notes') },
    sdk: { run: () => sdk.view({ command: 'view', path: '/memories/notes' }) },
  });

  const isomorphic = await makeIsomorphicRival(join(dir, 'isomorphic'), files);
  const git = await makeGitRival(join(dir, 'git'), files);
  const bare = makeBareMutation(join(dir, 'bare'));
  const paths = [...files.keys()];
  const replaced = await takeTurns(
    { count: sized(context, 3, 200, 200), warmup: 100 },
    {
      memgit: { run: eachIn(paths, jobs.replace) },
      bare: { run: bare },
      sdk: { run: eachIn(paths, replacing(sdkRival(sdk))) },
      isomorphic: { run: eachIn(paths, replacing(isomorphic)) },
      git: { run: eachIn(paths, replacing(git)) },
    },
  );
  Object.assign(syncs, { files: 0, folders: 0 });
  await jobs.replace(target);
  await vault.close();

  return [
    row('view of a file, warm', 'ms', viewFile.memgit, [atMostTimes('SDK tool', viewFile.sdk, 0.5)]),
    row(`view of a folder with ${files.size} files, warm`, 'ms', viewFolder.memgit, [atMostTimes('SDK tool', viewFolder.sdk, 0.1)]),
    row('str_replace', 'ms', replaced.memgit, [
      atMostTimes('SDK tool', replaced.sdk, 2),
      smallerThan('isomorphic-git add + commit', replaced.isomorphic, 3),
      smallerThan('git add + commit', replaced.git, 5),
      shown('bare calls, same syncs', replaced.bare),
    ], { remark: `${syncs.files} syncs of files and ${syncs.folders} of folders a mutation; the SDK's tool syncs one file`, shortfall: FIVE_SYNCS }),
  ];
}

/** Goes round the files, as an agent does, instead of growing one chain of deltas. */
function eachIn(paths: readonly string[], job: (path: string) => Promise<unknown>): () => Promise<unknown> {
  let next = 0;
  return () => job(paths[next++ % paths.length]!);
}

function replacing(rival: Rival): (path: string) => Promise<unknown> {
  const replacements = new Replacements();
  return (path) => {
    const { before, after } = replacements.next(path);
    return rival.replace(path, before, after);
  };
}
