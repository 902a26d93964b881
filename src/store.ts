/**
 * A store: a folder that holds many users' vaults and one `store.json`. Finds, opens and makes vaults; what a vault can do
 * is said in `vault.ts`.
 *
 *     store.json
 *     users/<aa>/<bb>/<vault id>.git        aa and bb are the first digits of the vault id
 */
import { join } from 'node:path';
import { equalBytes, fromHex, toHex } from './bytes.ts';
import { absolutePath, assertObject, assertPatience, assertText, assertWholeNumber } from './checks.ts';
import { ready, systemRandom } from './crypto/sodium.ts';
import { isMemgitError, MemgitError } from './errors.ts';
import { nodeFileSystem } from './git/fs.ts';
import { credentialOf } from './key.ts';
import { SharedCache } from './vault/cache.ts';
import { readClaimedKeyring } from './vault/identify.ts';
import { MAX_USER_ID_BYTES } from './vault/keys.ts';
import { createStore, decodeStoreFile, encodeStoreFile, openStoreFile, openStoreSlots, STORE_ID_BYTES, vaultIdOf, vaultWrapKey, type OpenedStore } from './vault/store-file.ts';
import { checkBackupTemplate } from './sync/backup.ts';
import { readStoreFile, replaceStoreFile, writeStoreFile } from './vault/store-folder.ts';
import type { LastSeen, VaultOptions } from './vault/vault-options.ts';
import { VaultRepository } from './vault/vault-repository.ts';
import { OpenVaults } from './open-vaults.ts';
import { checkOptions, vaultOptions, type RepositoryLocation, type StoreOptions } from './store-options.ts';
import { inParallel, syncVault, type SyncedVault, type SyncOptions } from './store-sync.ts';
import { Vault, type VaultHooks } from './vault.ts';

/** One vault of a store as `users` lists it. */
export interface UserEntry {
  /** 40 hex digits: the name of the vault's folder. */
  readonly vaultId: string;
  /** `undefined` when the vault could not be opened; `error` says why. */
  readonly userId: string | undefined;
  readonly error?: unknown;
}

/**
 * Opens the store in a folder, or makes it there.
 *
 * @throws KEY_MISSING, KEY_MALFORMED, WRONG_KEY, DAMAGED_SLOT, ALTERED, CORRUPT, UNSUPPORTED_VERSION
 * @throws STORE_NOT_FOUND when there is none and none may be made; STORE_INVALID when the folder is a file or holds other things
 */
export async function openStore(given: StoreOptions): Promise<Store> {
  assertObject('options', given);
  const options = { ...given, dir: absolutePath('dir', given.dir) };
  checkOptions(options);
  await ready;
  const bytes = (await readStoreFile(nodeFileSystem, options.dir)) ?? (await makeStore(options));
  const { identity } = decodeStoreFile(bytes);
  const opened = await openStoreFile(bytes, await credentialOf(options, toHex(identity.id)));
  if (identity.userKeys === 'separate') {
    throw new MemgitError('UNSUPPORTED_VERSION', 'this store keeps its users\' keys apart, which this version of memgit cannot do; use a newer one');
  }
  return new Store(opened, options);
}

/**
 * Opens the vault in a repository that stands by itself, such as a clone from a backup: its keyring holds a copy of the
 * store's slots, so the store's key or passphrase is enough.
 */
export async function openRepository(given: RepositoryLocation): Promise<Vault> {
  assertObject('options', given);
  const options = { ...given, gitdir: absolutePath('gitdir', given.gitdir) };
  checkOptions(options);
  await ready;
  const claimed = await readClaimedKeyring(options.gitdir);
  const secret = await openStoreSlots(claimed.store, await credentialOf(options, toHex(claimed.store.id)));
  const vault = await VaultRepository.open(options.gitdir, { wrapKey: vaultWrapKey(secret, claimed.vaultId) }, vaultOptions(options, new SharedCache(options.cacheBytes)));
  return new Vault(options.gitdir, vault, options);
}

const OTHER_VAULT = 'the folder of this user holds the vault of another user; put it back in its own place';

export class Store {
  /** 32 hex digits. */
  readonly id: string;
  readonly dir: string;
  readonly readOnly: boolean;
  #opened: OpenedStore;
  readonly #vaultOptions: VaultOptions;
  readonly #hooks: VaultHooks;
  readonly #vaults: OpenVaults;
  /** Of every vault that was ever opened, by its id: vaults are forgotten and opened anew, and a rollback in between must not be. */
  readonly #lastSeen = new Map<string, LastSeen>();
  #closed = false;

