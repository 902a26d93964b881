/** How far the remotes have a vault, as they were last seen: no remote is asked, and nothing is written. */
import type { Remote } from '../git/remotes.ts';
import type { VaultRepository } from '../vault/vault-repository.ts';
import { relate } from './ancestry.ts';

export interface RemoteStanding extends Remote {
  /** The commit that its branch was at when it was last pushed to or looked at, and the time of that commit; absent when there was none. */
  readonly seen?: { readonly oid: string; readonly time: string; readonly timeMs: number };
  /** Commits of this vault that it did not have then: what a push would send. */
  readonly ahead: number;
  /** Commits that it had then and that are not in the memory: what a pull would take in. */
  readonly behind: number;
}

/** Walks no further than to where the two part, so what was never pushed costs nothing. */
export async function standingOf(vault: VaultRepository, remote: Remote): Promise<RemoteStanding> {
  const head = await vault.head();
  const oid = await vault.repository.seenAt(remote.name);
  // By the head's number, as `status` counts commits.
  if (oid === undefined) return { ...remote, ahead: head.record.sequence + 1, behind: 0 };
  const keys = await vault.keysWith(oid);
  const { ahead, behind } = await relate((commit) => vault.commit(commit, keys), head.oid, oid);
  const { timeMs } = (await vault.commit(oid, keys)).record;
  return { ...remote, seen: { oid, time: new Date(timeMs).toISOString(), timeMs }, ahead: ahead.length, behind: behind.length };
}
