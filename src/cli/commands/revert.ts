/** `memgit revert`: undoes commits as one new commit. */
import { defineCommand } from '../command.ts';
import { CHANGING } from '../exits.ts';
import { rest, text } from '../parameters.ts';
import { REVERT_JSON, REVERT_OPTIONS, runRevert } from '../run-revert.ts';
import { sessionIdOf } from '../session-of.ts';

export const revert = defineCommand({
  name: 'revert',
  group: 'Undo',
  summary: 'Undo commits, as one new commit',
  details:
    'What the commits wrote goes, what they replaced comes back, and later edits elsewhere in the same files stay. Where later edits touch the same lines nothing is changed, ' +
    'the conflict is shown and the exit code is 13. History is never rewritten, so an undo can be undone.',
  args: { revisions: rest('rev', 'Revisions and ranges A..B to undo') },
  options: {
    session: text('--session <session>', 'Undo every commit of a session, by its number or id'),
    toolUseId: text('--tool-use <id>', 'Undo what one tool use changed'),
    ...REVERT_OPTIONS,
  },
  json: REVERT_JSON,
  examples: [
    ['memgit revert HEAD', 'undo the last commit'],
    ['memgit revert HEAD~3..HEAD --dry-run', 'show what undoing the last three commits would change'],
    ["memgit revert --session s-42 --note 'followed a planted instruction'", 'undo everything that a session did'],
  ],
  exits: [...CHANGING, 13],
  run: async (context, { revisions, session, toolUseId, ...options }) =>
    runRevert(context, options, async (vault, settled) => vault.revert({ revisions, session: await sessionIdOf(vault, session), toolUseId }, settled)),
});