  /** @internal */
  constructor(opened: OpenedStore, options: StoreOptions) {
    this.id = toHex(opened.identity.id);
    this.dir = options.dir;
    this.readOnly = options.readOnly ?? false;
    this.#opened = opened;
    this.#vaultOptions = vaultOptions(options, new SharedCache(options.cacheBytes));
    this.#hooks = options;
    this.#vaults = new OpenVaults(options.maxOpenVaults ?? 64);
  }

  /**
   * The vault of a user. Two calls for one user give the same object for as long as anyone holds it, so vaults are shared: close
   * the store, which closes them all, and not the vault, which another request may be using. A user id is any text of 1 to 512
   * bytes in UTF-8, taken exactly as it is: case, spaces and Unicode spelling all count.
   *
   * @param options.create whether a vault is made for a user who has none; default true, and false in a read-only store
   * @throws VAULT_NOT_FOUND when there is none and none may be made; ALTERED when the folder holds another user's vault
   */
  async vault(userId: string, options: { readonly create?: boolean | undefined } = {}): Promise<Vault> {
    this.#assertOpen();
    assertUserId(userId);
    const vaultId = vaultIdOf(this.#opened.secret, userId);
    return this.#vaults.get(toHex(vaultId), async () => {
      const repository = await this.#openOrCreate(userId, vaultId, { ...this.#vaultOptions, lastSeen: this.#lastSeenOf(toHex(vaultId)) }, options.create ?? !this.readOnly);
      if (repository.keys.userId !== userId || toHex(repository.keys.keyring.vaultId) !== toHex(vaultId)) {
        await repository.close();
        throw new MemgitError('ALTERED', OTHER_VAULT);
      }
      return new Vault(this.#gitdir(toHex(vaultId)), repository, this.#hooks, this.#opened.backup);
    });
  }

  /** Every vault in the store, in no order. Opens each one to read its sealed label: folder names tell nothing. */
  async *users(): AsyncGenerator<UserEntry> {
    for (const vaultId of await this.#vaultIds()) {
      this.#assertOpen();
      yield await this.#userOf(vaultId);
    }
  }

  /** The template from which every vault has its remote `backup`: an address with `{vault}` in it. */
  get backup(): string | undefined {
    return this.#opened.backup;
  }

  /**
   * Keeps another template, or with `undefined` none, in `store.json`. Vaults that are open already keep what they have.
   *
   * @throws INVALID_ARGUMENT for an address without `{vault}`, or with a password in it; READ_ONLY; STORE_INVALID when another
   *   store stands there now
   */
  async setBackup(template: string | undefined): Promise<void> {
    this.#assertOpen();
    if (this.readOnly) throw new MemgitError('READ_ONLY');
    if (template !== undefined) {
      assertText('template', template);
      checkBackupTemplate(template);
    }
    const there = await readStoreFile(nodeFileSystem, this.dir);
    if (there === undefined || toHex(decodeStoreFile(there).identity.id) !== this.id) {
      throw new MemgitError('STORE_INVALID', 'the store was removed, or another stands in its place; open it again');
    }
    const opened: OpenedStore = { ...this.#opened, backup: template };
    await replaceStoreFile(nodeFileSystem, this.dir, encodeStoreFile(opened));
    this.#opened = opened;
  }

  /** Pushes every vault to its backup, as many at a time as asked for; one that lags behind is merged first. Failures are among the results, in the order they come. */
  async *sync(options: SyncOptions = {}): AsyncGenerator<SyncedVault> {
    this.#assertOpen();
    assertWholeNumber('concurrency', options.concurrency, 1);
    assertPatience(options);
    yield* inParallel(this.users(), options.concurrency ?? 4, async ({ vaultId, userId, error }) => {
      if (userId === undefined) return { vaultId, userId, conflicts: [], error };
      try {
        return await syncVault(await this.vault(userId, { create: false }), options);
      } catch (failure) {
        return { vaultId, userId, conflicts: [], error: failure };
      }
    });
  }

  /** Waits for running mutations and closes every vault. Calling it again does nothing. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#vaults.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #openOrCreate(userId: string, vaultId: Uint8Array, vaultOptions: VaultOptions, create: boolean): Promise<VaultRepository> {
    try {
      return await this.#open(vaultId, vaultOptions);
    } catch (error) {
      if (!isMemgitError(error, 'VAULT_NOT_FOUND')) throw error;
      if (!create) throw new MemgitError('VAULT_NOT_FOUND', 'this user has no vault in the store; check the user id, letter by letter', { cause: error });
    }
    // One that was removed and is made again, on purpose or not, does not go on from what it was.
    delete this.#lastSeenOf(toHex(vaultId)).oid;
    try {
      const { identity: store, secret } = this.#opened;
      return await VaultRepository.create(this.#gitdir(toHex(vaultId)), { userId, vaultId, store, wrapKey: vaultWrapKey(secret, vaultId) }, vaultOptions);
    } catch (error) {
      // Another process made it first.
      if (!isMemgitError(error, 'STORE_EXISTS')) throw error;
      return this.#open(vaultId, vaultOptions);
    }
  }

  /** Closed before the caller sees it, who may stop there. */
  async #userOf(vaultId: string): Promise<UserEntry> {
    try {
      const repository = await this.#open(fromHex(vaultId)!, { ...this.#vaultOptions, readOnly: true, lastSeen: { ...this.#lastSeen.get(vaultId) } });
      await repository.close();
      return { vaultId, userId: repository.keys.userId };
    } catch (error) {
      return { vaultId, userId: undefined, error };
    }
  }

