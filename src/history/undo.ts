/**
 * Undoes what commits changed, one after the other from the newest to the oldest, on a workbench. Each changed file is merged
 * three ways: what the commit left is the base, what is there now is ours, what was there before the commit is theirs.
 */
import { equalBytes, utf8, type Bytes } from '../bytes.ts';
import type { Oid } from '../git/objects.ts';
import type { CommitInfo } from '../vault/commit-info.ts';
import { ancestorsOf, displayPath, isWithin, movedPath, ROOT, type MemoryPath } from '../vault/path.ts';
import type { VaultRepository } from '../vault/vault-repository.ts';
import { changesOfCommit, nameChangesOf, recordedMoves, type Move, type NameChanges, type NodeChange } from './changes.ts';
import type { Conflict } from './conflict.ts';
import { mergeableLines } from './lines.ts';
import { fileOf, isSameNode, type FileNode } from './listing.ts';
import { mergeLines, type ConflictRegion, type Side } from './merge3.ts';
import { walkHistory, type WalkedCommit } from './walk.ts';
import type { Workbench } from './workbench.ts';

type ChangeOf<Kind extends NodeChange['kind']> = Extract<NodeChange, { kind: Kind }>;

export class Undo {
  readonly conflicts: Conflict[] = [];
  readonly #vault: VaultRepository;
  readonly #bench: Workbench;
  readonly #keep: Side | undefined;
  readonly #history: LaterCommits;
  /** What undoing a commit has brought back, under the name that it had before that commit. */
  readonly #broughtBack = new Map<Oid, Set<MemoryPath>>();

  /** @param head the commit that the workbench began as */
  constructor(vault: VaultRepository, head: Oid, bench: Workbench, { keep, signal }: { readonly keep?: Side | undefined; readonly signal?: AbortSignal | undefined }) {
    this.#vault = vault;
    this.#bench = bench;
    this.#keep = keep;
    this.#history = new LaterCommits(vault, head, signal);
  }

