/** `memgit session revert`: undoes what a session changed. */
import { defineCommand } from '../command.ts';
import { CHANGING } from '../exits.ts';
import { required } from '../parameters.ts';
import { REVERT_JSON, REVERT_OPTIONS, runRevert } from '../run-revert.ts';

export const sessionRevert = defineCommand({
  name: 'session revert',
  group: 'Sessions',
  summary: 'Undo what a session changed, as one new commit',
  details: 'What other sessions changed stays, and so does the log of the session, which then says that it was undone. Where later edits touch the same lines nothing is changed.',
  args: { session: required('session', 'Session, by its number or id') },
  options: REVERT_OPTIONS,
  json: REVERT_JSON,
  examples: [['memgit session revert 7 --dry-run', 'show what undoing session 7 would change']],
  exits: [...CHANGING, 13],
  run: async (context, { session, ...options }) => runRevert(context, options, async (vault, settled) => vault.sessions.revert(session, settled)),
});
