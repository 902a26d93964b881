/** `memgit session diff`: what a session changed. */
import { defineCommand } from '../command.ts';
import { OK, OPENING } from '../exits.ts';
import { withVault } from '../open.ts';
import { required } from '../parameters.ts';
import { printDifference, VIEW_OPTIONS, viewOf } from '../print-diff.ts';
import { objectPerLine } from '../shape.ts';
import { FILE_DIFF_FIELDS, FILE_DIFF_OPTIONAL_FIELDS } from '../shapes.ts';

export const sessionDiff = defineCommand({
  name: 'session diff',
  group: 'Sessions',
  summary: 'Show what a session changed',
  details: 'Each file from before the session first changed it to after it last did, so with whatever others changed in the same file meanwhile. Logs of sessions are left out.',
  args: { session: required('session', 'Session, by its number or id') },
  options: VIEW_OPTIONS,
  json: objectPerLine(FILE_DIFF_FIELDS, FILE_DIFF_OPTIONAL_FIELDS),
  examples: [['memgit session diff 7 --stat', 'how much session 7 changed']],
  exits: OPENING,
  run: async (context, { session, ...view }) =>
    withVault(context, async (vault) => {
      await printDifference(context, await vault.sessions.diff(session), viewOf(view));
      return OK;
    }),
});
