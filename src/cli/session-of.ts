/** Which session a command works on, and the shapes and lines in which sessions are shown. */
import { MemgitError } from '../errors.ts';
import type { SessionDetails } from '../session/review.ts';
import type { Session } from '../session/session.ts';
import type { SessionInfo } from '../session/table.ts';
import type { Vault } from '../vault.ts';
import type { Context } from './context.ts';
import { plural } from './format.ts';
import { given } from './globals.ts';
import { text } from './parameters.ts';
import { array, boolean, integer, object, string } from './shape.ts';
import { visibleLine } from './visible.ts';

export const SESSION_OPTION = text('--session <session>', 'Session, by its id or number. Default: MEMGIT_SESSION, or the only one that is open');

const ID = string('Id of a feature');

export const SESSION_FIELDS = {
  number: integer('Number of the session, counted from 1'),
  id: string('Id of the session'),
  isFirst: boolean('Whether it started without a checklist'),
  status: string('How it stands', 'open', 'ended', 'abandoned', 'interrupted'),
  started: string('When it started, ISO 8601 in UTC'),
} as const;

export const STAT = object('What it changed; of an open session only `session show` tells', {
  writes: integer('Commits, without its start and end'),
  addedBytes: integer('Bytes of text that came'),
  removedBytes: integer('Bytes of text that went'),
  files: array('The files written most often, at most five', object('One of them', { path: string('Path, from /memories on'), writes: integer('Commits that name it') })),
  fileCount: integer('How many files were written'),
  passed: array('Features that came to pass', ID),
  regressed: array('Features that passed before and did not any more', ID),
}, { lastWrite: string('When it last wrote, ISO 8601 in UTC') });

export const SESSION_OPTIONAL_FIELDS = {
  agent: string('Who works'),
  model: string('Model that works'),
  goal: string('What the session is for'),
  ended: string('When it ended, ISO 8601 in UTC'),
  stat: STAT,
} as const;

/** @throws INVALID_ARGUMENT when nothing says which; NOT_FOUND, CLOSED */
export async function sessionOf(context: Context, vault: Vault, named: string | undefined): Promise<Session> {
  return vault.sessions.resume(await referenceOf(context, vault, named));
}

/** A session to look at, which may be over. @throws INVALID_ARGUMENT when nothing says which; NOT_FOUND */
export async function detailsOf(vault: Vault, reference: string): Promise<SessionDetails> {
  const details = await vault.sessions.show(reference);
  if (!details) throw new MemgitError('NOT_FOUND', 'there is no session of this number or id; `memgit session list` shows them');
  return details;
}

/** The id or number of the session that a command works on. @throws INVALID_ARGUMENT when nothing says which */
export async function referenceOf(context: Context, vault: Vault, named: string | undefined): Promise<string> {
  const reference = named ?? given(context.io.env['MEMGIT_SESSION']);
  if (reference !== undefined) return reference;
  const open = (await vault.sessions.list()).filter(({ status }) => status === 'open');
  if (open.length === 1) return open[0]!.id;
  throw new MemgitError('INVALID_ARGUMENT', `expected one open session, got ${open.length}; name one with --session or MEMGIT_SESSION`);
}

/** The history knows sessions by their ids only; the number of one is looked up in the table. */
export async function sessionIdOf(vault: Vault, named: string | undefined): Promise<string | undefined> {
  if (named === undefined || !/^\d+$/.test(named)) return named;
  return (await vault.sessions.list()).find(({ number }) => String(number) === named)?.id ?? named;
}

export function sessionLine({ number, id, status, started, agent, goal, stat }: SessionInfo, context: Context): string {
  const words = [
    String(number).padStart(4),
    status.padEnd(11),
    context.time(Date.parse(started)),
    visibleLine(id),
    ...(stat ? [plural(stat.writes, 'write')] : []),
    ...(agent === undefined ? [] : [visibleLine(agent)]),
    ...(goal === undefined ? [] : [visibleLine(goal)]),
  ];
  return words.join('  ');
}
