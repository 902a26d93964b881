/**
 * What of a memory would make git take a folder of an export for a repository. A repository's configuration can name programs,
 * and git, like every prompt and editor that asks it, runs them for whoever only enters the folder.
 */
import { baseName, parentOf, type MemoryPath } from '../vault/path.ts';
import type { Snapshot } from '../vault/snapshot.ts';

/** All spellings that some file system takes for `.git`: of any case, ending in spaces or dots, as a stream, or as a short name. */
const GIT_FOLDER = /^(?:\.git|git~1)[ .]*(?::.*)?$/i;

/** Characters that some file systems do not see in a name. */
const IGNORED = /\p{Default_Ignorable_Code_Point}/gu;

/** Whether a path is, or is in, a `.git`, or is the `HEAD` without which what stands beside it is no bare repository. */
export async function isGitLookalike(snapshot: Snapshot, path: MemoryPath): Promise<boolean> {
  if (path.split('/').some((segment) => GIT_FOLDER.test(segment.replace(IGNORED, '')))) return true;
  if (nameOf(path) !== 'head') return false;
  const beside = new Set((await snapshot.children(parentOf(path))).map((node) => nameOf(node.path)));
  return beside.has('commondir') || (beside.has('objects') && beside.has('refs'));
}

function nameOf(path: MemoryPath): string {
  return baseName(path).replace(IGNORED, '').replace(/[ .]+$/, '').toLowerCase();
}
