/** `memgit show`: one commit with what it changed, or one file as it stood. */
import { MemgitError } from '../../errors.ts';
import { defineCommand } from '../command.ts';
import { OK, OPENING } from '../exits.ts';
import { withVault } from '../open.ts';
import { optional } from '../parameters.ts';
import { commitBlock } from '../print-commit.ts';
import { printDiffs, VIEW_OPTIONS, viewOf } from '../print-diff.ts';
import { array, oneObject } from '../shape.ts';
import { COMMIT_FIELDS, COMMIT_OPTIONAL_FIELDS, FILE_DIFF } from '../shapes.ts';

export const show = defineCommand({
  name: 'show',
  group: 'Look',
  summary: 'Show a commit and what it changed, or a file as it stood',
  args: { what: optional('rev|rev:path', 'Revision, or a revision and a path. Default: HEAD') },
  options: VIEW_OPTIONS,
  json: oneObject({ ...COMMIT_FIELDS, files: array('What the commit changed', FILE_DIFF) }, COMMIT_OPTIONAL_FIELDS),
  examples: [
    ['memgit show', 'the last commit'],
    ['memgit show tool-use:toolu_01A2b3', 'what one tool use changed'],
    ['memgit show HEAD~2:/memories/plan.md', 'a file as it stood two commits ago'],
  ],
  exits: OPENING,
  run: async (context, { what = 'HEAD', ...view }) =>
    withVault(context, async (vault) => {
      const { out } = context;
      const [revision, path] = parts(what);
      if (path !== undefined) {
        if (context.json) throw new MemgitError('INVALID_ARGUMENT', 'a file is printed as it is; leave --json out');
        await out.memoryBytes(await vault.show(revision, path));
        return OK;
      }
      const commit = await vault.show(revision);
      if (context.json) await out.json(commit);
      else {
        out.page();
        await out.line(commitBlock(commit, context));
        await printDiffs(out, commit.files, viewOf(view));
      }
      return OK;
    }),
});

/** A revision, and the path behind it. Revisions may have colons themselves, but none before a slash. */
function parts(what: string): [revision: string, path: string | undefined] {
  const colon = what.indexOf(':/');
  if (colon >= 0) return [what.slice(0, colon), what.slice(colon + 1)];
  if (/^[^:{]*(?<!^tool-use|^session):/.test(what)) {
    throw new MemgitError('INVALID_PATH', 'expected the path behind the colon to begin with a slash, as in HEAD:/memories/plan.md');
  }
  return [what, undefined];
}
