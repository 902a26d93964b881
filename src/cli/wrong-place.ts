/** Says what stands at the place that `-C` names where that is no repository of a vault: a wrong place is no damage. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isMemgitError, MemgitError } from '../errors.ts';
import { HintedError } from './failure.ts';
import { exists } from './key-file.ts';

/** The error to tell, in place of the one that opening the repository ended in. */
export async function wrongPlace(repo: string, error: unknown): Promise<unknown> {
  if (isMemgitError(error, 'VAULT_NOT_FOUND')) return new HintedError(error, '-C takes the path of one vault\'s repository, such as a clone from a backup');
  if (!isMemgitError(error, 'UNSUPPORTED_REPOSITORY')) return error;
  const found = await otherThing(repo);
  return found === undefined ? error : new MemgitError('INVALID_ARGUMENT', `-C takes the repository of one vault, and this is ${found}`, { cause: error });
}

async function otherThing(repo: string): Promise<string | undefined> {
  if (await exists(join(repo, 'store.json'))) return 'the folder of a store; give it with --store, and the user with --user';
  if (await exists(join(repo, '.git'))) return 'a work tree of git; a memory has none, and `memgit clone` gets it from a backup';
  return (await stat(repo)).isDirectory() ? undefined : 'a file';
}
