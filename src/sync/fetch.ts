/**
 * Looks at a remote: brings what it has and this vault has not, checks all of it, and only then takes it in and notes where the
 * remote was seen. The memory does not change. A remote that shows less than it did before is an error, never news.
 */
import type { MemgitError } from '../errors.ts';
import type { Oid } from '../git/objects.ts';
import type { Quarantine } from '../git/quarantine.ts';
import type { Remote } from '../git/remotes.ts';
import { openTransport } from '../git/open-transport.ts';
import type { TransportOptions } from '../git/transport.ts';
import { joinKeys } from '../vault/keys.ts';
import { checkKind } from '../vault/kinds.ts';
import type { VaultRepository } from '../vault/vault-repository.ts';
import { relate } from './ancestry.ts';
import { checkIncoming, type CheckedHistory } from './incoming.ts';
import { describeRegression, EMPTY, regressionOf } from './remote.ts';

export interface FetchOptions extends TransportOptions {
  /** The head of the remote (40 hex digits, or `empty`) that is accepted although it shows less than was seen before. */
  readonly accept?: string | undefined;
}

export interface Fetched {
  readonly remote: string;
  /** Where the remote's branch is; `undefined` when the remote is empty. */
  readonly head: Oid | undefined;
  /** Where it was seen before. */
  readonly seen: Oid | undefined;
  /** Commits that are new here. */
  readonly commits: number;
}

/**
 * @throws REMOTE_UNREACHABLE, REMOTE_REFUSED, ROLLBACK_DETECTED, FORK_DETECTED, HISTORY_REWRITTEN, ABORTED, TOO_LARGE
 * @throws ALTERED, CORRUPT, UNSUPPORTED_VERSION when what was sent is not what the vault's writers made
 */
export async function fetchRemote(vault: VaultRepository, remote: Remote, options: FetchOptions = {}): Promise<Fetched> {
  const { repository } = vault;
  const transport = await openTransport(remote.url, options);
  const seen = await repository.seenAt(remote.name);
  const haves = [(await vault.head()).oid, ...(seen === undefined ? [] : [seen])];
  const quarantine = await repository.quarantine();
  try {
    const head = await transport.fetch(quarantine, haves, checkKind);
    const fetched = { remote: remote.name, head, seen };
    if (head === seen) return { ...fetched, commits: 0 };
    if (head === undefined) {
      if (seen !== undefined && options.accept !== EMPTY) throw await describeEmptied(vault, remote.name, seen);
      if (await repository.acceptFrom(remote.name, { before: seen, now: head })) return { ...fetched, commits: 0 };
    } else {
      const history = await check(vault, head, quarantine, options);
      if (options.accept !== head) await checkPin(vault, history, { remote: remote.name, head, seen }, options.signal);
      if (await repository.acceptFrom(remote.name, { before: seen, now: head }, quarantine)) return { ...fetched, commits: history.commits };
    }
  } finally {
    await quarantine.discard();
  }
  // Somebody else has looked since: what is true now must be held against what was seen then.
  return fetchRemote(vault, remote, options);
}

async function check(vault: VaultRepository, head: Oid, quarantine: Quarantine, { signal, onProgress }: FetchOptions): Promise<CheckedHistory> {
  return checkIncoming(head, quarantine, (read) => vault.readersOver(read), {
    commits: 'each',
    repositoryId: vault.keys.repositoryId,
    signal,
    onProgress: (done) => onProgress?.({ phase: 'checking commits', done, total: undefined }),
  });
}

/** The remote must lead to where it was seen, or, when it was never seen, have something in common with this vault. */
async function checkPin(vault: VaultRepository, history: CheckedHistory, { remote, head, seen }: { remote: string; head: Oid; seen: Oid | undefined }, signal: AbortSignal | undefined): Promise<void> {
  const pin = seen ?? (await vault.head()).oid;
  const keys = joinKeys(history.keys, await vault.keysWith(seen));
  const commit = async (oid: Oid) => history.commit(oid, keys);
  const relation = await relate(commit, head, pin, signal);
  if (relation.behind.length === 0 || (seen === undefined && relation.bases.length > 0)) return;
  const [now, before] = [await commit(head), await commit(pin)];
  const rewritten = now.record.generation !== before.record.generation;
  throw describeRegression(rewritten ? 'HISTORY_REWRITTEN' : regressionOf(relation), { remote, seen: pin, got: head, missing: relation.behind.length });
}

/** A remote that had something and is empty now. */
export async function describeEmptied(vault: VaultRepository, remote: string, seen: Oid): Promise<MemgitError> {
  const keys = await vault.keysWith(seen);
  const { ahead } = await relate((oid) => vault.commit(oid, keys), seen, undefined);
  return describeRegression('ROLLBACK_DETECTED', { remote, seen, got: undefined, missing: ahead.length });
}
