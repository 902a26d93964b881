/**
 * Checks a vault from its head to its first commit, in named steps, and goes on where something is damaged: what it finds is
 * told all at once, each time with the commit since which it is so. Everything is read from the disk anew, not from what this
 * process remembers; each entry is opened once. Nothing is repaired and nothing is written.
 */
import type { Oid } from '../git/objects.ts';
import { giveWay } from '../git/turns.ts';
import type { VaultRepository } from '../vault/vault-repository.ts';
import { Findings, type VerifyReport } from './findings.ts';
import { CommitChecks } from './verify-commits.ts';
import { EntryChecks } from './verify-entries.ts';
import { readCommit } from './walk.ts';

export interface VerifyOptions {
  /** Checks only the head: that commit, and the whole memory as it is now. */
  readonly quick?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called after each commit that was found, and then after each that was checked. */
  readonly onProgress?: ((progress: { readonly phase: 'find' | 'check'; readonly done: number; readonly total: number }) => void) | undefined;
}

/** @throws only what keeps it from looking at all, such as CLOSED, IO or ABORTED */
export async function verify(vault: VaultRepository, { quick = false, signal, onProgress }: VerifyOptions = {}): Promise<VerifyReport> {
  const head = await vault.repository.head();
  const findings = new Findings();
  const total = quick ? 1 : (await vault.commit(head)).record.sequence + 1;
  const found = await findCommits(vault, head, findings, { quick, signal }, (done) => onProgress?.({ phase: 'find', done, total: Math.max(done, total) }));

  const entries = new EntryChecks(vault, findings, found.whole);
  const commits = new CommitChecks(vault, findings, entries.trees, quick);
  for (const [index, oid] of found.oids.entries()) {
    const commit = await commits.check(oid);
    if (commit) await entries.check(commit, signal);
    onProgress?.({ phase: 'check', done: index + 1, total: found.oids.length });
  }
  return findings.report(head);
}

/** What of the history can be read. */
interface FoundCommits {
  /** Parents before children. */
  readonly oids: readonly Oid[];
  /** Whether that is all of it. */
  readonly whole: boolean;
}

async function findCommits(vault: VaultRepository, head: Oid, findings: Findings, { quick, signal }: { quick: boolean; signal: AbortSignal | undefined }, onFound: (done: number) => void): Promise<FoundCommits> {
  const oids: Oid[] = [];
  let whole = !quick;
  const met = new Set<Oid>([head]);
  const stack: { readonly oid: Oid; parents: Oid[] | undefined }[] = [{ oid: head, parents: undefined }];
  for (let top = stack.at(-1); top; top = stack.at(-1)) {
    await giveWay(signal);
    if (top.parents === undefined) {
      const { oid } = top;
      const commit = await findings.check('commits', { oid }, async () => (await readCommit(vault, oid)).commit);
      if (!commit) {
        whole = false;
        stack.pop();
        continue;
      }
      onFound(met.size);
      top.parents = quick ? [] : [...commit.parents];
    }
    const parent = top.parents.pop();
    if (parent === undefined) {
      oids.push(top.oid);
      stack.pop();
    } else if (!met.has(parent)) {
      met.add(parent);
      stack.push({ oid: parent, parents: undefined });
    }
  }
  return { oids, whole };
}
