/** One commit with all that it changed, and one file as a commit has it. */
import type { Bytes } from '../bytes.ts';
import { readFileAt } from '../vault/file-at.ts';
import type { MemoryPath } from '../vault/path.ts';
import type { VaultRepository } from '../vault/vault-repository.ts';
import { diffCommit, type DiffOptions, type FileDiff } from './diff.ts';
import { logEntryOf, type LogEntry } from './log-entry.ts';
import { pathMissing } from './missing.ts';
import { resolveRevision } from './revision.ts';

export interface ShownCommit extends LogEntry {
  /** Relative to the first parent. */
  readonly files: readonly FileDiff[];
}

/** @throws BAD_REVISION */
export async function show(vault: VaultRepository, revision = 'HEAD', options: DiffOptions = {}): Promise<ShownCommit> {
  const oid = await resolveRevision(vault, revision);
  return { ...logEntryOf(await vault.commit(oid)), files: await diffCommit(vault, oid, options) };
}

/** The bytes of a file, shared with a cache. @throws BAD_REVISION, NOT_FOUND (with `removedIn`), NOT_A_FILE */
export async function showFile(vault: VaultRepository, revision: string, path: MemoryPath): Promise<Bytes> {
  const oid = await resolveRevision(vault, revision);
  const content = await readFileAt(await vault.snapshot(oid), path);
  if (!content) throw await pathMissing(vault, oid, path);
  return content;
}
