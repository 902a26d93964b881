/**
 * Brings what a remote has into the memory: fetches, and then moves on to it, or merges when both sides went on. The decision is
 * made under the vault's lock, so a write that comes in between is part of it. That there is nothing to bring needs no lock.
 */
import { MemgitError } from '../errors.ts';
import type { Oid } from '../git/objects.ts';
import type { Remote } from '../git/remotes.ts';
import type { CommitInfo } from '../vault/commit-info.ts';
import { parsePath } from '../vault/path.ts';
import type { Integration, VaultState } from '../vault/transaction.ts';
import type { VaultRepository } from '../vault/vault-repository.ts';
import { relate, relateInVault } from './ancestry.ts';
import { fetchRemote, type FetchOptions } from './fetch.ts';
import { changesTowards, mergeMemories, type MergeConflict, type MergeSide, type Strategy } from './merge.ts';

export interface PullOptions extends FetchOptions {
  /** What becomes of places that both sides changed. Default `both`: both versions stay. */
  readonly strategy?: Strategy | undefined;
  /** Who merges, for the record. */
  readonly actor?: string | undefined;
  readonly session?: string | undefined;
}

export interface Pulled {
  readonly remote: string;
  /** `up-to-date`: there was nothing new; `forward`: the memory is now the remote's; `merge`: a commit joins both. */
  readonly outcome: 'up-to-date' | 'forward' | 'merge';
  /** Where this vault is now. */
  readonly head: Oid;
  /** Commits of the remote that the memory did not have. */
  readonly commits: number;
  readonly conflicts: readonly MergeConflict[];
}

const LABEL_DIGITS = 8;

/** @throws as `fetchRemote`; CONFLICT with the strategy `manual`, or when both sides changed the keyring; HISTORY_REWRITTEN; READ_ONLY, LOCKED, IO */
export async function pullRemote(vault: VaultRepository, remote: Remote, options: PullOptions = {}): Promise<Pulled> {
  const { head, commits } = await fetchRemote(vault, remote, options);
  if (head === undefined || (commits === 0 && (await holds(vault, head, options.signal)))) {
    return { remote: remote.name, outcome: 'up-to-date', head: (await vault.head()).oid, commits: 0, conflicts: [] };
  }
  const { result, commit } = await vault.integrate(head, (ours, theirs) => decide(vault, ours, theirs, options), options.signal ? { signal: options.signal } : {});
  return { remote: remote.name, ...result, head: commit?.oid ?? (await vault.head()).oid };
}

/** Whether the memory has a commit already. It only ever goes on from what it has, so a "yes" stays true. */
async function holds(vault: VaultRepository, oid: Oid, signal: AbortSignal | undefined): Promise<boolean> {
  const { behind } = await relateInVault(vault, (await vault.head()).oid, oid, signal);
  return behind.length === 0;
}

type Decided = Pick<Pulled, 'outcome' | 'commits' | 'conflicts'>;

async function decide(vault: VaultRepository, ours: VaultState, theirs: VaultState, { strategy = 'both', actor, session }: PullOptions): Promise<Integration<Decided>> {
  const { ahead, behind, bases } = await relate((oid) => vault.commit(oid), ours.info.oid, theirs.info.oid);
  if (behind.length === 0) return { kind: 'stay', result: { outcome: 'up-to-date', commits: 0, conflicts: [] } };
  if (ahead.length === 0) return { kind: 'forward', result: { outcome: 'forward', commits: behind.length, conflicts: [] } };
  assertMergeable(ours, theirs, bases);
  const onto = await newerKeyring(vault, bases, ours, theirs);
  const merged = await mergeMemories(await Promise.all(bases.map(async ({ oid }) => vault.snapshot(oid))), sideOf(ours), sideOf(theirs), strategy);
  const { conflicts } = merged;
  const changes = await changesTowards((onto === 'ours' ? ours : theirs).snapshot, merged);
  const paths = conflicts.map(({ kept, path }) => parsePath(kept ?? path));
  return { kind: 'merge', onto, draft: { changes, record: { op: 'merge', paths, actor, session }, result: { outcome: 'merge', commits: behind.length, conflicts } } };
}

function sideOf({ info, snapshot }: VaultState): MergeSide {
  return { snapshot, label: info.oid.slice(0, LABEL_DIGITS), timeMs: info.record.timeMs };
}

function assertMergeable({ info: ours }: VaultState, { info: theirs }: VaultState, bases: readonly CommitInfo[]): void {
  if (ours.record.generation !== theirs.record.generation) {
    throw new MemgitError('HISTORY_REWRITTEN', 'the remote holds a history that was written anew, which does not merge with the one here; clone it anew, and take over what is only here by export and import', {
      details: { ours: ours.record.generation, theirs: theirs.record.generation },
    });
  }
  if (bases.length === 0) throw new MemgitError('FORK_DETECTED', 'the history of the remote has nothing in common with the one here, so there is nothing to merge');
}

/** Which side the merge goes on from: the one whose keyring changed, since keyrings are never merged. @throws CONFLICT when both did */
async function newerKeyring(vault: VaultRepository, bases: readonly CommitInfo[], ours: VaultState, theirs: VaultState): Promise<'ours' | 'theirs'> {
  const keyringOf = async ({ commit }: CommitInfo): Promise<Oid> => (await vault.trees.root(commit.tree)).keyring;
  const [here, there] = [await keyringOf(ours.info), await keyringOf(theirs.info)];
  const before = await Promise.all(bases.map(keyringOf));
  if (before.includes(there) && (here === there || !before.includes(here))) return 'ours';
  if (here === there || (before.includes(here) && !before.includes(there))) return 'theirs';
  throw new MemgitError(
    'CONFLICT',
    'the keys of the vault were changed here and on the remote, and keyrings are never merged; the change made here must be redone: clone the remote anew and make it there',
    { details: { redo: 'ours' } },
  );
}
