/**
 * How a session begins: one commit that gives it its number, makes its log, and writes down which earlier sessions have died.
 * It never waits for another session.
 */
import { toBase32 } from '../bytes.ts';
import { assertWholeNumber } from '../checks.ts';
import { MemgitError } from '../errors.ts';
import type { Change, Snapshot } from '../vault/snapshot.ts';
import { isChecklist } from './checklist.ts';
import { logPath, README, TABLE } from './layout.ts';
import { findInterrupted } from './liveness.ts';
import { README_TEXT } from './messages.ts';
import { findLastNumber, nextNumber } from './numbers.ts';
import type { PolicySetting } from './policy.ts';
import { readChecklist, readTable, readText, writeTable, writeText } from './progress-files.ts';
import { openingOf, statText, withSection } from './session-log.ts';
import type { SessionRow, SessionStat } from './table.ts';
import { boundedText, oneLine, requiredText } from './text.ts';
import type { SessionHost, World } from './world.ts';

export interface StartOptions {
  /** Who works; becomes the `actor` of the session's commits. */
  readonly agent?: string | undefined;
  readonly model?: string | undefined;
  readonly goal?: string | undefined;
  /** An id of the host program's own, such as that of a run. Default: the number and some random characters. */
  readonly id?: string | undefined;
  /** For how long a session may write nothing before the next start takes it for dead. Default one hour. */
  readonly leaseMs?: number | undefined;
  /** The process whose end is the session's death, by its id on this host; `false` for none. Default: this process. */
  readonly process?: number | false | undefined;
  /**
   * The policy for what this session writes through the vault that starts it; default that of the vault. It is not kept: the
   * vault opened anew, or in another process, has its own.
   */
  readonly policy?: PolicySetting | undefined;
}

const LEASE_MS = 60 * 60 * 1000;
const NAME_CHARACTERS_MAX = 60;
const GOAL_CHARACTERS_MAX = 1000;

/** Returns the row of the new session. @throws ALREADY_EXISTS when a session has the id already; TOO_LARGE, INVALID_ARGUMENT */
export async function startSession(host: SessionHost, world: World, options: StartOptions): Promise<SessionRow> {
  const { id: chosen, ...facts } = factsOf(options);
  if (options.process !== false) assertWholeNumber('process', options.process, 1);
  const process = options.process === false ? undefined : world.describeProcess(options.process ?? globalThis.process.pid);
  const repository = host.repository();
  // What may have to look far back is looked up before the lock is taken.
  const dead = await findInterrupted(repository, await readTable(await repository.snapshot()), world);
  const known = await findLastNumber(repository, (await repository.head()).oid);
  const { result } = await host.transact('session_start', async (snapshot) => {
    const earlier = await readTable(snapshot);
    if (earlier.some(({ id }) => id === chosen)) throw new MemgitError('ALREADY_EXISTS', 'expected an id that no session has, got one that is taken');
    const started = new Date(world.now()).toISOString();
    const number = await nextNumber(snapshot, earlier, await findLastNumber(repository, (await repository.head()).oid, known));
    const row: SessionRow = {
      number,
      id: chosen ?? `${String(number).padStart(4, '0')}-${toBase32(world.random(5))}`,
      ...facts,
      isFirst: await needsChecklist(snapshot, earlier),
      status: 'open',
      started,
      leaseMs: options.leaseMs ?? LEASE_MS,
      process,
    };
    const { changes, rows } = await markInterrupted(snapshot, earlier, dead, started);
    return {
      changes: [
        ...changes,
        ...((await snapshot.stat(README)) === undefined ? [writeText(README, README_TEXT)] : []),
        writeText(logPath(number), openingOf(row)),
        writeTable([...rows, row]),
      ],
      record: { op: 'session_start', paths: [logPath(number), TABLE], session: row.id, actor: row.agent, model: row.model, note: row.goal },
      result: row,
    };
  });
  return result;
}

function factsOf({ agent, model, goal, id, leaseMs }: StartOptions) {
  assertWholeNumber('leaseMs', leaseMs, 1);
  const chosen = id === undefined ? undefined : requiredText('session id', id, NAME_CHARACTERS_MAX);
  if (chosen !== undefined && (/^\d+$/.test(chosen) || /\p{Cc}/u.test(chosen))) {
    throw new MemgitError('INVALID_ARGUMENT', 'expected a session id of one line that is not just a number; numbers are given by memgit');
  }
  return {
    id: chosen,
    agent: agent === undefined ? undefined : oneLine(requiredText('agent', agent, NAME_CHARACTERS_MAX)),
    model: model === undefined ? undefined : oneLine(requiredText('model', model, NAME_CHARACTERS_MAX)),
    goal: goal === undefined ? undefined : oneLine(boundedText('goal', goal, GOAL_CHARACTERS_MAX)),
  };
}

/** A checklist that stood before the first session, or that cannot be read, is the initializer's to mend. */
async function needsChecklist(snapshot: Snapshot, earlier: readonly SessionRow[]): Promise<boolean> {
  const checklist = await readChecklist(snapshot);
  return earlier.length === 0 || checklist === undefined || !isChecklist(checklist) || checklist.length === 0;
}

/** Writes down the death of those that still seem open: in the table, and at the end of their logs. */
async function markInterrupted(
  snapshot: Snapshot, rows: readonly SessionRow[], dead: ReadonlyMap<string, SessionStat>, now: string,
): Promise<{ changes: Change[]; rows: SessionRow[] }> {
  const changes: Change[] = [];
  const marked: SessionRow[] = [];
  for (const row of rows) {
    const stat = row.status === 'open' ? dead.get(row.id) : undefined;
    if (!stat) {
      marked.push(row);
      continue;
    }
    const { process: _, ...rest } = row;
    marked.push({ ...rest, status: 'interrupted', stat });
    const log = (await readText(snapshot, logPath(row.number))) ?? openingOf(row);
    changes.push(writeText(logPath(row.number), withSection(log, 'Interrupted', now, `Stopped without a handoff: ${statText(stat)}.`)));
  }
  return { changes, rows: marked };
}
