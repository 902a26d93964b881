/** Every vault of a store and its backup, a few at a time. */
import type { TransportOptions } from './git/transport.ts';
import { isMemgitError } from './errors.ts';
import { BACKUP_REMOTE } from './sync/backup.ts';
import type { MergeConflict } from './sync/merge.ts';
import type { PullOptions } from './sync/pull.ts';
import type { Pushed } from './sync/push.ts';
import type { Vault } from './vault.ts';

export interface SyncOptions extends TransportOptions, Pick<PullOptions, 'strategy' | 'actor'> {
  /** The remote of each vault. Default `backup`, which the store's template gives to all. */
  readonly remote?: string | undefined;
  /** Whether what others pushed is merged in where it must be. Default true. */
  readonly pull?: boolean | undefined;
  /** How many vaults are worked on at the same time. Default 4. */
  readonly concurrency?: number | undefined;
}

/** What became of one vault. */
export interface SyncedVault {
  readonly vaultId: string;
  /** `undefined` when the vault did not open. */
  readonly userId: string | undefined;
  readonly pushed?: Pushed | undefined;
  /** Places that both sides had changed, when the vault had to be merged first. */
  readonly conflicts: readonly MergeConflict[];
  /** Why this vault has no backup now; the others go on. */
  readonly error?: unknown;
}

/** Pushes a vault; one whose remote has more is merged first, unless that is not wanted. */
export async function syncVault(vault: Vault, { remote = BACKUP_REMOTE, pull = true, ...options }: SyncOptions): Promise<SyncedVault> {
  const { vaultId, userId } = vault;
  try {
    return { vaultId, userId, pushed: await vault.push(remote, options), conflicts: [] };
  } catch (error) {
    if (!pull || !isMemgitError(error, 'PUSH_REJECTED')) return { vaultId, userId, conflicts: [], error };
  }
  try {
    const { conflicts } = await vault.pull(remote, options);
    return { vaultId, userId, conflicts, pushed: await vault.push(remote, options) };
  } catch (error) {
    return { vaultId, userId, conflicts: [], error };
  }
}

/** Runs `action` on items as they come, at most `limit` at a time; results come in the order in which they are done. */
export async function* inParallel<T, R>(items: AsyncIterable<T>, limit: number, action: (item: T) => Promise<R>): AsyncGenerator<R> {
  const running = new Map<number, Promise<{ readonly number: number; readonly result: R }>>();
  const next = async (): Promise<R> => {
    const { number, result } = await Promise.race(running.values());
    running.delete(number);
    return result;
  };
  let number = 0;
  for await (const item of items) {
    const current = (number += 1);
    running.set(current, action(item).then((result) => ({ number: current, result })));
    if (running.size >= limit) yield await next();
  }
  while (running.size > 0) yield await next();
}
