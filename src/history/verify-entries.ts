/**
 * The part of `verify` that looks into trees: entries against their names, contents and their deltas, and whether the paths of
 * each commit make a possible memory. Goes from commit to commit by what changed, so that each entry is met in the commit that
 * brought it in, and opened there.
 */
import { MemgitError } from '../errors.ts';
import type { Oid } from '../git/objects.ts';
import { giveWay } from '../git/turns.ts';
import { SharedCache } from '../vault/cache.ts';
import { EntryReader } from '../vault/entry-reader.ts';
import { displayPath, type MemoryPath } from '../vault/path.ts';
import { TreeReader, type NameChange } from '../vault/tree-reader.ts';
import type { TreeRoot } from '../vault/tree.ts';
import type { VaultRepository } from '../vault/vault-repository.ts';
import { PathShape } from './path-shape.ts';
import type { CheckedCommit } from './verify-commits.ts';
import type { Findings } from './findings.ts';

export class EntryChecks {
  readonly trees: TreeReader;
  readonly #findings: Findings;
  readonly #entries: EntryReader;
  readonly #wholeHistory: boolean;
  /** Which commit brought an entry in. */
  readonly #introduced = new Map<Oid, Oid>();
  readonly #parents = new Map<Oid, readonly Oid[]>();
  readonly #roots = new Map<Oid, Oid>();
  readonly #paths = new Map<string, MemoryPath>();
  /** The paths of the commit that was checked last. */
  #shape = new PathShape();
  #shapeOf: Oid | undefined;

  /** @param wholeHistory every commit will be checked; without that nobody can say what an entry may build on */
  constructor(vault: VaultRepository, findings: Findings, wholeHistory: boolean) {
    const cache = new SharedCache().forVault();
    const read = (oid: Oid) => vault.repository.read(oid);
    this.trees = new TreeReader(read, cache);
    this.#entries = new EntryReader(read, () => vault.keys, cache);
    this.#findings = findings;
    this.#wholeHistory = wholeHistory;
  }

  async check(commit: CheckedCommit, signal: AbortSignal | undefined): Promise<void> {
    await giveWay(signal);
    const parent = commit.parents[0];
    const before = parent === undefined ? undefined : this.#roots.get(parent);
    const changes = await this.#changes(commit, before && (await this.trees.root(before)));
    for (const { name, before: old, after } of changes) {
      if (after === undefined || this.#introduced.has(after)) continue;
      this.#introduced.set(after, commit.oid);
      await giveWay(signal);
      await this.#checkEntry(commit, name, old, after);
    }
    await this.#checkPaths(commit, changes);
    this.#roots.set(commit.oid, commit.tree);
    this.#parents.set(commit.oid, commit.parents);
  }

  /** Subtree by subtree, so that a damaged one does not hide the others. */
  async #changes({ oid, root }: CheckedCommit, before: TreeRoot | undefined): Promise<NameChange[]> {
    const changes: NameChange[] = [];
    for (const fan of new Set([...(before?.fans.keys() ?? []), ...root.fans.keys()])) {
      const [from, to] = [before?.fans.get(fan), root.fans.get(fan)];
      if (from === to) continue;
      const facts = { since: oid, ...(to === undefined ? {} : { oid: to }) };
      const compare = (old: Oid | undefined) => () => this.trees.changes(only(root, fan, old), only(root, fan, to));
      const found = (await this.#findings.check('trees', facts, compare(from))) ?? (from && (await this.#findings.check('trees', facts, compare(undefined))));
      // Not spread into arguments: an import may bring more entries than fit a call.
      for (const change of found ?? []) changes.push(change);
    }
    return changes;
  }

  async #checkEntry(commit: CheckedCommit, name: string, before: Oid | undefined, blob: Oid): Promise<void> {
    const known = this.#paths.get(name);
    const facts = { oid: blob, since: commit.oid, ...(known === undefined ? {} : { path: displayPath(known) }) };
    const entry = await this.#findings.check('entries', facts, async () => {
      const opened = await this.#entries.open(name, blob);
      if (commit.epoch && opened.epochId !== commit.epoch.id) throw new MemgitError('ALTERED', 'an entry is of another epoch than its tree');
      return opened;
    });
    if (!entry) return;
    this.#paths.set(name, entry.header.path);
    if (entry.header.kind !== 'file') return;
    const named = { ...facts, path: displayPath(entry.header.path) };
    const { base } = entry.header;
    if (base && this.#wholeHistory) await this.#findings.check('deltas', named, () => this.#checkBase(commit, before, base.blob as Oid));
    await this.#findings.check('contents', named, () => this.#entries.content(name, blob));
  }

  /** A base has to stand in the tree of an ancestor; that it has the same name, epoch and depth is seen when it is read. */
  #checkBase(commit: CheckedCommit, before: Oid | undefined, base: Oid): void {
    if (base === before) return;
    const introduced = this.#introduced.get(base);
    if (introduced === undefined || introduced === commit.oid || !this.#isAncestor(introduced, commit)) {
      throw new MemgitError('ALTERED', 'a delta builds on a version that no earlier commit has');
    }
  }

  #isAncestor(wanted: Oid, { parents }: CheckedCommit): boolean {
    const met = new Set<Oid>();
    const queue = [...parents];
    for (let oid = queue.pop(); oid !== undefined; oid = queue.pop()) {
      if (oid === wanted) return true;
      if (met.has(oid)) continue;
      met.add(oid);
      queue.push(...(this.#parents.get(oid) ?? []));
    }
    return false;
  }

  async #checkPaths(commit: CheckedCommit, changes: readonly NameChange[]): Promise<void> {
    let touched = changes;
    if (this.#shapeOf === undefined || this.#shapeOf !== commit.parents[0]) {
      // Another line of history than the commit before, or the first one: the whole tree is laid out.
      this.#shape = new PathShape();
      touched = await this.#changes(commit, undefined);
    }
    this.#shapeOf = commit.oid;
    for (const { name, after } of touched) if (after === undefined) this.#shape.remove(this.#paths.get(name));
    const put: MemoryPath[] = [];
    for (const { name, after } of touched) {
      const path = this.#paths.get(name);
      if (after === undefined || path === undefined) continue;
      this.#shape.put(path);
      put.push(path);
    }
    for (const path of put) {
      await this.#findings.check('paths', { since: commit.oid, path: displayPath(path) }, () => {
        if (this.#shape.isEntangled(path)) {
          throw new MemgitError('CORRUPT', 'a file, or the mark of an empty directory, stands where other entries need a directory');
        }
      });
    }
  }
}

/** One subtree of a root, as a root of its own. */
function only({ keyring }: TreeRoot, fan: string, oid: Oid | undefined): TreeRoot {
  return { keyring, fans: new Map(oid === undefined ? [] : [[fan, oid]]) };
}
