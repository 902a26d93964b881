/** A vault's remotes: where its backups are, and what goes there and comes from there. The memory is changed by `pull` only. */
import { assertOneOf, assertPatience, assertText } from './checks.ts';
import { MemgitError } from './errors.ts';
import { noSuchRemote, type Remote } from './git/remotes.ts';
import type { TransportOptions } from './git/transport.ts';
import { status, type MemoryStatus } from './history/status.ts';
import { backupRemote, BACKUP_REMOTE } from './sync/backup.ts';
import { fetchRemote, type Fetched, type FetchOptions } from './sync/fetch.ts';
import { STRATEGIES } from './sync/merge.ts';
import { pullRemote, type Pulled, type PullOptions } from './sync/pull.ts';
import { pushRemote, type Pushed } from './sync/push.ts';
import { DEFAULT_REMOTE } from './sync/remote.ts';
import { standingOf, type RemoteStanding } from './sync/standing.ts';
import type { VaultRepository } from './vault/vault-repository.ts';
import type { VaultEvent } from './vault-base.ts';
import { VaultHistory } from './vault-history.ts';

export interface VaultStatus extends MemoryStatus {
  /** What is in the backups, as far as this vault knows. */
  readonly remotes: readonly RemoteStanding[];
}

export class VaultSync extends VaultHistory {
  readonly #backup: string | undefined;

  /** @internal @param backup the store's template for the addresses of backups */
  constructor(gitdir: string, repository: VaultRepository, onEvent: ((event: VaultEvent) => void) | undefined, backup: string | undefined) {
    super(gitdir, repository, onEvent);
    this.#backup = backup;
  }

  /** The remotes by name, the one from the store's template among them. */
  async remotes(): Promise<Remote[]> {
    return this.timed('remotes', async () => this.#remotes());
  }

  /** Reads only what is here: remotes stand as they were last seen. */
  async status(): Promise<VaultStatus> {
    return this.timed('status', async () => {
      const remotes: RemoteStanding[] = [];
      for (const remote of await this.#remotes()) remotes.push(await standingOf(this.repository, remote));
      return { ...(await status(this.repository)), remotes };
    });
  }

  /** @throws ALREADY_EXISTS, also for `backup` where the store has a template; INVALID_ARGUMENT for a name or an address that cannot be one */
  async addRemote(name: string, url: string): Promise<void> {
    assertText('name', name);
    assertText('url', url);
    if (name === BACKUP_REMOTE && this.#backup !== undefined) {
      throw new MemgitError('ALREADY_EXISTS', 'expected another name than backup, which the store gives to every vault by its template; choose one', { details: { remote: name } });
    }
    await this.timed('addRemote', async () => this.repository.repository.addRemote({ name, url }));
  }

  /** Forgets a remote, and where it was seen. Nothing changes there. @throws NOT_FOUND */
  async removeRemote(name: string): Promise<void> {
    await this.timed('removeRemote', async () => this.repository.repository.removeRemote(name));
  }

  /**
   * Brings a remote up to this vault. Only ever forward: a remote with commits that are not here is left alone.
   *
   * @param remote default: the one from the store's template, or `origin`, or the only one
   * @throws PUSH_REJECTED; ROLLBACK_DETECTED, FORK_DETECTED when the remote shows less than was seen; REMOTE_UNREACHABLE, REMOTE_REFUSED; READ_ONLY
   */
  async push(remote?: string, options: TransportOptions = {}): Promise<Pushed> {
    assertPatience(options);
    return this.timed('push', async () => pushRemote(this.repository, await this.#find(remote), options));
  }

  /**
   * Brings what a remote has into the repository, once all of it has been checked. The memory stays as it is.
   *
   * @throws ROLLBACK_DETECTED, FORK_DETECTED, HISTORY_REWRITTEN when the remote shows less than was seen, with the commits that are `missing`
   * @throws ALTERED, CORRUPT when it is not what the vault's writers made; REMOTE_UNREACHABLE, REMOTE_REFUSED
   */
  async fetch(remote?: string, options: FetchOptions = {}): Promise<Fetched> {
    assertPatience(options);
    return this.timed('fetch', async () => fetchRemote(this.repository, await this.#find(remote), options));
  }

  /** Fetches, and brings the memory up to what both sides wrote. Conflicts are in the result: no version is lost. @throws as `fetch`; CONFLICT with the strategy `manual` */
  async pull(remote?: string, options: PullOptions = {}): Promise<Pulled> {
    assertOneOf('strategy', options.strategy, STRATEGIES);
    assertPatience(options);
    return this.timed('pull', async () => pullRemote(this.repository, await this.#find(remote), options));
  }

  async #remotes(): Promise<Remote[]> {
    const own = await this.repository.repository.remotes();
    if (this.#backup === undefined) return own;
    // The template is authenticated, and the repository's configuration is not: whoever writes the disk must not say where backups go.
    return [...own.filter(({ name }) => name !== BACKUP_REMOTE), backupRemote(this.#backup, this.vaultId)];
  }

  async #find(name: string | undefined): Promise<Remote> {
    const remotes = await this.#remotes();
    const wanted = name ?? (this.#backup === undefined ? DEFAULT_REMOTE : BACKUP_REMOTE);
    const found = remotes.find((remote) => remote.name === wanted) ?? (name === undefined && remotes.length === 1 ? remotes[0] : undefined);
    if (found) return found;
    if (name !== undefined) throw noSuchRemote(name);
    throw new MemgitError('NOT_FOUND', 'expected a remote, found none that is meant without a name; add one with `memgit remote add origin <url>`, or name one');
  }
}
