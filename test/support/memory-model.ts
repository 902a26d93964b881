/**
 * The simplest memory that could be right: one Map in which every directory stands explicitly. The oracle for the vault,
 * so it is written from the comments in snapshot.ts alone and shares no code with what it judges.
 */
import { createHash } from 'node:crypto';
import type { Memory } from '../../src/memory/execute.ts';
import type { Bytes } from '../../src/bytes.ts';
import { MemgitError } from '../../src/errors.ts';
import type { MemoryPath } from '../../src/vault/path.ts';
import type { Change, NodeInfo, Snapshot } from '../../src/vault/snapshot.ts';

type Node = Bytes | 'directory';
type Nodes = ReadonlyMap<string, Node>;

export class MemoryModel implements Memory {
  #nodes: Nodes = new Map();
  /** How often something was changed: what would be the number of commits. */
  mutations = 0;

  snapshot(): Snapshot {
    return new ModelSnapshot(this.#nodes);
  }

  apply(changes: readonly Change[]): void {
    this.#nodes = changes.reduce(applyChange, this.#nodes);
    if (changes.length > 0) this.mutations++;
  }

  view: Memory['view'] = (build) => build(this.snapshot());

  mutate: Memory['mutate'] = async (build) => {
    const outcome = await build(this.snapshot());
    this.apply(outcome.changes);
    return outcome;
  };
}

function applyChange(before: Nodes, change: Change): Nodes {
  const nodes = new Map(before);
  switch (change.kind) {
    case 'write':
      makeParents(nodes, change.path);
      nodes.set(change.path, change.content);
      break;
    case 'makeDirectory':
      makeParents(nodes, change.path);
      nodes.set(change.path, 'directory');
      break;
    case 'remove':
      for (const path of before.keys()) if (isAtOrBelow(path, change.path)) nodes.delete(path);
      break;
    case 'move':
      makeParents(nodes, change.to);
      for (const [path, node] of before) {
        if (!isAtOrBelow(path, change.from)) continue;
        nodes.delete(path);
        nodes.set(change.to + path.slice(change.from.length), node);
      }
      break;
  }
  return nodes;
}

function makeParents(nodes: Map<string, Node>, path: string): void {
  const segments = path.split('/');
  for (let depth = 1; depth < segments.length; depth++) nodes.set(segments.slice(0, depth).join('/'), 'directory');
}

class ModelSnapshot implements Snapshot {
  readonly #nodes: Nodes;

  constructor(nodes: Nodes) {
    this.#nodes = nodes;
  }

  async stat(path: MemoryPath): Promise<NodeInfo | undefined> {
    const node = path === '' ? 'directory' : this.#nodes.get(path);
    if (node === undefined) return undefined;
    if (node !== 'directory') {
      const blob = createHash('sha1').update(node).digest('hex');
      return { kind: 'file', path, sizeBytes: node.length, blob };
    }
    let sizeBytes = 0;
    for (const [other, file] of this.#nodes) if (isAtOrBelow(other, path) && file !== 'directory') sizeBytes += file.length;
    return { kind: 'directory', path, sizeBytes };
  }

  async children(path: MemoryPath): Promise<readonly NodeInfo[]> {
    const prefix = path === '' ? '' : `${path}/`;
    const names = [...this.#nodes.keys()]
      .filter((key) => key.startsWith(prefix) && !key.slice(prefix.length).includes('/'))
      .map((key) => Array.from(key.slice(prefix.length), (character) => character.codePointAt(0)!))
      .sort(compareCodePoints);
    const nodes = await Promise.all(
      names.map((name) => this.stat((prefix + String.fromCodePoint(...name)) as MemoryPath)),
    );
    return nodes.filter((node) => node !== undefined);
  }

  async isFile(path: MemoryPath): Promise<boolean> {
    return (await this.stat(path))?.kind === 'file';
  }

  async isEmptyDirectory(path: MemoryPath): Promise<boolean> {
    return (await this.stat(path))?.kind === 'directory' && (await this.children(path)).length === 0;
  }

  async *walk(path: MemoryPath): AsyncGenerator<NodeInfo> {
    const node = await this.stat(path);
    if (node === undefined) return;
    const children = await this.children(path);
    if (children.length === 0 && path !== '') yield node;
    for (const child of children) yield* this.walk(child.path);
  }

  async read(path: MemoryPath): Promise<Bytes> {
    const node = path === '' ? 'directory' : this.#nodes.get(path);
    if (node === undefined) throw new MemgitError('NOT_FOUND');
    if (node === 'directory') throw new MemgitError('NOT_A_FILE');
    return node;
  }
}

function isAtOrBelow(path: string, top: string): boolean {
  return top === '' || path === top || path.startsWith(`${top}/`);
}

function compareCodePoints(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return a.length - b.length;
}
