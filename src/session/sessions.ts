/**
 * The sessions of a vault: starting and finding them, and looking at or undoing what one of them did. Starting never waits
 * for another session; it only writes down which of them have died.
 */
import { toBase32 } from '../bytes.ts';
import { MemgitError } from '../errors.ts';
import type { Change, Snapshot } from '../vault/snapshot.ts';
import { writeBrief, type BriefOptions } from './brief.ts';
import { isChecklist } from './checklist.ts';
import { Features } from './features.ts';
import { logPath, README, TABLE } from './layout.ts';
import { findInterrupted } from './liveness.ts';
import { README_TEXT } from './messages.ts';
import { policyOf, type Policies, type PolicySetting } from './policy.ts';
import { readChecklist, readTable, readText, writeTable, writeText } from './progress-files.ts';
import { diffSession, showSession, revertSession, type RevertOptions, type SessionDetails } from './review.ts';
import { openingOf, statText, withSection } from './session-log.ts';
import { Session } from './session.ts';
import { findRow, infoOf, type SessionInfo, type SessionRow, type SessionStat } from './table.ts';
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
  /** The policy for what this session writes; default that of the vault. */
  readonly policy?: PolicySetting | undefined;
}

const LEASE_MS = 60 * 60 * 1000;
const NAME_CHARACTERS_MAX = 60;
const GOAL_CHARACTERS_MAX = 1000;

export class Sessions {
  /** The checklist, for changes that belong to no session. */
  readonly features: Features;
  readonly #host: SessionHost;
  readonly #policies: Policies;
  readonly #world: World;

  constructor(host: SessionHost, policies: Policies, world: World) {
    this.#host = host;
    this.#policies = policies;
    this.#world = world;
    this.features = new Features(host);
  }

  /**
   * Starts a session, as one commit that makes its log and notes which earlier sessions have died. Other sessions may be open.
   *
   * @throws ALREADY_EXISTS when a session has the id already; TOO_LARGE, INVALID_ARGUMENT
   */
  async start(options: StartOptions = {}): Promise<Session> {
    const { id: chosen, ...facts } = factsOf(options);
    const own = options.policy === undefined ? undefined : { policy: policyOf(options.policy) };
    const process = options.process === false ? undefined : this.#world.describeProcess(options.process ?? globalThis.process.pid);
    const dead = await findInterrupted(this.#host.repository, await readTable(await this.#host.repository.snapshot()), this.#world);
    const { result: row } = await this.#host.transact('session_start', async (snapshot) => {
      const earlier = await readTable(snapshot);
      if (earlier.some(({ id }) => id === chosen)) throw new MemgitError('ALREADY_EXISTS', 'expected an id that no session has, got one that is taken');
      const started = new Date(this.#world.now()).toISOString();
      const number = await nextNumber(snapshot, earlier);
      const row: SessionRow = {
        number,
        id: chosen ?? `${String(number).padStart(4, '0')}-${toBase32(this.#world.random(5))}`,
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
    if (own) this.#policies.set(row.id, own.policy);
    return new Session(row, this.#host, this.#world);
  }

  /** A session that was started before, perhaps by another process, to go on with it. @throws NOT_FOUND; CLOSED when it is over */
  async resume(reference: string | number): Promise<Session> {
    const row = await this.#find(reference);
    if (row.status === 'ended' || row.status === 'abandoned') throw new MemgitError('CLOSED', `session ${row.number} is over; start another`);
    return new Session(row, this.#host, this.#world);
  }

  /** Every session, oldest first. */
  async list(): Promise<SessionInfo[]> {
    return (await this.#rows()).map(infoOf);
  }

  /** A session by its number or id, with its log and its commits; `undefined` when there is none. */
  async show(reference: string | number): Promise<SessionDetails | undefined> {
    const row = findRow(await this.#rows(), reference);
    return row && showSession(this.#host.repository, row);
  }

  /**
   * What a session changed, file by file: each from before its first change of that file to after its last, so with whatever
   * others changed in the same file meanwhile. The table and the logs are left out.
   *
   * @throws NOT_FOUND
   */
  async diff(reference: string | number): ReturnType<typeof diffSession> {
    return diffSession(this.#host.repository, await this.#find(reference));
  }

  /**
   * Undoes what a session changed, as one new commit; what others changed stays. Its log stays too, and says so.
   *
   * @throws NOT_FOUND; CONFLICT when later edits touch the same lines, and nothing is changed
   */
  async revert(reference: string | number, options: RevertOptions = {}): ReturnType<typeof revertSession> {
    return revertSession(this.#host.repository, this.#world, await this.#find(reference), options);
  }

  /** What a model should know before it goes on, seen from outside any session. */
  async brief(options: BriefOptions = {}): Promise<string> {
    return writeBrief(this.#host.repository, this.#world, undefined, options);
  }

  async #rows(): Promise<SessionRow[]> {
    return readTable(await this.#host.repository.snapshot());
  }

  async #find(reference: string | number): Promise<SessionRow> {
    const row = findRow(await this.#rows(), reference);
    if (!row) throw new MemgitError('NOT_FOUND', 'there is no session of this number or id; `session list` shows them');
    return row;
  }
}

function factsOf({ agent, model, goal, id, leaseMs }: StartOptions) {
  if (leaseMs !== undefined && !(leaseMs > 0)) throw new RangeError('leaseMs: expected a positive number of milliseconds');
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

/** Above every number of the table, and where no file stands already: one made by hand keeps its text. */
async function nextNumber(snapshot: Snapshot, rows: readonly SessionRow[]): Promise<number> {
  let number = Math.max(0, ...rows.map((row) => row.number)) + 1;
  while ((await snapshot.stat(logPath(number))) !== undefined) number += 1;
  return number;
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
