/**
 * The directory shape of one snapshot, in memory: an immutable trie of paths with sizes. Applying changes gives a new index
 * that shares all untouched folders with the old one, so an index that is being read never changes underneath.
 */
import { Children, type ChildrenEditor } from './children.ts';
import { ROOT, type MemoryPath } from './path.ts';
import type { DirectoryInfo, FileInfo, NodeInfo } from './snapshot.ts';

/** An empty directory that has an entry of its own. */
export interface MarkerInfo extends DirectoryInfo {
  readonly blob: string;
}

/** What one entry of the tree stands for. */
export type EntryInfo = FileInfo | MarkerInfo;

interface Directory {
  readonly info: DirectoryInfo;
  readonly children: Children<Node>;
}

type Node = Directory | FileInfo;

export class PathIndex {
  static readonly empty = new PathIndex({ info: { kind: 'directory', path: ROOT, sizeBytes: 0 }, children: new Children() });

  readonly #root: Directory;
  /** Names in order, worked out once for each folder that is listed. */
  static readonly #sorted = new WeakMap<Directory, readonly Node[]>();

  private constructor(root: Directory) {
    this.#root = root;
  }

  static of(entries: Iterable<EntryInfo>): PathIndex {
    return PathIndex.empty.with([...entries], []);
  }

  /** The index after entries came (replacing what stood at their paths) and others went. A folder without children goes too. */
  with(put: readonly EntryInfo[], removed: readonly MemoryPath[]): PathIndex {
    const editor = new Editor(this.#root);
    for (const path of removed) editor.remove(path);
    for (const entry of put) editor.put(entry);
    return new PathIndex(editor.finish());
  }

  stat(path: MemoryPath): NodeInfo | undefined {
    const node = this.#find(path);
    return node && ('children' in node ? node.info : node);
  }

  children(path: MemoryPath): readonly NodeInfo[] {
    const node = this.#find(path);
    return node && 'children' in node ? sortedChildren(PathIndex.#sorted, node).map((child) => ('children' in child ? child.info : child)) : [];
  }

  /** Files and empty directories at or below the path, depth first in order. */
  *walk(path: MemoryPath): Generator<NodeInfo> {
    const node = this.#find(path);
    if (node) yield* walkNode(PathIndex.#sorted, node);
  }

  #find(path: MemoryPath): Node | undefined {
    let node: Node = this.#root;
    if (path === ROOT) return node;
    for (const name of path.split('/')) {
      const next: Node | undefined = 'children' in node ? node.children.get(name) : undefined;
      if (!next) return undefined;
      node = next;
    }
    return node;
  }
}

/** Copies each folder that it changes once, as far as it changes, and works its size out from what came and went. */
class Editor {
  readonly #root: EditedDirectory;

  constructor(root: Directory) {
    this.#root = edit(root);
  }

  put(entry: EntryInfo): void {
    const segments = entry.path.split('/');
    const name = segments.pop()!;
    let directory = this.#root;
    let path = '';
    for (const segment of segments) {
      path = path === '' ? segment : `${path}/${segment}`;
      directory = enter(directory, segment) ?? add(directory, segment, path as MemoryPath);
    }
    if (entry.kind === 'file') directory.children.set(name, entry);
    else if (!enter(directory, name)) add(directory, name, entry.path);
    directory.touched.add(name);
  }

  remove(path: MemoryPath): void {
    const trail: { directory: EditedDirectory; name: string }[] = [];
    let directory = this.#root;
    const segments = path.split('/');
    for (const [depth, name] of segments.entries()) {
      trail.push({ directory, name });
      const next = enter(directory, name);
      if (next) directory = next;
      else if (depth < segments.length - 1) return;
    }
    for (const { directory: holder, name } of trail.reverse()) {
      const child = holder.children.get(name);
      if (child && 'children' in child && child.children.size > 0) break;
      holder.children.delete(name);
      holder.touched.add(name);
    }
  }

  finish(): Directory {
    return finish(this.#root);
  }
}

interface EditedDirectory {
  readonly before: Directory;
  readonly children: ChildrenEditor<Node | EditedDirectory>;
  /** Names of children that may differ from what was there before. */
  readonly touched: Set<string>;
}

function edit(directory: Directory): EditedDirectory {
  return { before: directory, children: directory.children.edit(), touched: new Set() };
}

/** The folder of that name, ready to be changed; `undefined` when there is none. */
function enter(directory: EditedDirectory, name: string): EditedDirectory | undefined {
  const child = directory.children.get(name);
  if (!child || !('children' in child)) return undefined;
  if ('touched' in child) return child;
  return replace(directory, name, edit(child));
}

function add(directory: EditedDirectory, name: string, path: MemoryPath): EditedDirectory {
  return replace(directory, name, edit({ info: { kind: 'directory', path, sizeBytes: 0 }, children: new Children() }));
}

function replace(directory: EditedDirectory, name: string, child: EditedDirectory): EditedDirectory {
  directory.children.set(name, child);
  directory.touched.add(name);
  return child;
}

function finish({ before, children, touched }: EditedDirectory): Directory {
  let { sizeBytes } = before.info;
  for (const name of touched) {
    const child = children.get(name);
    const node = child && 'touched' in child ? finish(child) : child;
    if (node && node !== child) children.set(name, node);
    sizeBytes += sizeOf(node) - sizeOf(before.children.get(name));
  }
  return { info: { ...before.info, sizeBytes }, children: children.finish() as Children<Node> };
}

function sizeOf(node: Node | undefined): number {
  return node === undefined ? 0 : 'children' in node ? node.info.sizeBytes : node.sizeBytes;
}

function sortedChildren(cache: WeakMap<Directory, readonly Node[]>, directory: Directory): readonly Node[] {
  let sorted = cache.get(directory);
  if (!sorted) {
    // UTF-8 bytes order as code points do; UTF-16, which `<` compares, does not above U+FFFF.
    const keyed = [...directory.children].map(([name, node]) => ({ key: Buffer.from(name), node }));
    sorted = keyed.sort((a, b) => Buffer.compare(a.key, b.key)).map(({ node }) => node);
    cache.set(directory, sorted);
  }
  return sorted;
}

function* walkNode(cache: WeakMap<Directory, readonly Node[]>, node: Node): Generator<NodeInfo> {
  if (!('children' in node)) yield node;
  else if (node.children.size === 0 && node.info.path !== ROOT) yield node.info;
  else for (const child of sortedChildren(cache, node)) yield* walkNode(cache, child);
}
