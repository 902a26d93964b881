/** `memgit session end` and `memgit session abandon`: close a session, with a word for the next one. */
import { MemgitError } from '../../errors.ts';
import type { Session } from '../../session/session.ts';
import { defineCommand } from '../command.ts';
import type { Context } from '../context.ts';
import { CHANGING, OK } from '../exits.ts';
import { readInput } from '../input.ts';
import { withVault } from '../open.ts';
import { text } from '../parameters.ts';
import { SESSION_FIELDS, SESSION_OPTION, sessionOf } from '../session-of.ts';
import { oneObject } from '../shape.ts';

const JSON_OUTPUT = oneObject({ number: SESSION_FIELDS.number, id: SESSION_FIELDS.id, status: SESSION_FIELDS.status });

export const sessionEnd = defineCommand({
  name: 'session end',
  group: 'Sessions',
  summary: 'End a session with a handoff',
  details: 'The handoff is what the next session reads first. It may be left out when the log of the session has a section "## Handoff" already.',
  args: {},
  options: {
    session: SESSION_OPTION,
    handoff: text('--handoff <text>', 'What the next session should know'),
    handoffFile: text('--handoff-file <file>', 'Read the handoff from a file; - is stdin'),
  },
  json: JSON_OUTPUT,
  examples: [
    ['memgit session end --handoff "The search passes. The export is next."', 'end the session'],
    ['summarize | memgit session end --handoff-file -', 'read the handoff from a program'],
  ],
  exits: CHANGING,
  run: async (context, { session, handoff, handoffFile }) => {
    if (handoff !== undefined && handoffFile !== undefined) throw new MemgitError('INVALID_ARGUMENT', 'expected one handoff, got two; leave --handoff or --handoff-file out');
    const said = handoff ?? (handoffFile === undefined ? undefined : await readInput(context, handoffFile));
    return close(context, session, 'ended', async (open) => open.end({ handoff: said }));
  },
});

export const sessionAbandon = defineCommand({
  name: 'session abandon',
  group: 'Sessions',
  summary: 'End a session that did not get where it should',
  args: {},
  options: { session: SESSION_OPTION, reason: text('--reason <text>', 'Why; must be given') },
  json: JSON_OUTPUT,
  examples: [['memgit session abandon --reason "The test server is down."', 'give up, and say why']],
  exits: CHANGING,
  run: async (context, { session, reason = '' }) => close(context, session, 'abandoned', async (open) => open.abandon({ reason })),
});

async function close(context: Context, named: string | undefined, status: string, end: (session: Session) => Promise<void>): Promise<number> {
  return withVault(
    context,
    async (vault) => {
      const session = await sessionOf(context, vault, named);
      await end(session);
      if (context.json) await context.out.json({ number: session.number, id: session.id, status });
      else await context.out.line(`${status} session ${session.number}`);
      return OK;
    },
    { readOnly: false },
  );
}
