/**
 * Merges two memories that come from a third, in plain text. No write is lost: where both sides changed the same lines, or one
 * made a folder where the other has a file, both versions stay, one under a name of its own beside the other. The outcome does not
 * depend on which side is called ours (unless a strategy says so), so two clones that merge each other end up alike.
 */
import { equalBytes, type Bytes } from '../bytes.ts';
import { MemgitError } from '../errors.ts';
import { ancestorsOf, displayPath, isWithin, ROOT, type MemoryPath } from '../vault/path.ts';
import type { Change, FileInfo, Snapshot } from '../vault/snapshot.ts';
import { asidePath } from './aside.ts';
import { mergeContents } from './merge-contents.ts';

/** What becomes of a conflict: `both` keeps both versions, `manual` refuses to merge. */
export type Strategy = (typeof STRATEGIES)[number];
export const STRATEGIES = ['both', 'ours', 'theirs', 'manual'] as const;

/** One of the two memories. */
export interface MergeSide {
  readonly snapshot: Snapshot;
  /** Names the version that is put aside; the first digits of its commit. */
  readonly label: string;
  /** Milliseconds since 1970; the side that was written last keeps the name. */
  readonly timeMs: number;
}

export interface MergeConflict {
  /** The displayed path that both sides want. */
  readonly path: string;
  readonly kind: 'content' | 'file-and-directory';
  /** Where the other version is now; `undefined` when a strategy left it to the history. */
  readonly kept: string | undefined;
}

export interface MergedMemory {
  readonly files: ReadonlyMap<MemoryPath, FileContent>;
  /** All directories, those that hold something included, without the root. */
  readonly directories: ReadonlySet<MemoryPath>;
  readonly conflicts: readonly MergeConflict[];
}

/** Content that is only read when it is needed. */
export interface FileContent {
  /** The file on the side that it is taken from; `undefined` when it was made by merging. */
  readonly from: FileInfo | undefined;
  read(): Promise<Bytes>;
}

/**
 * @param bases what both come from: where there are several, what they do not agree on counts as nothing that both come from
 * @throws CONFLICT with the strategy `manual`, with the number of conflicts in its details
 */
export async function mergeMemories(bases: readonly Snapshot[], ours: MergeSide, theirs: MergeSide, strategy: Strategy): Promise<MergedMemory> {
  const shapes = { base: await commonShape(bases), ours: await shapeOf(ours.snapshot), theirs: await shapeOf(theirs.snapshot) };
  const merge = new Merge(shapes, ours, theirs, strategy);
  const paths = new Set([...shapes.base.files.keys(), ...shapes.ours.files.keys(), ...shapes.theirs.files.keys()]);
  for (const path of [...paths].sort()) await merge.file(path);
  merge.directories();
  merge.makeRoom();
  if (strategy === 'manual' && merge.conflicts.length > 0) {
    throw new MemgitError('CONFLICT', `both sides changed the same places in ${merge.conflicts.length} files; nothing was merged: change one side, or merge without --strategy manual`, {
      details: { conflicts: merge.conflicts.length },
    });
  }
  return merge.result();
}

/** The changes that turn a memory into the merged one. */
export async function changesTowards(from: Snapshot, { files, directories }: MergedMemory): Promise<Change[]> {
  const shape = await shapeOf(from);
  const changes: Change[] = [];
  const gone: MemoryPath[] = [];
  for (const path of [...shape.files.keys(), ...shape.directories].sort()) {
    const stays = shape.files.has(path) ? files.has(path) : directories.has(path);
    if (stays || gone.some((above) => isWithin(path, above))) continue;
    gone.push(path);
    changes.push({ kind: 'remove', path });
  }
  for (const [path, content] of files) {
    const before = shape.files.get(path);
    if (before?.from && before.from.blob === content.from?.blob) continue;
    changes.push({ kind: 'write', path, content: await content.read() });
  }
  for (const path of [...directories].sort()) changes.push({ kind: 'makeDirectory', path });
  return changes;
}

interface Shape {
  readonly files: ReadonlyMap<MemoryPath, FileContent>;
  readonly directories: ReadonlySet<MemoryPath>;
}

async function commonShape(snapshots: readonly Snapshot[]): Promise<Shape> {
  const [first, ...others] = await Promise.all(snapshots.map(shapeOf));
  const files = new Map<MemoryPath, FileContent>();
  for (const [path, content] of first?.files ?? []) {
    const alike = await Promise.all(others.map(async (other) => isSame(content, other.files.get(path))));
    if (!alike.includes(false)) files.set(path, content);
  }
  return { files, directories: new Set([...(first?.directories ?? [])].filter((path) => others.every((other) => other.directories.has(path)))) };
}

async function shapeOf(snapshot: Snapshot): Promise<Shape> {
  const files = new Map<MemoryPath, FileContent>();
  const directories = new Set<MemoryPath>();
  for await (const node of snapshot.walk(ROOT)) {
    if (node.kind === 'file') files.set(node.path, { from: node, read: async () => snapshot.read(node.path) });
    else if (node.path !== ROOT) directories.add(node.path);
    addAncestors(directories, node.path);
  }
  return { files, directories };
}

