/** What every part of a vault's public face stands on: which vault it is, its life from open to closed, and its events. */
import { toHex } from './bytes.ts';
import { isMemgitError, MemgitError, type ErrorCode } from './errors.ts';
import type { VaultRepository } from './vault/vault-repository.ts';

/** One finished operation, for metrics and logs. Holds no path and no text. */
export interface VaultEvent {
  /** A command of the memory tool, the method of the vault, or one about sessions as the history calls these: `session_start`, `features_list`. */
  readonly op: string;
  /** `undefined` when it succeeded. */
  readonly code: ErrorCode | 'UNEXPECTED' | undefined;
  /** From the call to its end, in milliseconds; of what comes step by step the time that its steps took, without that of their reader. */
  readonly ms: number;
  /** How much of that was spent waiting for other mutations of this vault, here and in other processes. */
  readonly queueMs: number;
  /** Bytes of text that a mutation added. */
  readonly bytes: number;
}

/** What is known of an operation while it runs. */
export type Timing = Pick<VaultEvent, 'op' | 'queueMs' | 'bytes'>;

export class VaultBase {
  /** The user whose memory this is, exactly as it was given when the vault was made. */
  readonly userId: string;
  /** The bare git repository on the disk. */
  readonly gitdir: string;
  /** @internal */
  protected readonly repository: VaultRepository;
  readonly #onEvent: ((event: VaultEvent) => void) | undefined;
  #closed = false;

  /** @internal */
  constructor(gitdir: string, repository: VaultRepository, onEvent: ((event: VaultEvent) => void) | undefined) {
    this.userId = repository.keys.userId;
    this.gitdir = gitdir;
    this.repository = repository;
    this.#onEvent = onEvent;
  }

  /** 40 hex digits: the vault's opaque name in its store and towards a remote. */
  get vaultId(): string {
    return toHex(this.repository.keys.keyring.vaultId);
  }

  /** 64 hex digits: the identity that the first signing key gives the repository, for ever. */
  get repositoryId(): string {
    return toHex(this.repository.keys.repositoryId);
  }

  get closed(): boolean {
    return this.#closed;
  }

  /**
   * Waits for running mutations. The vault cannot be used afterwards; calling it again does nothing. Only for one of
   * `openRepository` or `clone`: a vault of a store is shared by all who asked the store for it, and for them it is closed, too.
   */
  async close(): Promise<void> {
    this.#closed = true;
    await this.repository.close();
  }

  /** As `close`: not for a vault of a store. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Runs an operation and tells of it when it is over. What it learns on the way goes into `timing`. @throws CLOSED @internal */
  protected async timed<T>(what: string | Timing, action: () => Promise<T>): Promise<T> {
    this.assertOpen();
    const timing = typeof what === 'string' ? { op: what, queueMs: 0, bytes: 0 } : what;
    const started = performance.now();
    let code: VaultEvent['code'];
    try {
      return await action();
    } catch (error) {
      code = codeOf(error);
      throw error;
    } finally {
      this.#tell({ ...timing, code, ms: performance.now() - started });
    }
  }

  /** As `timed`, for what comes step by step; told of when it is over or its reader has left. @throws CLOSED, at any step @internal */
  protected timedSteps<T, R>(op: string, steps: () => AsyncGenerator<T, R>): AsyncGenerator<T, R> {
    this.assertOpen();
    return this.#watch(op, steps());
  }

  async *#watch<T, R>(op: string, steps: AsyncGenerator<T, R>): AsyncGenerator<T, R> {
    let code: VaultEvent['code'];
    let ms = 0;
    try {
      for (;;) {
        this.assertOpen();
        const asked = performance.now();
        const step = await steps.next().finally(() => (ms += performance.now() - asked));
        if (step.done === true) return step.value;
        yield step.value;
      }
    } catch (error) {
      code = codeOf(error);
      throw error;
    } finally {
      // One that has ended gives nothing more, one that has not is told to end; the value is nobody's.
      await steps.return(undefined as R);
      this.#tell({ op, queueMs: 0, bytes: 0, code, ms });
    }
  }

  /** What was done is done: a hook that throws must not make it look as if it had failed. */
  #tell(event: VaultEvent): void {
    try {
      this.#onEvent?.(event);
    } catch {
      // It is the caller's own.
    }
  }

  /** @internal */
  protected assertOpen(): void {
    if (this.#closed) throw new MemgitError('CLOSED', 'the vault is closed; open it again');
  }
}

function codeOf(error: unknown): VaultEvent['code'] {
  return isMemgitError(error) ? error.code : 'UNEXPECTED';
}
