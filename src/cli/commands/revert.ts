/** `memgit revert`: undoes commits as one new commit. */
import { conflictsOf } from '../../history/conflict.ts';
import { isMemgitError } from '../../errors.ts';
import { defineCommand } from '../command.ts';
import type { Context } from '../context.ts';
import { CHANGING, OK } from '../exits.ts';
import { withVault } from '../open.ts';
import { choice, rest, text } from '../parameters.ts';
import { printConflicts } from '../print-conflict.ts';
import { printUndo, UNDO_FIELDS, UNDO_OPTIONAL_FIELDS, UNDO_OPTIONS } from '../print-undo.ts';
import { array, integer, object, oneObject, string } from '../shape.ts';
import { COMMIT_FIELDS } from '../shapes.ts';

const LINES = string('A line');
export const CONFLICT = object('Something that later edits touch too', {
  path: string('Where it is now'),
  oid: COMMIT_FIELDS.oid,
  reason: string('Why it cannot be undone', 'same-lines', 'changed', 'removed', 'taken'),
  regions: array(
    'The lines that clash',
    object('One stretch of them', {
      line: integer('Where it begins now, counted from 1'),
      ours: array('What is there now', LINES),
      base: array('What the commit left', LINES),
      theirs: array('What the undo would put back', LINES),
    }),
  ),
});

export const revert = defineCommand({
  name: 'revert',
  group: 'Undo',
  summary: 'Undo commits, as one new commit',
  details:
    'What the commits wrote goes, what they replaced comes back, and later edits elsewhere in the same files stay. Where later edits touch the same lines nothing is changed, ' +
    'the conflict is shown and the exit code is 13. History is never rewritten, so an undo can be undone.',
  args: { revisions: rest('rev', 'Revisions and ranges A..B to undo') },
  options: {
    session: text('--session <id>', 'Undo every commit of a session'),
    toolUseId: text('--tool-use <id>', 'Undo what one tool use changed'),
    keep: choice('--keep <side>', 'Decide conflicts: ours keeps what is there now, theirs puts back what was', ['ours', 'theirs']),
    ...UNDO_OPTIONS,
  },
  json: oneObject(UNDO_FIELDS, { ...UNDO_OPTIONAL_FIELDS, conflicts: array('With exit code 13: why nothing was changed', CONFLICT) }),
  examples: [
    ['memgit revert HEAD', 'undo the last commit'],
    ['memgit revert HEAD~3..HEAD --dry-run', 'show what undoing the last three commits would change'],
    ["memgit revert --session s-42 --note 'followed a planted instruction'", 'undo everything that a session did'],
  ],
  exits: [...CHANGING, 13],
  run: async (context, { revisions, session, toolUseId, keep, dryRun, note, actor }) =>
    withVault(
      context,
      async (vault) => {
        const { signal } = context.io;
        try {
          await printUndo(context, await vault.revert({ revisions, session, toolUseId }, { keep, dryRun, note, actor, signal }), dryRun);
          return OK;
        } catch (error) {
          if (isMemgitError(error, 'CONFLICT')) await tellConflicts(context, error);
          throw error;
        }
      },
      { readOnly: dryRun },
    ),
});

export async function tellConflicts({ out, json }: Context, error: unknown): Promise<void> {
  const conflicts = conflictsOf(error);
  if (json) await out.json({ changed: false, files: [], conflicts });
  else await printConflicts(out, conflicts);
}
