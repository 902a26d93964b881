/** What stores and repositories are opened with. */
import { assertOneOf, assertWholeNumber } from './checks.ts';
import type { KeyOptions } from './key.ts';
import { policyOf } from './session/policy.ts';
import type { SharedCache } from './vault/cache.ts';
import type { Compression } from './vault/payload.ts';
import type { VaultOptions } from './vault/vault-options.ts';
import type { VaultHooks } from './vault.ts';

export interface OpenOptions extends KeyOptions, VaultHooks {
  /** Opens without a lock and without changing anything on the disk; every mutation ends in READ_ONLY. */
  readonly readOnly?: boolean | undefined;
  /** `'none'` keeps the size of what is stored from depending on its content (SECURITY.md). Default `'deflate'`. */
  readonly compression?: Compression | undefined;
  /** Bound of the cache of decrypted objects that all vaults share, in bytes. Default 32 MiB. */
  readonly cacheBytes?: number | undefined;
  /** How long a mutation waits for another process, in milliseconds. Default 10,000. */
  readonly lockTimeoutMs?: number | undefined;
}

export interface StoreOptions extends OpenOptions {
  /** The folder of the store. */
  readonly dir: string;
  /** Whether a store is made where the folder is absent or empty. Default true, and false with `readOnly`. */
  readonly create?: boolean | undefined;
  /** How many vaults are kept open when nobody holds them. Default 64. */
  readonly maxOpenVaults?: number | undefined;
}

export interface RepositoryLocation extends OpenOptions {
  /** The bare repository of one vault. */
  readonly gitdir: string;
}

/** For what types cannot say. @throws RangeError, TypeError */
export function checkOptions({ cacheBytes, maxOpenVaults, policy, compression, lockTimeoutMs }: Partial<StoreOptions>): void {
  assertWholeNumber('cacheBytes', cacheBytes, 0);
  assertWholeNumber('maxOpenVaults', maxOpenVaults, 1);
  policyOf(policy ?? 'enforce');
  assertOneOf('compression', compression, ['deflate', 'none']);
  if (lockTimeoutMs !== undefined && !(typeof lockTimeoutMs === 'number' && lockTimeoutMs >= 0)) throw new RangeError('lockTimeoutMs: expected a number of milliseconds, 0 or more');
}

export function vaultOptions({ readOnly, compression = 'deflate', lockTimeoutMs }: OpenOptions, cache: SharedCache): VaultOptions {
  return {
    cache,
    readOnly: readOnly ?? false,
    compression,
    ...(lockTimeoutMs === undefined ? {} : { lockTimeoutMs }),
  };
}
