/** Writes what was put together on a workbench as one commit, or only tells what that commit would change. */
import type { Oid } from '../git/objects.ts';
import type { MemoryPath } from '../vault/path.ts';
import type { Snapshot } from '../vault/snapshot.ts';
import type { VaultRepository } from '../vault/vault-repository.ts';
import { findChanges, type NodeChange } from './changes.ts';
import { diffChanges, type FileDiff } from './diff.ts';
import { listSnapshot } from './listing.ts';
import { logEntryOf, type LogEntry } from './log-entry.ts';
import type { Workbench } from './workbench.ts';

export interface UndoOptions {
  /** Changes nothing and tells what would be changed. */
  readonly dryRun?: boolean | undefined;
  readonly note?: string | undefined;
  readonly actor?: string | undefined;
  readonly session?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface UndoResult {
  /** `undefined` after a dry run, and when there was nothing to change. */
  readonly commit: LogEntry | undefined;
  /** What was changed, or would be; empty when the memory is so already. */
  readonly files: readonly FileDiff[];
}

export interface BenchPlan {
  readonly bench: Workbench;
  readonly op: 'revert' | 'restore';
  /** What the record names; by default all that changes. */
  readonly paths?: readonly MemoryPath[];
  readonly targets: readonly Oid[];
}

/** Plans on the newest snapshot, under the lock unless it is a dry run, so that what was planned is what is written. */
export async function writeBench(vault: VaultRepository, options: UndoOptions, plan: (snapshot: Snapshot, head: Oid) => Promise<BenchPlan>): Promise<UndoResult> {
  const { dryRun = false, signal, note, actor, session } = options;
  if (dryRun) {
    const { oid } = await vault.head();
    const snapshot = await vault.snapshot(oid);
    return { commit: undefined, files: await diffChanges(await changesOn(snapshot, (await plan(snapshot, oid)).bench)) };
  }
  const { result, commit } = await vault.transact(
    async (snapshot) => {
      const { bench, op, targets, ...named } = await plan(snapshot, (await vault.head()).oid);
      const changes = await changesOn(snapshot, bench);
      const paths = named.paths ?? changes.flatMap((change) => (change.kind === 'renamed' ? [change.from, change.path] : [change.path]));
      return { changes: await bench.changes(), record: { op, paths, targets, note, actor, session }, result: await diffChanges(changes) };
    },
    signal ? { signal } : {},
  );
  return { commit: commit && logEntryOf(commit), files: result };
}

async function changesOn(snapshot: Snapshot, bench: Workbench): Promise<NodeChange[]> {
  return findChanges(await listSnapshot(snapshot), bench.listing);
}
