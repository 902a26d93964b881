/** `memgit session revert`: undoes what a session changed. */
import { isMemgitError } from '../../errors.ts';
import { defineCommand } from '../command.ts';
import { CHANGING, OK } from '../exits.ts';
import { withVault } from '../open.ts';
import { choice, required } from '../parameters.ts';
import { printUndo, UNDO_FIELDS, UNDO_OPTIONAL_FIELDS, UNDO_OPTIONS } from '../print-undo.ts';
import { array, oneObject } from '../shape.ts';
import { CONFLICT, tellConflicts } from './revert.ts';

export const sessionRevert = defineCommand({
  name: 'session revert',
  group: 'Sessions',
  summary: 'Undo what a session changed, as one new commit',
  details: 'What other sessions changed stays, and so does the log of the session, which then says that it was undone. Where later edits touch the same lines nothing is changed.',
  args: { session: required('session', 'Session, by its number or id') },
  options: { keep: choice('--keep <side>', 'Decide conflicts: ours keeps what is there now, theirs puts back what was', ['ours', 'theirs']), ...UNDO_OPTIONS },
  json: oneObject(UNDO_FIELDS, { ...UNDO_OPTIONAL_FIELDS, conflicts: array('With exit code 13: why nothing was changed', CONFLICT) }),
  examples: [['memgit session revert 7 --dry-run', 'show what undoing session 7 would change']],
  exits: [...CHANGING, 13],
  run: async (context, { session, keep, dryRun, note, actor }) =>
    withVault(
      context,
      async (vault) => {
        try {
          await printUndo(context, await vault.sessions.revert(session, { keep, dryRun, note, actor }), dryRun);
          return OK;
        } catch (error) {
          if (isMemgitError(error, 'CONFLICT')) await tellConflicts(context, error);
          throw error;
        }
      },
      { readOnly: dryRun },
    ),
});
