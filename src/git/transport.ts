/**
 * What memgit asks of a remote: where its branch is, the objects of its branch, and moving its branch forward. Two ways give
 * the same answers: the git that is installed, and HTTP(S) spoken here where there is none. Nothing is believed of what a
 * remote sends; checking it is the business of others.
 */
import type { GitObject, Oid } from './objects.ts';
import type { Quarantine } from './quarantine.ts';

export interface TransferProgress {
  /** What is being done, in a few words. */
  readonly phase: string;
  readonly done: number;
  /** `undefined` when nobody knows. */
  readonly total: number | undefined;
}

export interface TransportOptions {
  /** A password or access token for HTTP(S). Without it, git's credential helpers are asked, where git is installed. */
  readonly token?: string | undefined;
  /** The user name to go with the token. Default: the one in the URL, else `memgit`; most hosts do not look at it. */
  readonly username?: string | undefined;
  /** A file of certificates (PEM) to trust for HTTPS instead of the system's. */
  readonly caFile?: string | undefined;
  /** The address of a proxy for HTTP(S). Default: what `https_proxy`, `http_proxy`, `all_proxy` and `no_proxy` say. */
  readonly proxy?: string | undefined;
  /** How long a remote may stay silent, or all but silent, in milliseconds. Default 120,000. */
  readonly timeoutMs?: number | undefined;
  /** How often something that may be passing (no connection, a server error) is tried again. Default 2. */
  readonly retries?: number | undefined;
  /** Whether git and ssh may ask questions on the terminal. Default false. */
  readonly interactive?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: TransferProgress) => void) | undefined;
}

/** A move of the remote's branch from where it must be now; `undefined` when it must not exist yet. */
export interface Push {
  /** Holds `to` and everything below it. */
  readonly repository: { readonly gitdir: string; read(oid: Oid): Promise<GitObject> };
  readonly from: Oid | undefined;
  readonly to: Oid;
  /** What the remote lacks, each object checked as it is named. All are asked for before anything is sent, also where git finds them by itself. */
  readonly objects: () => AsyncIterable<Oid>;
}

export interface Transport {
  /** Where the remote's branch is; `undefined` when the remote answers and has no such branch. */
  readHead(): Promise<Oid | undefined>;
  /**
   * Brings the remote's branch, with all that `haves` do not lead to, into a quarantine. Returns where the branch is.
   * @param check may refuse an object early, where this way of fetching sees it; the quarantine is to be checked all the same
   */
  fetch(into: Quarantine, haves: readonly Oid[], check: (object: GitObject) => void): Promise<Oid | undefined>;
  /** Moves the remote's branch. `'moved'` when it was not where it was expected, and nothing was changed. */
  push(push: Push): Promise<'pushed' | 'moved'>;
}
