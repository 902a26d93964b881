/** The sessions of a vault: starting and finding them, and looking at or undoing what one of them did. */
import { MemgitError } from '../errors.ts';
import type { UndoResult } from '../history/bench-commit.ts';
import type { FileDiff } from '../history/diff.ts';
import type { VaultRepository } from '../vault/vault-repository.ts';
import { writeBrief, type BriefOptions } from './brief.ts';
import { Features } from './features.ts';
import { policyOf, type Policies } from './policy.ts';
import { readTable } from './progress-files.ts';
import { diffSession, showSession, revertSession, type SessionRevertOptions, type SessionDetails } from './review.ts';
import { Session } from './session.ts';
import { startSession, type StartOptions } from './start.ts';
import { findRow, infoOf, isOver, type SessionInfo, type SessionRow } from './table.ts';
import type { SessionHost, World } from './world.ts';

export class Sessions {
  /** The checklist, for changes that belong to no session. */
  readonly features: Features;
  readonly #host: SessionHost;
  readonly #policies: Policies;
  readonly #world: World;

  /** @internal */
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
    const own = options.policy === undefined ? undefined : { policy: policyOf(options.policy) };
    const row = await startSession(this.#host, this.#world, options);
    if (own) this.#policies.set(row.id, own.policy);
    return new Session(row, this.#host, this.#world);
  }

  /** A session that was started before, perhaps by another process, to go on with it. @throws NOT_FOUND; CLOSED when it is over */
  async resume(reference: string | number): Promise<Session> {
    const row = await this.#host.ask('session_resume', async (repository) => findSession(repository, reference));
    if (isOver(row)) throw new MemgitError('CLOSED', `session ${row.number} is over; start another`);
    return new Session(row, this.#host, this.#world);
  }

  /** Every session, oldest first. */
  async list(): Promise<SessionInfo[]> {
    return this.#host.ask('session_list', async (repository) => (await rowsOf(repository)).map(infoOf));
  }

  /** A session by its number or id, with its log and its commits; `undefined` when there is none. */
  async show(reference: string | number): Promise<SessionDetails | undefined> {
    return this.#host.ask('session_show', async (repository) => {
      const row = findRow(await rowsOf(repository), reference);
      return row && showSession(repository, row);
    });
  }

  /**
   * What a session changed, file by file: each from before its first change of that file to after its last, so with whatever
   * others changed in the same file meanwhile. The table and the logs are left out.
   *
   * @throws NOT_FOUND
   */
  async diff(reference: string | number): Promise<FileDiff[]> {
    return this.#host.ask('session_diff', async (repository) => diffSession(repository, await findSession(repository, reference)));
  }

  /**
   * Undoes what a session changed, as one new commit; what others changed stays. Its log stays too, and says so.
   *
   * @throws NOT_FOUND; CONFLICT when later edits touch the same lines, and nothing is changed
   */
  async revert(reference: string | number, options: SessionRevertOptions = {}): Promise<UndoResult> {
    return this.#host.ask('session_revert', async (repository) => revertSession(repository, this.#world, await findSession(repository, reference), options));
  }

  /** What a model should know before it goes on, seen from outside any session. */
  async brief(options: BriefOptions = {}): Promise<string> {
    return this.#host.ask('session_brief', async (repository) => writeBrief(repository, this.#world, undefined, options));
  }
}

async function rowsOf(repository: VaultRepository): Promise<SessionRow[]> {
  return readTable(await repository.snapshot());
}

async function findSession(repository: VaultRepository, reference: string | number): Promise<SessionRow> {
  const row = findRow(await rowsOf(repository), reference);
  if (!row) throw new MemgitError('NOT_FOUND', 'there is no session of this number or id; `session list` shows them');
  return row;
}
