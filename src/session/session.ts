/**
 * One session from its start to its end: the tool and the checklist bound to it, its progress log, its brief. The binding is
 * the host's; no argument of the model can change which session a commit belongs to.
 */
import { assertObject, assertTexts } from '../checks.ts';
import { MemgitError } from '../errors.ts';
import type { ExecuteOptions, ToolResult } from '../memory/execute.ts';
import type { HandlerOptions, MemoryTool, MemoryHandlers, ToolOptions } from '../memory/tool.ts';
import type { Change, Snapshot } from '../vault/snapshot.ts';
import { tally } from './activity.ts';
import { writeBrief, type BriefOptions } from './brief.ts';
import { Features, type Writer } from './features.ts';
import { logPath, TABLE } from './layout.ts';
import { readTable, readText, writeTable, writeText } from './progress-files.ts';
import { digestOf, openingOf, progressText, withSection, type ProgressEntry } from './session-log.ts';
import { isOver, type SessionInfo, type SessionRow, type SessionStatus } from './table.ts';
import { boundedText, requiredText } from './text.ts';
import type { SessionHost, World } from './world.ts';

const ENTRY_CHARACTERS_MAX = 8000;
const HANDOFF_CHARACTERS_MAX = 16_000;

/** Fields of the tool's options that the session sets itself. */
type Bound = 'session';

export class Session {
  readonly id: string;
  /** 1 for the first session of a vault; no two sessions have the same. */
  readonly number: number;
  /** An initializer: there was no checklist when it started, so that it has one to make. */
  readonly isFirst: boolean;
  readonly agent: string | undefined;
  readonly model: string | undefined;
  readonly goal: string | undefined;
  /** The checklist; changes are commits of this session. */
  readonly features: Features;
  readonly progress = {
    /** Adds an entry to the session's log. @throws CLOSED when the session is over; INVALID_ARGUMENT for an empty entry; TOO_LARGE */
    append: async (entry: ProgressEntry): Promise<void> => this.#append(entry),
    /** The session's log; `undefined` when somebody took it away. */
    read: async (): Promise<string | undefined> => this.#host.ask('progress_read', async (repository) => readText(await repository.snapshot(), logPath(this.number))),
  };
  readonly #host: SessionHost;
  readonly #world: World;

  /** @internal */
  constructor(info: SessionInfo, host: SessionHost, world: World) {
    this.id = info.id;
    this.number = info.number;
    this.isFirst = info.isFirst;
    this.agent = info.agent;
    this.model = info.model;
    this.goal = info.goal;
    this.#host = host;
    this.#world = world;
    this.features = new Features(host, this.#writer);
  }

  /** The memory tool for the SDK's tool runners; every commit it makes carries the session, the `tool_use` id and the model. */
  memoryTool(options: Omit<ToolOptions, Bound> = {}): MemoryTool {
    return this.#host.memoryTool({ model: this.model, actor: this.agent, ...options, session: this.id });
  }

  /** Handlers for the SDK's `betaMemoryTool`. */
  handlers(options: Omit<HandlerOptions, Bound> = {}): MemoryHandlers {
    return this.#host.handlers({ model: this.model, actor: this.agent, ...options, session: this.id });
  }

  /** Runs one tool input, for hand-written loops. Never rejects, so `null` options are as good as none. */
  async execute(input: unknown, options?: Omit<ExecuteOptions, Bound> | null): Promise<ToolResult> {
    return this.#host.execute(input, { model: this.model, actor: this.agent, ...options, session: this.id });
  }

  /** What a model should know before it starts: see `BriefOptions`. */
  async brief(options: BriefOptions = {}): Promise<string> {
    return this.#host.ask('session_brief', async (repository) => writeBrief(repository, this.#world, this.number, options));
  }

  /**
   * Ends the session. Without `handoff`, the log must have a section "## Handoff" that the model wrote by hand.
   *
   * @throws INVALID_ARGUMENT without any handoff; CLOSED when the session has ended before
   */
  async end({ handoff }: { readonly handoff?: string | undefined } = {}): Promise<void> {
    const text = handoff === undefined ? undefined : requiredText('handoff', handoff, HANDOFF_CHARACTERS_MAX);
    await this.#finish('session_end', 'ended', (log, now) => {
      if (text !== undefined) return withSection(log, 'Handoff', now, text);
      if (digestOf(log).handoff !== undefined) return log;
      throw new MemgitError('INVALID_ARGUMENT', 'expected a handoff for the next session, got none; say what was done and what comes next');
    });
  }

  /** Ends a session that did not get where it should. @throws INVALID_ARGUMENT without a reason; CLOSED */
  async abandon(why: { readonly reason: string }): Promise<void> {
    assertObject('why', why);
    const text = requiredText('reason', why.reason, HANDOFF_CHARACTERS_MAX);
    await this.#finish('session_abandon', 'abandoned', (log, now) => withSection(log, 'Abandoned', now, text));
  }

  get #writer(): Writer {
    return { session: this.id, actor: this.agent, model: this.model };
  }

  async #append(entry: ProgressEntry): Promise<void> {
    assertObject('entry', entry);
    for (const [field, value] of Object.entries(entry)) if (value !== undefined && typeof value !== 'string') assertTexts(field, value);
    const text = boundedText('progress entry', progressText(entry), ENTRY_CHARACTERS_MAX);
    if (text === '') throw new MemgitError('INVALID_ARGUMENT', 'expected a progress entry, got an empty one; say what was done');
    await this.#change('progress_append', async (snapshot) => {
      const row = this.#openRow(await readTable(snapshot));
      return [writeText(logPath(this.number), withSection(await this.#log(snapshot, row), 'Progress', this.#time(), text))];
    });
  }

  async #finish(op: string, status: SessionStatus, close: (log: string, now: string) => string): Promise<void> {
    const stat = (await tally(this.#host.repository(), [this.id])).get(this.id);
    await this.#change(op, async (snapshot) => {
      const rows = await readTable(snapshot);
      const { process: _, ...row } = this.#openRow(rows);
      const now = this.#time();
      const ended: SessionRow = { ...row, status, ended: now, stat };
      return [
        writeText(logPath(this.number), close(await this.#log(snapshot, row), now)),
        writeTable(rows.map((other) => (other.id === this.id ? ended : other))),
      ];
    });
  }

  async #change(op: string, edit: (snapshot: Snapshot) => Promise<Change[]>): Promise<void> {
    const paths = op === 'progress_append' ? [logPath(this.number)] : [logPath(this.number), TABLE];
    await this.#host.transact(op, async (snapshot) => ({ changes: await edit(snapshot), record: { op, paths, ...this.#writer }, result: undefined }));
  }

  /** A session that was taken for dead is as good as an open one. */
  #openRow(rows: readonly SessionRow[]): SessionRow {
    const row = rows.find(({ id }) => id === this.id);
    if (!row) throw new MemgitError('NOT_FOUND', 'the session is not in the table of sessions any more; an earlier version of it was restored');
    if (isOver(row)) throw new MemgitError('CLOSED', `session ${this.number} is over; start another`);
    return row;
  }

  async #log(snapshot: Snapshot, row: SessionInfo): Promise<string> {
    return (await readText(snapshot, logPath(this.number))) ?? openingOf(row);
  }

  #time(): string {
    return new Date(this.#world.now()).toISOString();
  }
}
