/**
 * What a memory looks like from above the vault: plain paths and bytes, no oids of trees and no ciphertext.
 * The commands of floor 4 and the history of floor 5 see memories only through `Snapshot` and change them only through `Change`.
 */
import type { Bytes } from '../bytes.ts';
import type { MemoryPath } from './path.ts';

/** A file of the memory. `blob` is the oid of its sealed entry: equal oids mean equal bytes. */
export interface FileInfo {
  readonly kind: 'file';
  readonly path: MemoryPath;
  readonly sizeBytes: number;
  readonly blob: string;
}

/** A directory: the root, one that holds files, or an empty one. Its size is the sum of the files below it, hidden ones included. */
export interface DirectoryInfo {
  readonly kind: 'directory';
  readonly path: MemoryPath;
  readonly sizeBytes: number;
}

export type NodeInfo = FileInfo | DirectoryInfo;

/** The memory as it stood at one commit. Immutable: later commits do not change what it answers. */
export interface Snapshot {
  /** What stands at the path; `undefined` when nothing does. The root is always a directory. */
  stat(path: MemoryPath): Promise<NodeInfo | undefined>;
  /** The direct children of a directory in code point order of their names; empty when the path is not a directory. */
  children(path: MemoryPath): Promise<readonly NodeInfo[]>;
  /** Whether a file stands at the path. Cheap, also where none does: the directory shape need not be known for it. */
  isFile(path: MemoryPath): Promise<boolean>;
  /** Whether an empty directory stands at the path. Cheap: the directory shape need not be known for it. */
  isEmptyDirectory(path: MemoryPath): Promise<boolean>;
  /** Every file and every empty directory at or below the path, in code point order, segment by segment; never the root itself. */
  walk(path: MemoryPath): AsyncIterable<NodeInfo>;
  /** @throws NOT_FOUND, NOT_A_FILE. The bytes are shared with a cache and must not be changed. */
  read(path: MemoryPath): Promise<Bytes>;
}

/**
 * One step of a mutation; a list of them is applied in order, all or nothing. Parents are made as needed, and a directory
 * whose last child goes stays as an empty one. Preconditions (exists already, file or directory) are the caller's to check.
 */
export type Change =
  | { readonly kind: 'write'; readonly path: MemoryPath; readonly content: Bytes }
  | { readonly kind: 'makeDirectory'; readonly path: MemoryPath }
  | { readonly kind: 'remove'; readonly path: MemoryPath }
  | { readonly kind: 'move'; readonly from: MemoryPath; readonly to: MemoryPath };
