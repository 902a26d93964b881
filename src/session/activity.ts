/**
 * What sessions did, told from their commits: the history is walked from its newest commit back to where the sessions
 * started, never further, and one walk serves any number of sessions.
 */
import type { Oid } from '../git/objects.ts';
import { walkHistory } from '../history/walk.ts';
import type { CommitInfo } from '../vault/commit-info.ts';
import { displayPath, isWithin } from '../vault/path.ts';
import type { VaultRepository } from '../vault/vault-repository.ts';
import { comparePasses, isChecklist } from './checklist.ts';
import { FEATURES } from './layout.ts';
import { readChecklist } from './progress-files.ts';
import type { SessionStat } from './table.ts';

const FILES_KEPT = 5;

/** The commits of a session, newest first, its start and its end included. */
export async function* commitsOf(vault: VaultRepository, id: string): AsyncGenerator<CommitInfo> {
  for await (const walked of walkHistory(vault, (await vault.head()).oid)) {
    const info = walked.info();
    if (info.record.session !== id) continue;
    yield info;
    if (info.record.op === 'session_start') return;
  }
}

/** Whether a commit of a session is work, and not its own beginning or end. */
export function isWork({ record }: CommitInfo): boolean {
  return !record.op.startsWith('session_');
}

/** What each of the sessions changed until now. */
export async function tally(vault: VaultRepository, ids: readonly string[]): Promise<Map<string, SessionStat>> {
  const tallies = new Map(ids.map((id) => [id, new Tally()]));
  const waiting = new Set(ids);
  if (waiting.size > 0) {
    for await (const walked of walkHistory(vault, (await vault.head()).oid)) {
      const info = walked.info();
      const { session, op } = info.record;
      if (session !== undefined && isWork(info)) await tallies.get(session)?.add(vault, info);
      if (session !== undefined && op === 'session_start' && waiting.delete(session) && waiting.size === 0) break;
    }
  }
  return new Map([...tallies].map(([id, found]) => [id, found.finish()]));
}

/**
 * The session that made the checklist which stands, before which there was none; `undefined` when it was made outside any session,
 * or before the session that asks started.
 */
export async function findChecklistMaker(vault: VaultRepository, asking: string): Promise<string | undefined> {
  for await (const walked of walkHistory(vault, (await vault.head()).oid)) {
    const { commit, record } = walked.info();
    if (record.session === asking && record.op === 'session_start') return undefined;
    const touches = record.paths.some((path) => isWithin(FEATURES, path));
    if (touches && (await checklistAt(vault, commit.parents[0])).length === 0) return record.session;
  }
  return undefined;
}

/** Which of the sessions wrote something at or after a time, each its own. Stops as soon as nothing older can matter. */
export async function findActive(vault: VaultRepository, since: ReadonlyMap<string, number>): Promise<Set<string>> {
  const active = new Set<string>();
  const earliest = Math.min(...since.values());
  if (since.size > 0) {
    for await (const walked of walkHistory(vault, (await vault.head()).oid)) {
      const { session, timeMs } = walked.info().record;
      if (timeMs < earliest || active.size === since.size) break;
      if (session !== undefined && timeMs >= (since.get(session) ?? Infinity)) active.add(session);
    }
  }
  return active;
}

/** Adds up one session, from its newest commit to its oldest. */
class Tally {
  #writes = 0;
  #addedBytes = 0;
  #removedBytes = 0;
  #lastMs: number | undefined;
  readonly #files = new Map<string, number>();
  readonly #passes = new Map<string, 'passed' | 'regressed'>();

  async add(vault: VaultRepository, info: CommitInfo): Promise<void> {
    const { timeMs, addedBytes, removedBytes, paths } = info.record;
    this.#writes += 1;
    this.#addedBytes += addedBytes;
    this.#removedBytes += removedBytes;
    this.#lastMs = Math.max(this.#lastMs ?? 0, timeMs);
    for (const path of paths) this.#files.set(displayPath(path), (this.#files.get(displayPath(path)) ?? 0) + 1);
    if (paths.includes(FEATURES)) await this.#addPasses(vault, info);
  }

  finish(): SessionStat {
    const files = [...this.#files].map(([path, writes]) => ({ path, writes }));
    files.sort((a, b) => b.writes - a.writes || (a.path < b.path ? -1 : 1));
    const became = (what: string) => [...this.#passes].filter(([, change]) => change === what).map(([id]) => id);
    return {
      writes: this.#writes,
      addedBytes: this.#addedBytes,
      removedBytes: this.#removedBytes,
      ...(this.#lastMs === undefined ? {} : { lastWrite: new Date(this.#lastMs).toISOString() }),
      files: files.slice(0, FILES_KEPT),
      fileCount: files.length,
      passed: became('passed'),
      regressed: became('regressed'),
    };
  }

  /** Only the session's last word on a feature counts, which is met first. */
  async #addPasses(vault: VaultRepository, { oid, commit }: CommitInfo): Promise<void> {
    const { passed, regressed } = comparePasses(await checklistAt(vault, commit.parents[0]), await checklistAt(vault, oid));
    for (const id of passed) if (!this.#passes.has(id)) this.#passes.set(id, 'passed');
    for (const id of regressed) if (!this.#passes.has(id)) this.#passes.set(id, 'regressed');
  }
}

async function checklistAt(vault: VaultRepository, oid: Oid | undefined) {
  const checklist = oid === undefined ? undefined : await readChecklist(await vault.snapshot(oid));
  return checklist && isChecklist(checklist) ? checklist : [];
}