class Merge {
  readonly conflicts: MergeConflict[] = [];
  readonly #shapes: Readonly<Record<'base' | 'ours' | 'theirs', Shape>>;
  readonly #sides: Readonly<Record<'ours' | 'theirs', MergeSide>>;
  readonly #strategy: Strategy;
  readonly #files = new Map<MemoryPath, FileContent>();
  /** Which side a file came from, for the name that it gets when it has to make room. */
  readonly #origins = new Map<MemoryPath, 'ours' | 'theirs'>();
  readonly #aside: { readonly path: MemoryPath; readonly side: 'ours' | 'theirs'; readonly content: FileContent; readonly kind: MergeConflict['kind'] }[] = [];
  readonly #directories = new Set<MemoryPath>();

  constructor(shapes: Readonly<Record<'base' | 'ours' | 'theirs', Shape>>, ours: MergeSide, theirs: MergeSide, strategy: Strategy) {
    this.#shapes = shapes;
    this.#sides = { ours, theirs };
    this.#strategy = strategy;
  }

  async file(path: MemoryPath): Promise<void> {
    const [base, ours, theirs] = [this.#shapes.base.files.get(path), this.#shapes.ours.files.get(path), this.#shapes.theirs.files.get(path)];
    if ((await isSame(ours, theirs)) || (await isSame(base, theirs))) this.#take(path, ours, 'ours');
    else if (await isSame(base, ours)) this.#take(path, theirs, 'theirs');
    // Deleted on one side, edited on the other: the edit wins.
    else if (!ours) this.#take(path, theirs, 'theirs');
    else if (!theirs) this.#take(path, ours, 'ours');
    else await this.#both(path, base, ours, theirs);
  }

  /** A directory that one side made stays, one that either side removed goes unless something is in it. */
  directories(): void {
    const { base, ours, theirs } = this.#shapes;
    for (const path of new Set([...ours.directories, ...theirs.directories])) {
      const onBoth = ours.directories.has(path) && theirs.directories.has(path);
      if (onBoth || !base.directories.has(path)) this.#addDirectory(path);
    }
    for (const path of this.#files.keys()) addAncestors(this.#directories, path);
  }

  /** Puts aside what cannot keep its name. Names are chosen when all others are known. */
  makeRoom(): void {
    for (const [path, content] of this.#files) {
      if (!this.#directories.has(path)) continue;
      this.#files.delete(path);
      this.#aside.push({ path, side: this.#origins.get(path) ?? 'ours', content, kind: 'file-and-directory' });
    }
    for (const { path, side, content, kind } of this.#aside.sort((a, b) => (a.path < b.path ? -1 : 1))) {
      const kept = asidePath(path, this.#sides[side].label, (candidate) => this.#files.has(candidate) || this.#directories.has(candidate));
      this.#files.set(kept, content);
      addAncestors(this.#directories, kept);
      this.conflicts.push({ path: displayPath(path), kind, kept: displayPath(kept) });
    }
  }

  result(): MergedMemory {
    return { files: this.#files, directories: this.#directories, conflicts: this.conflicts };
  }

  #take(path: MemoryPath, content: FileContent | undefined, side: 'ours' | 'theirs'): void {
    if (!content) return;
    this.#files.set(path, content);
    this.#origins.set(path, side);
  }

  async #both(path: MemoryPath, base: FileContent | undefined, ours: FileContent, theirs: FileContent): Promise<void> {
    const merged = mergeContents(path, await base?.read(), await ours.read(), await theirs.read());
    if (merged) {
      this.#take(path, { from: undefined, read: () => Promise.resolve(merged) }, 'ours');
      return;
    }
    const contents = { ours, theirs };
    if (this.#strategy === 'ours' || this.#strategy === 'theirs') {
      this.#take(path, contents[this.#strategy], this.#strategy);
      this.conflicts.push({ path: displayPath(path), kind: 'content', kept: undefined });
      return;
    }
    const winner = this.#newer();
    const loser = winner === 'ours' ? 'theirs' : 'ours';
    this.#take(path, contents[winner], winner);
    this.#aside.push({ path, side: loser, content: contents[loser], kind: 'content' });
  }

  /** Equal times are told apart by the label, so that both clones decide alike. */
  #newer(): 'ours' | 'theirs' {
    const { ours, theirs } = this.#sides;
    if (ours.timeMs !== theirs.timeMs) return ours.timeMs > theirs.timeMs ? 'ours' : 'theirs';
    return ours.label > theirs.label ? 'ours' : 'theirs';
  }

  #addDirectory(path: MemoryPath): void {
    this.#directories.add(path);
    addAncestors(this.#directories, path);
  }
}

function addAncestors(directories: Set<MemoryPath>, path: MemoryPath): void {
  for (const ancestor of ancestorsOf(path)) if (ancestor !== ROOT) directories.add(ancestor);
}

async function isSame(a: FileContent | undefined, b: FileContent | undefined): Promise<boolean> {
  if (!a || !b) return a === b;
  if (a.from && a.from.blob === b.from?.blob) return true;
  return a.from?.sizeBytes === b.from?.sizeBytes && equalBytes(await a.read(), await b.read());
}
