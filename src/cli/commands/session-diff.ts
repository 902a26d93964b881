/** `memgit session diff`: what a session changed. */
import { defineCommand } from '../command.ts';
import { OK, OPENING } from '../exits.ts';
import { withVault } from '../open.ts';
import { flag, required } from '../parameters.ts';
import { printDiffs } from '../print-diff.ts';
import { objectPerLine } from '../shape.ts';
import { FILE_DIFF_FIELDS, FILE_DIFF_OPTIONAL_FIELDS } from '../shapes.ts';

export const sessionDiff = defineCommand({
  name: 'session diff',
  group: 'Sessions',
  summary: 'Show what a session changed',
  details: 'Each file from before the session first changed it to after it last did, so with whatever others changed in the same file meanwhile. Logs of sessions are left out.',
  args: { session: required('session', 'Session, by its number or id') },
  options: { stat: flag('--stat', 'Show how much changed in each file'), nameOnly: flag('--name-only', 'Show the names of the files only') },
  json: objectPerLine(FILE_DIFF_FIELDS, FILE_DIFF_OPTIONAL_FIELDS),
  examples: [['memgit session diff 7 --stat', 'how much session 7 changed']],
  exits: OPENING,
  run: async (context, { session, stat, nameOnly }) =>
    withVault(context, async (vault) => {
      const files = await vault.sessions.diff(session);
      if (context.json) for (const file of files) await context.out.json(file);
      else {
        context.out.page();
        await printDiffs(context.out, files, nameOnly ? 'names' : stat ? 'stat' : 'patch');
      }
      return OK;
    }),
});
