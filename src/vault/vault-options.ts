/** What a vault is opened with, and what is remembered of it from one opening to the next. */
import type { RandomSource } from '../crypto/sodium.ts';
import type { Oid } from '../git/objects.ts';
import type { RepositoryOptions } from '../git/repository.ts';
import type { SharedCache } from './cache.ts';
import type { Compression } from './payload.ts';

export interface VaultOptions extends RepositoryOptions {
  readonly compression?: Compression;
  readonly cache?: SharedCache;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
  readonly random?: RandomSource;
  /** Kept by whoever opens a vault more than once: a head must descend from the last one seen, whoever saw it. */
  readonly lastSeen?: LastSeen;
}

/** The head that was last seen of a vault; nothing before it was opened. */
export interface LastSeen {
  oid?: Oid;
}
