/**
 * What of a memory would make git take a folder of an export for a repository. A repository's configuration can name programs,
 * and git, like every prompt and editor that asks it, runs them for whoever only enters the folder.
 */
import type { Bytes } from '../bytes.ts';
import { baseName, type MemoryPath } from '../vault/path.ts';

/** All spellings that some file system takes for `.git`: of any case, ending in spaces or dots, as a stream, or as a short name. */
const GIT_FOLDER = /^(?:\.git|git~1)[ .]*(?::.*)?$/i;
const HEAD = /^head[ .]*(?::.*)?$/i;

/** Characters that some file systems do not see in a name. */
const IGNORED = /\p{Default_Ignorable_Code_Point}/gu;

/** What git takes for a HEAD: the name of a ref, or an oid, and then anything. */
const HEAD_TEXT = /^(?:ref:\s*refs\/|[0-9a-f]{40})/i;
const HEAD_TEXT_BYTES = 256;

/**
 * Whether a file or directory is, or is in, a `.git`, or is a HEAD, without which no folder is a repository. What stands beside it
 * now does not matter: it may have been exported to the same folder before, or come there later.
 *
 * @param read gives the content of the file
 */
export async function isGitLookalike(path: MemoryPath, read: () => Promise<Bytes>): Promise<boolean> {
  if (path.split('/').some((segment) => GIT_FOLDER.test(segment.replace(IGNORED, '')))) return true;
  return HEAD.test(baseName(path).replace(IGNORED, '')) && HEAD_TEXT.test(Buffer.from((await read()).subarray(0, HEAD_TEXT_BYTES)).toString('latin1'));
}
