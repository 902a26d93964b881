/**
 * One user's memory as the host program sees it: the memory tool for Claude, files for the program, and the history for the
 * person who audits it. Paths are spelled as Claude spells them, `/memories/…`.
 */
import { utf8, utf8Decode, type Bytes } from './bytes.ts';
import { assertText } from './checks.ts';
import { sshPublicKey } from './crypto/sshsig.ts';
import { MemgitError } from './errors.ts';
import { resolveRevision } from './history/revision.ts';
import type { Outcome } from './memory/commands.ts';
import { execute, type ExecuteOptions, type Memory, type ToolResult } from './memory/execute.ts';
import { handlers, memoryTool, type HandlerOptions, type MemoryTool, type MemoryHandlers, type ToolOptions } from './memory/tool.ts';
import type { Features } from './session/features.ts';
import { Policies, type PolicySetting } from './session/policy.ts';
import { Sessions } from './session/sessions.ts';
import { systemWorld } from './session/world.ts';
import { fileAbove, readFileAt, statFile } from './vault/file-at.ts';
import { displayPath, parsePath, ROOT, type MemoryPath } from './vault/path.ts';
import { checkRecordTexts } from './vault/record.ts';
import type { Change, Snapshot } from './vault/snapshot.ts';
import type { Committed, Draft } from './vault/transaction.ts';
import type { VaultRepository } from './vault/vault-repository.ts';
import type { VaultEvent } from './vault-base.ts';
import type { AtRevision } from './vault-history.ts';
import { VaultSync } from './vault-sync.ts';

export interface VaultHooks {
  readonly onEvent?: ((event: VaultEvent) => void) | undefined;
  /** Told of every failure of a tool call that was not Claude's doing. Claude reads one neutral sentence instead. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /**
   * What may not be written, by Claude or by the host program. Default `'enforce'`: the rules of the progress log. What an operator
   * imports, reverts or restores is not judged.
   */
  readonly policy?: PolicySetting | undefined;
}

/** What the record of a host program's own mutation says. */
export interface WriteOptions {
  readonly note?: string | undefined;
  readonly actor?: string | undefined;
  readonly session?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface MemoryEntry {
  readonly path: string;
  readonly kind: 'file' | 'directory';
  /** Bytes of a file; 0 for a directory, because only empty ones are listed. */
  readonly sizeBytes: number;
}

export class Vault extends VaultSync {
  readonly #hooks: VaultHooks;
  readonly #policies: Policies;
  readonly #sessions: Sessions;

  /** @internal */
  constructor(gitdir: string, repository: VaultRepository, hooks: VaultHooks, backup?: string) {
    super(gitdir, repository, hooks.onEvent, backup);
    this.#hooks = hooks;
    this.#policies = new Policies(repository, hooks.policy);
    const host = {
      repository: () => {
        this.assertOpen();
        return repository;
      },
      ask: async <T>(op: string, answer: (of: VaultRepository) => Promise<T>) => this.timed(op, async () => answer(repository)),
      transact: async <T>(op: string, build: (snapshot: Snapshot) => Promise<Draft<T>>) => this.#transact(op, build, undefined),
      memoryTool: (options: ToolOptions) => this.memoryTool(options),
      handlers: (options: HandlerOptions) => this.handlers(options),
      execute: async (input: unknown, options: ExecuteOptions) => this.execute(input, options),
    };
    this.#sessions = new Sessions(host, this.#policies, systemWorld);
  }

  /** Spans of work of agents, with their progress log. */
  get sessions(): Sessions {
    return this.#sessions;
  }

  /** The checklist of the work, for what belongs to no session. */
  get features(): Features {
    return this.#sessions.features;
  }

