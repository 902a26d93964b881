/** `memgit session list`: every session of a memory. */
import { defineCommand } from '../command.ts';
import { OK, OPENING } from '../exits.ts';
import { withVault } from '../open.ts';
import { SESSION_FIELDS, SESSION_OPTIONAL_FIELDS, sessionLine } from '../session-of.ts';
import { objectPerLine } from '../shape.ts';

export const sessionList = defineCommand({
  name: 'session list',
  group: 'Sessions',
  summary: 'List the sessions of a memory',
  details: 'Oldest first: number, how it stands, when it started, its id, how much it wrote, who worked and what for.',
  args: {},
  options: {},
  json: objectPerLine(SESSION_FIELDS, SESSION_OPTIONAL_FIELDS),
  examples: [['memgit session list', 'list the sessions'], ['memgit session list --json', 'the same for a program']],
  exits: OPENING,
  run: async (context) =>
    withVault(context, async (vault) => {
      context.out.page();
      const sessions = await vault.sessions.list();
      if (sessions.length === 0) context.sayNothing('there is no session yet');
      for (const session of sessions) {
        if (context.json) await context.out.json(session);
        else await context.out.line(sessionLine(session, context));
      }
      return OK;
    }),
});