  /**
   * Undoes what a commit changed of a parent of it. Commits must come from the newest to the oldest. A conflict is noted, and
   * leaves its file alone.
   */
  async commit(info: CommitInfo, parent: Oid | undefined): Promise<void> {
    const changes = await changesOfCommit(this.#vault, info, parent);
    const of = <Kind extends NodeChange['kind']>(kind: Kind) => changes.filter((change): change is ChangeOf<Kind> => change.kind === kind);
    const directories = await this.#changedDirectories(info, parent, changes);
    // What came goes first, and directories that it leaves empty, so that there is room for what comes back.
    for (const change of of('added')) await this.#takeAway(info, change);
    for (const path of directories.made) this.#bench.removeIfEmpty(path);
    let allMoved = true;
    for (const change of of('renamed')) allMoved = (await this.#moveBack(info, change)) && allMoved;
    for (const path of directories.made) this.#bench.removeIfEmpty(path);
    for (const change of of('modified')) await this.#mergeBack(info, change);
    for (const change of of('removed')) await this.#putBack(info, change);
    for (const path of directories.removed) if (this.#bench.hasRoom(path)) this.#bench.makeDirectory(path);
    for (const { from } of allMoved ? recordedMoves(info.record) : []) if (this.#bench.isDirectory(from)) this.#noteBack(info, from);
  }

  async #takeAway(info: CommitInfo, { path, after }: ChangeOf<'added'>): Promise<void> {
    if (after.kind === 'directory') return;
    const here = await this.#locate(info.oid, path);
    const file = this.#bench.file(here);
    if (!file) return;
    if ((await isSameNode(file, after)) || this.#keep === 'theirs') this.#bench.remove(here);
    else this.#clash(info, here, 'changed');
  }

  async #putBack(info: CommitInfo, { path, before }: ChangeOf<'removed'>): Promise<void> {
    if (before.kind === 'directory') return;
    const file = this.#bench.file(path);
    if (!file || !(await isSameNode(file, before))) {
      if (!this.#bench.hasRoom(path) && !(file && this.#keep === 'theirs')) {
        this.#clash(info, path, 'taken');
        return;
      }
      this.#bench.write(path, before);
    }
    this.#noteBack(info, path);
  }

  /** Whether there is a file under the old name now that may be taken for this one. */
  async #moveBack(info: CommitInfo, { from, path, before, after }: ChangeOf<'renamed'>): Promise<boolean> {
    const here = await this.#locate(info.oid, path);
    const file = this.#bench.file(here);
    if (!file) {
      if (this.#bench.file(from)) return true;
      this.#clash(info, path, 'removed');
      return false;
    }
    if (here === from) return true;
    const merged = await this.#merge(info, here, { base: after, ours: file, theirs: before });
    const occupant = this.#bench.file(from);
    if (!this.#bench.hasRoom(from, here) && !(occupant && this.#keep === 'theirs')) {
      this.#clash(info, from, 'taken');
      return false;
    }
    this.#bench.move(here, from, merged);
    this.#noteBack(info, from);
    return true;
  }

  async #mergeBack(info: CommitInfo, { path, before, after }: ChangeOf<'modified'>): Promise<void> {
    const here = await this.#locate(info.oid, path);
    const file = this.#bench.file(here);
    if (!file) {
      if (this.#keep === 'theirs' && this.#bench.hasRoom(here)) this.#bench.write(here, before);
      else this.#clash(info, here, 'removed');
      return;
    }
    const merged = await this.#merge(info, here, { base: after, ours: file, theirs: before });
    if (merged !== file) this.#bench.write(here, merged);
  }

  /** Returns `ours` itself where it is to stay as it is. */
  async #merge(info: CommitInfo, path: MemoryPath, { base, ours, theirs }: Record<'base' | Side, FileNode>): Promise<FileNode> {
    if ((await isSameNode(base, theirs)) || (await isSameNode(ours, theirs))) return ours;
    if (await isSameNode(ours, base)) return theirs;
    const [baseLines, ourLines, theirLines] = [mergeableLines(await base.read()), mergeableLines(await ours.read()), mergeableLines(await theirs.read())];
    if (!baseLines || !ourLines || !theirLines) {
      if (this.#keep === 'theirs') return theirs;
      this.#clash(info, path, 'changed');
      return ours;
    }
    const { lines, conflicts } = mergeLines(baseLines, ourLines, theirLines, this.#keep);
    if (conflicts.length > 0) this.#clash(info, path, 'same-lines', conflicts);
    return replacing(ours, utf8(lines.join('')), await ours.read());
  }

  /** Directories that a commit made, as they are called now, and those that it removed; inner ones first. */
  async #changedDirectories(info: CommitInfo, parent: Oid | undefined, changes: readonly NodeChange[]): Promise<{ made: MemoryPath[]; removed: MemoryPath[] }> {
    const found = { made: [] as MemoryPath[], removed: [] as MemoryPath[] };
    if (changes.every(({ kind }) => kind === 'modified')) return found;
    const paths = changes.flatMap((change) => (change.kind === 'renamed' ? [change.from, change.path] : [change.path]));
    const touched = new Set(paths.flatMap((path) => [path, ...ancestorsOf(path)]).filter((path) => path !== ROOT));
    const [before, after] = [await this.#vault.snapshot(parent), await this.#vault.snapshot(info.oid)];
    for (const path of [...touched].sort((a, b) => b.length - a.length)) {
      const [was, is] = [(await before.stat(path))?.kind === 'directory', (await after.stat(path))?.kind === 'directory'];
      if (is && !was) {
        const here = await this.#locate(info.oid, path);
        found.made.push(this.#bench.isDirectory(here) ? here : path);
      }
      if (was && !is) found.removed.push(path);
    }
    return found;
  }

  /**
   * What a file or directory of a commit is called on the workbench, if it is still there: where later moves have taken it,
   * whatever stands under its old name now, or where it was once a later commit is undone that had moved or removed it. What was
   * removed moves no more, only another of its name does; a later undo, restore or merge may have put it back, under any name that it had.
   */
  async #locate(oid: Oid, path: MemoryPath): Promise<MemoryPath> {
    const names = [path];
    let here = path;
    let isGone = false;
    for (const { oid: later, moves, gone, back } of await this.#history.after(oid)) {
      if (this.#isBack(later, here)) return here;
      // The moves of one commit happened at once: a path takes one of them.
      const move: Move | undefined = isGone ? undefined : moves.find(({ from }) => isWithin(here, from));
      isGone ||= !move && gone.some((at) => isWithin(here, at));
      const next = move ? movedPath(here, move.from, move.to) : isGone ? names.findLast((name) => back.includes(name)) : undefined;
      if (next === undefined) continue;
      names.push(next);
      here = next;
      isGone = false;
    }
    return here;
  }

  #noteBack({ oid }: CommitInfo, path: MemoryPath): void {
    const paths = this.#broughtBack.get(oid);
    if (paths) paths.add(path);
    else this.#broughtBack.set(oid, new Set([path]));
  }

  #isBack(oid: Oid, path: MemoryPath): boolean {
    const paths = this.#broughtBack.get(oid);
    return paths !== undefined && [path, ...ancestorsOf(path)].some((at) => paths.has(at)) && (this.#bench.file(path) !== undefined || this.#bench.isDirectory(path));
  }

  /** With a side to keep nothing is a conflict: where a file cannot be merged, keeping ours leaves it as it is. */
  #clash({ oid }: CommitInfo, path: MemoryPath, reason: Conflict['reason'], regions: readonly ConflictRegion[] = []): void {
    if (this.#keep === undefined) this.conflicts.push({ path: displayPath(path), oid, reason, regions });
  }
}

interface LaterCommit extends NameChanges {
  readonly oid: Oid;
}

interface WalkedBack {
  readonly oid: Oid;
  readonly parents: readonly Oid[];
  /** As it differs from each of its parents; filled as it is asked for. */
  readonly beside: (LaterCommit | undefined)[];
}

/** The commits from the head back, and what they did to names; read only as far as somebody asks. */
class LaterCommits {
  readonly #vault: VaultRepository;
  readonly #walk: AsyncGenerator<WalkedCommit>;
  readonly #places = new Map<Oid, number>();
  /** Newest first. */
  readonly #walked: WalkedBack[] = [];
  /** All that is asked of one commit is asked in a row. */
  #answer: { readonly to: Oid; readonly later: readonly LaterCommit[] } | undefined;

  constructor(vault: VaultRepository, head: Oid, signal: AbortSignal | undefined) {
    this.#vault = vault;
    this.#walk = walkHistory(vault, head, { signal });
  }

  /** The commits that come from a commit, oldest first, each as it differs from a parent that comes from it too, or is it. */
  async after(oid: Oid): Promise<readonly LaterCommit[]> {
    if (this.#answer?.to === oid) return this.#answer.later;
    while (!this.#places.has(oid)) {
      const next = await this.#walk.next();
      if (next.done === true) break;
      this.#places.set(next.value.oid, this.#walked.length);
      this.#walked.push({ oid: next.value.oid, parents: next.value.commit.parents, beside: [] });
    }
    const family = new Set([oid]);
    const later: LaterCommit[] = [];
    for (let i = (this.#places.get(oid) ?? this.#walked.length) - 1; i >= 0; i -= 1) {
      const { oid: each, parents, beside } = this.#walked[i]!;
      const which = parents.findIndex((one) => family.has(one));
      if (which < 0) continue;
      family.add(each);
      later.push((beside[which] ??= { oid: each, ...(await nameChangesOf(this.#vault, await this.#vault.commit(each), parents[which]!)) }));
    }
    this.#answer = { to: oid, later };
    return later;
  }
}

function replacing(ours: FileNode, content: Bytes, current: Bytes): FileNode {
  return equalBytes(content, current) ? ours : fileOf(content);
}
