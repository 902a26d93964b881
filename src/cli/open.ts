/** Opens what a command works on and closes it again, also when the command fails or is interrupted. */
import { isMemgitError, MemgitError } from '../errors.ts';
import type { Store } from '../store.ts';
import type { Vault } from '../vault.ts';
import { namingCandidates } from './candidates.ts';
import type { Context } from './context.ts';
import { unlock } from './unlock.ts';
import { visibleLine } from './visible.ts';
import { wrongPlace } from './wrong-place.ts';

interface OpenMode {
  /** Opens without a lock and without changing anything on the disk. Default true. */
  readonly readOnly?: boolean;
  /** Whether what was found out about a long history or a large memory may be kept beside it, to answer sooner the next time. Default false. */
  readonly keepIndex?: boolean;
  /** Whether a vault is made for a user who has none. Default false. */
  readonly create?: boolean;
}

/** A command answers one question and ends: what it keeps beyond that only makes the process larger. */
const CACHE_BYTES = 8 * 1024 * 1024;

interface Closable {
  close(): Promise<void>;
}

/** Runs `use` on the store that `--store` names. @throws STORE_NOT_FOUND; KEY_MISSING, WRONG_KEY and the like */
export async function withStore<T>(context: Context, use: (store: Store, source: string) => Promise<T>, { readOnly = true }: OpenMode = {}): Promise<T> {
  const { store: dir, repo } = context.globals;
  if (repo !== undefined) throw new MemgitError('INVALID_ARGUMENT', 'this command works on a store; give --store instead of -C');
  if (dir === undefined) throw new MemgitError('INVALID_ARGUMENT', 'expected the folder of a store; give --store or set MEMGIT_STORE');
  const { openStore } = await import('./library.ts');
  const { opened, source } = await unlock(context, async (key) => openStore({ dir, ...key, create: false, readOnly, cacheBytes: CACHE_BYTES }));
  return using(context, opened, async () => use(opened, source));
}

/** Runs `use` on the vault that `-C` names, whoever's it is; without `-C`, on the one that `--store` and `--user` name. */
export async function withVault<T>(context: Context, use: (vault: Vault, source: string) => Promise<T>, { readOnly: onlyLooks = true, keepIndex = false, create = false }: OpenMode = {}): Promise<T> {
  const { repo, user } = context.globals;
  const onVault = async (vault: Vault, source: string) => namingCandidates(context, vault, async () => use(vault, source));
  if (!onlyLooks) context.io.catchInterrupts();
  const readOnly = onlyLooks && !keepIndex;
  if (repo === undefined) {
    if (user === undefined) throw new MemgitError('INVALID_ARGUMENT', 'expected a user; give --user or set MEMGIT_USER');
    return withStore(context, async (store, source) => onVault(await vaultOf(context, store, user, create && !readOnly), source), { readOnly });
  }
  const { openRepository } = await import('./library.ts');
  const { opened, source } = await unlock(context, async (key) => openRepository({ gitdir: repo, ...key, readOnly, cacheBytes: CACHE_BYTES })).catch(async (error: unknown) => {
    throw await wrongPlace(repo, error);
  });
  return using(context, opened, async () => onVault(opened, source));
}

/** Says when a vault is made: a user id that is mistyped makes one, too. */
async function vaultOf(context: Context, store: Store, user: string, create: boolean): Promise<Vault> {
  try {
    return await store.vault(user, { create: false });
  } catch (error) {
    // An id may be too long; the library takes that for a mistake of the program that it is in.
    if (error instanceof RangeError) throw new MemgitError('INVALID_ARGUMENT', error.message, { cause: error });
    if (!create || !isMemgitError(error, 'VAULT_NOT_FOUND')) throw error;
  }
  const made = await store.vault(user, { create: true });
  context.say(`made a memory for ${visibleLine(user)}`);
  return made;
}

/** Closing waits for a mutation that is being written, so that an interruption leaves nothing half done. */
async function using<T>({ io }: Context, opened: Closable, use: () => Promise<T>): Promise<T> {
  const interrupted = new Promise<never>((_, reject) => {
    const stop = () => {
      reject(new MemgitError('ABORTED', 'interrupted'));
    };
    if (io.signal.aborted) stop();
    else io.signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([use(), interrupted]);
  } finally {
    await opened.close();
  }
}
