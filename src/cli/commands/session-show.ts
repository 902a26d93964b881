/** `memgit session show`: one session with its log and its commits. */
import { defineCommand } from '../command.ts';
import { OK, OPENING } from '../exits.ts';
import { withVault } from '../open.ts';
import { required } from '../parameters.ts';
import { commitLine } from '../print-commit.ts';
import { detailsOf, SESSION_FIELDS, SESSION_OPTIONAL_FIELDS, STAT, sessionLine } from '../session-of.ts';
import { array, object, oneObject, string } from '../shape.ts';
import { COMMIT_FIELDS, COMMIT_OPTIONAL_FIELDS } from '../shapes.ts';

const { stat: _, ...OPTIONAL } = SESSION_OPTIONAL_FIELDS;

export const sessionShow = defineCommand({
  name: 'session show',
  group: 'Sessions',
  summary: 'Show a session, its log and its commits',
  args: { session: required('session', 'Session, by its number or id') },
  options: {},
  json: oneObject(
    { ...SESSION_FIELDS, stat: STAT, commits: array('Its commits, newest first, with its start and its end', object('One of them', COMMIT_FIELDS, COMMIT_OPTIONAL_FIELDS)) },
    { ...OPTIONAL, log: string('Text of its log') },
  ),
  examples: [['memgit session show 7', 'what session 7 did']],
  exits: OPENING,
  run: async (context, { session }) =>
    withVault(context, async (vault) => {
      const { out } = context;
      const found = await detailsOf(vault, session);
      if (context.json) await out.json(found);
      else {
        out.page();
        await out.line(out.style.title(sessionLine(found, context)));
        if (found.log !== undefined) await out.line(`\n${out.memoryText(found.log.trimEnd())}\n`);
        for (const commit of found.commits) await out.line(commitLine(commit, context));
      }
      return OK;
    }),
});