  #lastSeenOf(vaultId: string): LastSeen {
    const known = this.#lastSeen.get(vaultId) ?? {};
    this.#lastSeen.set(vaultId, known);
    return known;
  }

  /** Opens what stands in a vault's place. @throws ALTERED when that is another vault, which the key of this one does not open */
  async #open(vaultId: Uint8Array, options: VaultOptions): Promise<VaultRepository> {
    const gitdir = this.#gitdir(toHex(vaultId));
    await refuseLinks(this.dir, toHex(vaultId));
    try {
      return await VaultRepository.open(gitdir, { wrapKey: vaultWrapKey(this.#opened.secret, vaultId) }, options);
    } catch (error) {
      if (!isMemgitError(error, 'WRONG_KEY') || equalBytes((await readClaimedKeyring(gitdir)).vaultId, vaultId)) throw error;
      throw new MemgitError('ALTERED', OTHER_VAULT, { cause: error });
    }
  }

  #gitdir(vaultId: string): string {
    return vaultFolder(this.dir, vaultId);
  }

  async #vaultIds(): Promise<string[]> {
    const ids: string[] = [];
    const folders = async (...path: string[]) => ((await nodeFileSystem.readdir(join(this.dir, 'users', ...path))) ?? []).filter((name) => /^[0-9a-f]{2}$/.test(name));
    for (const first of await folders()) {
      for (const second of await folders(first)) {
        for (const name of (await nodeFileSystem.readdir(join(this.dir, 'users', first, second))) ?? []) {
          const vaultId = /^([0-9a-f]{40})\.git$/.exec(name)?.[1];
          if (vaultId?.startsWith(first + second) === true) ids.push(vaultId);
        }
      }
    }
    return ids;
  }

  #assertOpen(): void {
    if (this.#closed) throw new MemgitError('CLOSED', 'the store is closed; open it again');
  }
}

/** A link planted in place of a folder would have a vault read or made somewhere else. @throws STORE_INVALID */
export async function refuseLinks(dir: string, vaultId: string): Promise<void> {
  let path = dir;
  for (const folder of foldersOf(vaultId)) {
    path = join(path, folder);
    const stat = await nodeFileSystem.lstat(path);
    if (stat && stat.kind !== 'directory') throw new MemgitError('STORE_INVALID', 'a folder of the store is a link or a file; links are not followed');
  }
}

/** Where a vault of a store stands. @param vaultId 40 hex digits */
export function vaultFolder(dir: string, vaultId: string): string {
  return join(dir, ...foldersOf(vaultId), `${vaultId}.git`);
}

function foldersOf(vaultId: string): string[] {
  return ['users', vaultId.slice(0, 2), vaultId.slice(2, 4)];
}

async function makeStore(options: StoreOptions): Promise<Uint8Array> {
  const { dir, readOnly = false, create = !readOnly } = options;
  if (!create || readOnly) throw new MemgitError('STORE_NOT_FOUND', 'there is no store at this place; check the path, or make one with `memgit init`');
  const id = systemRandom(STORE_ID_BYTES);
  return writeStoreFile(nodeFileSystem, dir, encodeStoreFile(await createStore(await credentialOf(options, toHex(id)), 'derived', systemRandom, { id })));
}

function assertUserId(userId: string): void {
  if (typeof userId !== 'string' || !userId.isWellFormed()) throw new TypeError('user id: expected well-formed text');
  const bytes = Buffer.byteLength(userId);
  if (bytes === 0 || bytes > MAX_USER_ID_BYTES) throw new RangeError(`user id: expected 1 to ${MAX_USER_ID_BYTES} bytes, got ${bytes}`);
}
