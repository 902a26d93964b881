/** `memgit brief`: what a model should know before it goes on with the work. */
import { isMemgitError } from '../../errors.ts';
import { MIN_BRIEF_CHARS } from '../../session/brief-content.ts';
import type { Session } from '../../session/session.ts';
import type { Vault } from '../../vault.ts';
import { defineCommand } from '../command.ts';
import type { Context } from '../context.ts';
import { OK, OPENING } from '../exits.ts';
import { given } from '../globals.ts';
import { withVault } from '../open.ts';
import { count, text } from '../parameters.ts';
import { SESSION_FIELDS, SESSION_OPTIONAL_FIELDS, STAT } from '../session-of.ts';
import { array, boolean, integer, object, oneObject, string } from '../shape.ts';

const { number, id, isFirst, status, started } = SESSION_FIELDS;
const { agent, model, goal, ended } = SESSION_OPTIONAL_FIELDS;
const FEATURE = { id: string('Its id'), description: string('What it does'), notes: string('Notes on it') };

export const brief = defineCommand({
  name: 'brief',
  group: 'Sessions',
  summary: 'Print what a model should know before it goes on',
  details:
    'Where the checklist stands, the next feature, what the last sessions did and handed over, and what was changed since. For the first message to a model, or for the start-up hook of a coding agent. ' +
    'What does not fit is cut at sentences.',
  args: {},
  options: {
    session: text('--session <session>', 'Open session that is briefed, by its id or number. Default: MEMGIT_SESSION, or none'),
    maxChars: count('--max-chars <characters>', 'At most so many characters, at least 200. Default: 4000', MIN_BRIEF_CHARS),
  },
  json: oneObject({}, {
    session: object('The session that is briefed', { number, id, isFirst }, { agent, model, goal }),
    features: object('The checklist', { total: integer('Features'), passing: integer('Those that pass'), done: boolean('Whether all do') }, {
      fault: string('Why the checklist cannot be read'),
      next: object('The first feature that does not pass', { ...FEATURE, steps: array('How to try it', string('A step')) }),
      regressions: array('Features that passed once and do not now', object('One of them', FEATURE)),
    }),
    open: array('Other open sessions', object('One of them', { number, started }, { agent, goal })),
    sessions: array('Earlier sessions, newest first', object('One of them', { number, status, started }, {
      agent, goal, ended, stat: STAT, handoff: string('Its handoff'), reason: string('Why it was abandoned'), progress: string('The last entry of its log'),
    })),
    since: object('What others changed since the last end of a session', {
      commits: integer('Commits'),
      complete: boolean('False when there are more'),
      bySession: array('By session', object('One of them', { commits: integer('Commits') }, { number: integer('Session; none for commits outside any') })),
    }, { session: integer('The session that ended last') }),
    guides: array('Files that are there to explain the work', string('Path, from /memories on')),
  }),
  examples: [['memgit brief', 'the brief, for a prompt'], ['memgit brief --max-chars 1000 --json', 'a shorter one, for a program']],
  exits: OPENING,
  run: async (context, { session, maxChars }) =>
    withVault(context, async (vault) => {
      const told = await (await briefed(context, vault, session)).brief({ maxChars, format: context.json ? 'json' : 'text' });
      await (context.json ? context.out.jsonText(told) : context.out.line(context.out.memoryText(told)));
      return OK;
    }),
});

/** Who is briefed. A session of the environment may be over: its shell goes on, and asks what to do next. */
async function briefed({ io }: Context, vault: Vault, named: string | undefined): Promise<Pick<Session, 'brief'>> {
  const reference = named ?? given(io.env['MEMGIT_SESSION']);
  if (reference === undefined) return vault.sessions;
  return vault.sessions.resume(reference).catch((error: unknown) => {
    if (named === undefined && isMemgitError(error, 'CLOSED')) return vault.sessions;
    throw error;
  });
}