  /**
   * A tool for the SDK's tool runners. Its record of each mutation has the `tool_use` id, which `handlers` cannot know.
   *
   * @throws TOO_LARGE, TypeError for a model, an actor or a session that a record cannot hold
   */
  memoryTool(options: ToolOptions = {}): MemoryTool {
    checkRecordTexts(options);
    return memoryTool(this.#memory(), this.#withHooks(options));
  }

  /** Handlers for the SDK's `betaMemoryTool`. */
  handlers(options: HandlerOptions = {}): MemoryHandlers {
    checkRecordTexts(options);
    return handlers(this.#memory(), this.#withHooks(options));
  }

  /**
   * Runs one tool input and gives the `content` and `is_error` of its `tool_result`: for hand-written loops, other SDKs and
   * other platforms. Never rejects, so `null` options are as good as none.
   */
  async execute(input: unknown, options?: ExecuteOptions | null): Promise<ToolResult> {
    return execute(this.#memory(), input, this.#withHooks(options ?? {}));
  }

  /** The bytes of a file; `undefined` when there is none. @throws NOT_A_FILE, INVALID_PATH */
  async read(path: string): Promise<Uint8Array | undefined> {
    return this.timed('read', async () => {
      const content = await readFileAt(await this.#snapshot(), parsePath(path));
      // The cache keeps its own copy from whoever changes this one.
      return content && Uint8Array.from(content);
    });
  }

  /** The text of a file; `undefined` when there is none. @throws NOT_TEXT when its bytes are not valid UTF-8; NOT_A_FILE, INVALID_PATH */
  async readText(path: string): Promise<string | undefined> {
    return this.timed('read', async () => {
      const content = await readFileAt(await this.#snapshot(), parsePath(path));
      const text = content && utf8Decode(content);
      if (content && text === undefined) throw new MemgitError('NOT_TEXT', 'expected a file of UTF-8 text, got other bytes; read it as bytes');
      return text;
    });
  }

  /**
   * Writes a file, making its directories and replacing what it held, as one commit. Returns the commit's oid, or `undefined`
   * when the file held the same bytes already and nothing was written.
   *
   * @throws NOT_A_FILE when the path is a directory, NOT_A_DIRECTORY when it lies below a file; INVALID_PATH, TOO_LARGE, READ_ONLY, LOCKED, IO
   * @throws TypeError when the content is neither text nor a Uint8Array (an ArrayBuffer is not)
   */
  async write(path: string, content: string | Uint8Array, options: WriteOptions = {}): Promise<string | undefined> {
    const target = parsePath(path);
    const bytes = bytesOf(content);
    return this.#change('write', [target], options, async (snapshot) => {
      await requireRoomForFile(snapshot, target);
      return [{ kind: 'write', path: target, content: bytes }];
    });
  }

  /** Removes a file, or a directory with everything below it. Returns the commit's oid. @throws NOT_FOUND, INVALID_PATH for the root */
  async remove(path: string, options: WriteOptions = {}): Promise<string> {
    const target = parsePath(path);
    if (target === ROOT) throw new MemgitError('INVALID_PATH', 'expected a path below /memories: the root itself cannot be removed');
    const oid = await this.#change('remove', [target], options, async (snapshot) => {
      if (!(await snapshot.stat(target))) throw new MemgitError('NOT_FOUND', 'there is nothing at this path to remove');
      return [{ kind: 'remove', path: target }];
    });
    return oid!;
  }

  /** Every file and every empty directory at or below a path, in order; `[]` when there is nothing. @throws BAD_REVISION */
  async list(path = '/memories', { revision }: AtRevision = {}): Promise<MemoryEntry[]> {
    assertText('revision', revision ?? 'HEAD');
    return this.timed('list', async () => {
      const entries: MemoryEntry[] = [];
      const snapshot = revision === undefined ? await this.#snapshot() : await this.repository.snapshot(await resolveRevision(this.repository, revision));
      for await (const { path: inner, kind, sizeBytes } of snapshot.walk(parsePath(path))) {
        entries.push({ path: displayPath(inner), kind, sizeBytes });
      }
      return entries;
    });
  }

  /**
   * The public signing key of every epoch, as the text of an allowed-signers file: with it (`gpg.ssh.allowedSignersFile`) plain
   * `git verify-commit` checks the commits.
   */
  async allowedSigners(): Promise<string> {
    return this.timed('allowedSigners', async () => {
      // Another process may have begun an epoch.
      await this.repository.head();
      const { epochs } = this.repository.keys.keyring;
      return epochs.map(({ publicKey }) => `memgit@localhost namespaces="git" ${sshPublicKey(publicKey)}\n`).join('');
    });
  }

  #memory(): Memory {
    return {
      view: async (build) => this.timed('view', async () => build(await this.#snapshot())),
      mutate: async (build, { op, signal, ...context }) => {
        const draft = async (snapshot: Snapshot): Promise<Draft<Outcome>> => {
          const outcome = await build(snapshot);
          return { changes: outcome.changes, record: { op: outcome.op, paths: outcome.paths, ...context }, result: outcome };
        };
        return (await this.#transact(op, draft, signal)).result;
      },
    };
  }

  async #change(op: string, paths: readonly MemoryPath[], { signal, ...texts }: WriteOptions, plan: (snapshot: Snapshot) => Promise<Change[]>): Promise<string | undefined> {
    const draft = async (snapshot: Snapshot) => ({ changes: await plan(snapshot), record: { op, paths, ...texts }, result: undefined });
    return (await this.#transact(op, draft, signal)).commit?.oid;
  }

  async #transact<T>(op: string, build: (snapshot: Snapshot) => Promise<Draft<T>>, signal: AbortSignal | undefined): Promise<Committed<T>> {
    const timing = { op, queueMs: 0, bytes: 0 };
    const asked = performance.now();
    return this.timed(timing, async () => {
      const committed = await this.repository.transact(
        async (snapshot) => {
          timing.queueMs = performance.now() - asked;
          const draft = await build(snapshot);
          await this.#policies.check(snapshot, draft.changes, draft.record);
          timing.op = draft.record.op;
          return draft;
        },
        signal ? { signal } : {},
      );
      timing.bytes = committed.commit?.record.addedBytes ?? 0;
      return committed;
    });
  }

  async #snapshot(): Promise<Snapshot> {
    return this.repository.snapshot();
  }

  #withHooks<T extends { readonly onError?: ((error: unknown) => void) | undefined }>(options: T): T {
    return { ...options, onError: options.onError ?? this.#hooks.onError };
  }
}

/** A copy, which the caller cannot change any more. What is neither text nor bytes would be taken for an empty file. */
function bytesOf(content: string | Uint8Array): Bytes {
  if (typeof content === 'string') return utf8(content);
  if (!(content instanceof Uint8Array)) throw new TypeError(`content: expected text or a Uint8Array, got ${typeof content}`);
  return Uint8Array.from(content);
}

async function requireRoomForFile(snapshot: Snapshot, path: MemoryPath): Promise<void> {
  await statFile(snapshot, path);
  if ((await fileAbove(snapshot, path)) !== undefined) throw new MemgitError('NOT_A_DIRECTORY', 'expected a path below directories, got one below a file');
}
