/** What stands at a path, and above it, where a file is to be read or written. */
import type { Bytes } from '../bytes.ts';
import { MemgitError } from '../errors.ts';
import { ancestorsOf, type MemoryPath } from './path.ts';
import type { FileInfo, Snapshot } from './snapshot.ts';

/** `undefined` when there is nothing. @throws NOT_A_FILE when there is a directory */
export async function statFile(snapshot: Snapshot, path: MemoryPath): Promise<FileInfo | undefined> {
  const node = await snapshot.stat(path);
  if (node?.kind === 'directory') throw new MemgitError('NOT_A_FILE', 'expected the path of a file, got that of a directory');
  return node;
}

/** The bytes of a file, shared with a cache; `undefined` when there is nothing. @throws NOT_A_FILE when there is a directory */
export async function readFileAt(snapshot: Snapshot, path: MemoryPath): Promise<Bytes | undefined> {
  return (await statFile(snapshot, path)) && snapshot.read(path);
}

/** The file that stands where a directory above the path would have to be; `undefined` when none does. */
export async function fileAbove(snapshot: Snapshot, path: MemoryPath): Promise<MemoryPath | undefined> {
  for (const ancestor of ancestorsOf(path)) {
    const node = await snapshot.stat(ancestor);
    if (node) return node.kind === 'file' ? ancestor : undefined;
  }
  return undefined;
}
