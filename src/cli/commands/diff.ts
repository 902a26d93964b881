/** `memgit diff`: what differs between two revisions. */
import { MemgitError } from '../../errors.ts';
import { defineCommand } from '../command.ts';
import { OK, OPENING } from '../exits.ts';
import { withVault } from '../open.ts';
import { ReaderGone } from '../output.ts';
import { count, flag, optional, text } from '../parameters.ts';
import { printDifference, VIEW_OPTIONS, viewOf } from '../print-diff.ts';
import { objectPerLine } from '../shape.ts';
import { FILE_DIFF_FIELDS, FILE_DIFF_OPTIONAL_FIELDS } from '../shapes.ts';

/** git's, with --exit-code. */
const DIFFERENT = 1;

export const diff = defineCommand({
  name: 'diff',
  group: 'Look',
  summary: 'Show what differs between two revisions',
  details:
    'Without revisions it shows the last commit; with one, what happened since. `git apply` and `patch -p1` take the patch in an exported folder. ' +
    'With --exit-code it ends with 1 when there are differences, as git does.',
  args: { from: optional('from', 'Revision, or a range A..B. Default: HEAD~1'), to: optional('to', 'Revision. Default: HEAD') },
  options: {
    path: text('--path <path>', 'Only a file, or what is below a directory'),
    context: count('-U, --unified <lines>', 'Unchanged lines around each change. Default: 3'),
    ...VIEW_OPTIONS,
    exitCode: flag('--exit-code', 'End with 1 when there are differences'),
  },
  json: objectPerLine(FILE_DIFF_FIELDS, FILE_DIFF_OPTIONAL_FIELDS),
  examples: [
    ["memgit diff '@{yesterday}'", 'everything since yesterday'],
    ['memgit diff HEAD~3..HEAD~1 --stat', 'how much two commits changed'],
    ['memgit diff HEAD~1 HEAD > last.patch', 'a patch for an exported folder'],
  ],
  exits: OPENING,
  run: async (context, { from, to, path, context: lines, exitCode, ...view }) =>
    withVault(context, async (vault) => {
      const [before, after] = endsOf(from, to);
      const files = await vault.diff(before, after, { path, context: lines });
      // Whoever reads no further is still told by the exit code.
      await printDifference(context, files, viewOf(view)).catch((error: unknown) => { if (!(error instanceof ReaderGone)) throw error; });
      return exitCode && files.length > 0 ? DIFFERENT : OK;
    }),
});

function endsOf(from: string | undefined, to: string | undefined): [from: string, to: string] {
  if (from === undefined) return ['HEAD~1', 'HEAD'];
  const [first = '', second, ...more] = from.split('..');
  if (second === undefined) return [from, to ?? 'HEAD'];
  if (to !== undefined || more.length > 0) throw new MemgitError('INVALID_ARGUMENT', 'expected two revisions or one range A..B, got more');
  return [first === '' ? 'HEAD' : first, second === '' ? 'HEAD' : second];
}
