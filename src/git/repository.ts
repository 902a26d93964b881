/**
 * One bare git repository with one branch, as the vault sees it: read an object, ask for the head, change the head.
 * It knows nothing of encryption and keeps no contents. Many processes may have the same repository open; they meet at the lock.
 */
import { dirname } from 'node:path';
import type { Bytes } from '../bytes.ts';
import { MemgitError } from '../errors.ts';
import { BulkReader } from './bulk-reader.ts';
import { createRepository, syncNames, type FirstCommit } from './create.ts';
import { findGit } from './environment.ts';
import { PackFolder } from './fold.ts';
import { nodeFileSystem, type FileSystem } from './fs.ts';
import { MAIN, checkLayout, layoutOf } from './layout.ts';
import { BranchLock } from './lock.ts';
import { ObjectStore } from './object-store.ts';
import type { GitObject, Oid } from './objects.ts';
import type { Place } from './publish.ts';
import { Quarantine } from './quarantine.ts';
import { Queue } from './queue.ts';
import { removeOwnRef, replaceFile, seenRef, setOwnRef, takeOver } from './receive.ts';
import { readRef } from './refs.ts';
import { readRemotes, withRemote, withoutRemote, type Remote } from './remotes.ts';
import { FullPack } from './repack.ts';
import { readSideFile, writeSideFile } from './side-file.ts';
import { measureObjects, type RepositoryStats } from './stats.ts';
import { giveWay, takeTurn } from './turns.ts';
import { writeMutation, type Mutation } from './write.ts';

export interface RepositoryOptions {
  /** Replaced in tests only. */
  fs?: FileSystem;
  /** Takes no lock and changes nothing on the disk. */
  readOnly?: boolean;
  /** How long `update` waits for another process, but not for those before it in this one. Default 10,000. */
  lockTimeoutMs?: number;
}

export class Repository {
  readonly #place: Place;
  readonly #folder: PackFolder;
  readonly #lock: BranchLock;
  readonly #queue = new Queue();
  readonly #readOnly: boolean;
  /** Resolves when those that are being written are there. */
  #sideFiles = Promise.resolve();
  #settled = false;
  /** Resolves when it is closed; `undefined` while it is open. */
  #closing: Promise<void> | undefined;

  private constructor(gitdir: string, options: RepositoryOptions) {
    const fs = options.fs ?? nodeFileSystem;
    const layout = layoutOf(gitdir);
    this.#place = { fs, layout, store: new ObjectStore(fs, layout) };
    this.#folder = new PackFolder(this.#place);
    this.#lock = new BranchLock(this.#place, options.lockTimeoutMs ?? 10_000);
    this.#readOnly = options.readOnly ?? false;
  }

  /** Makes a repository with its first commit. @throws STORE_EXISTS when there is anything at the place */
  static async create(gitdir: string, first: FirstCommit, options: RepositoryOptions = {}): Promise<Repository> {
    if (options.readOnly === true) throw new MemgitError('READ_ONLY', 'expected to create a repository, but the options say read-only');
    await createRepository(options.fs ?? nodeFileSystem, gitdir, first);
    return new Repository(gitdir, options);
  }

  /**
   * Opens a repository, without a lock and without writing anything.
   * @throws VAULT_NOT_FOUND when there is none; UNSUPPORTED_REPOSITORY when it uses a git feature that memgit refuses; CORRUPT
   * when its ref is missing or torn
   */
  static async open(gitdir: string, options: RepositoryOptions = {}): Promise<Repository> {
    const repository = new Repository(gitdir, options);
    await checkLayout(repository.#place.fs, repository.#place.layout);
    await repository.head();
    return repository;
  }

  /** The folder on the disk. */
  get gitdir(): string {
    return this.#place.layout.gitdir;
  }

  /** Returns the commit that the branch points to now. @throws CORRUPT when the ref is missing or torn */
  async head(): Promise<Oid> {
    const head = await this.readRef(MAIN);
    if (head !== undefined) return head;
    throw new MemgitError('CORRUPT', `expected ${MAIN} to name a commit, found no such ref; restore it from a backup`, { details: { ref: MAIN } });
  }

  /** Returns what a ref points to now; `undefined` when there is no such ref. @throws CORRUPT when it is torn */
  async readRef(name: string): Promise<Oid | undefined> {
    await giveWay();
    return readRef(this.#place.fs, this.#place.layout.gitdir, name);
  }

  /** Reads an object and checks its hash. @throws CORRUPT with `oid` in its details when it is missing or damaged */
  async read(oid: Oid): Promise<GitObject> {
    return this.#place.store.read(oid);
  }

  /** Prepares for reading most of the objects. The reader knows those that are here now. */
  async bulkReader(): Promise<BulkReader> {
    return BulkReader.open(this.#place.store);
  }

  /** Tells whether an object is there; whether it is whole, only reading it tells. */
  async has(oid: Oid): Promise<boolean> {
    return this.#place.store.has(oid);
  }

  /** Returns the oids of all objects here, of whatever type, that begin with these hexadecimal digits, at least two. */
  async startingWith(prefix: string): Promise<ReadonlySet<Oid>> {
    return this.#place.store.startingWith(prefix);
  }

  /**
   * Runs `build` on the current head under the lock, then writes what it returns, all or nothing; without a `head` in it,
   * nothing is written. Callers in this process take turns in the order they came. What `build` throws is passed on; it must
   * not call `update` itself.
   * @throws LOCKED, or ABORTED when the signal fires before the lock is taken; later it is ignored
   * @throws IO and the state is as before, unless its details say `outcome: 'unknown'`
   */
  async update<T>(build: (head: Oid) => Promise<Mutation<T> | { readonly result: T }>, options: { signal?: AbortSignal } = {}): Promise<T> {
    return this.#locked(async () => {
      const head = await this.head();
      const built = await build(head);
      if ('head' in built) {
        await writeMutation(this.#place, this.#folder, head, built);
        built.onPublished?.();
      }
      return built.result;
    }, options.signal);
  }

  /** For whoever changes something elsewhere before he notes it here. @throws READ_ONLY, CLOSED */
  assertWritable(): void {
    if (this.#readOnly) throw new MemgitError('READ_ONLY', 'expected a repository open for writing, got one opened read-only');
    if (this.#closing) throw new MemgitError('CLOSED', 'expected an open repository, got one that was closed');
  }

  /** Makes a place for what a remote sends, to be checked before it is accepted. The caller discards it in the end. */
  async quarantine(): Promise<Quarantine> {
    this.assertWritable();
    return Quarantine.create(this.#place.fs, this.#place.layout.own, this.#place);
  }

  /**
   * Takes over what was checked, and notes where the branch of a remote is seen now (`undefined`: nowhere). Returns `false`, and
   * has done nothing, when it is not noted any more where the caller knows it `before`: somebody else looked meanwhile, and what
   * he saw may be newer. @throws as `update`
   */
  async acceptFrom(remote: string, { before, now }: { readonly before: Oid | undefined; readonly now: Oid | undefined }, quarantine?: Quarantine): Promise<boolean> {
    return this.#locked(async () => {
      const { fs, layout } = this.#place;
      const noted = await this.seenAt(remote);
      if (noted !== before && noted !== now) return false;
      if (quarantine) await takeOver(this.#place, quarantine);
      if (now === undefined) await removeOwnRef(fs, layout, seenRef(remote), this.#lock.ownerFile);
      else await setOwnRef(fs, layout, seenRef(remote), now);
      return true;
    });
  }

  /** Where the branch of a remote was when it was last looked at and found good; `undefined` when it never was. */
  async seenAt(remote: string): Promise<Oid | undefined> {
    return this.readRef(seenRef(remote));
  }

  /** @throws UNSUPPORTED_REPOSITORY when somebody changed, since it was opened, what git would meet on the way there */
  async remotes(): Promise<Remote[]> {
    return readRemotes(await checkLayout(this.#place.fs, this.#place.layout));
  }

  /** @throws ALREADY_EXISTS, INVALID_ARGUMENT */
  async addRemote(remote: Remote): Promise<void> {
    await this.#editRemote(remote.name, (text) => withRemote(text, remote));
  }

  /** Forgets a remote and where its branch was seen. @throws NOT_FOUND */
  async removeRemote(name: string): Promise<void> {
    await this.#editRemote(name, (text) => withoutRemote(text, name));
  }

  /**
   * Packs everything anew, as small as it gets: by the git that is installed, without the lock but for the last moment; without
   * git by merging packs, bit by bit. Others read and write meanwhile. Nothing is dropped.
   * @throws CORRUPT when something is damaged, UNSUPPORTED_REPOSITORY as `open`, and nothing was changed; LOCKED, ABORTED
   */
  async gc(options: { signal?: AbortSignal | undefined } = {}): Promise<void> {
    this.assertWritable();
    const git = findGit();
    if (git === undefined) {
      while (await this.#locked(async () => this.#folder.foldMore(), options.signal));
      return;
    }
    await checkLayout(this.#place.fs, this.#place.layout);
    const pack = await FullPack.make(this.#place, git, options.signal);
    try {
      await this.#locked(async () => pack.adopt(), options.signal);
    } finally {
      await pack.discard();
    }
  }

  async stats(): Promise<RepositoryStats> {
    return measureObjects(this.#place.fs, this.#place.layout);
  }

  /** A file that only saves time, as it was last written; `undefined` when there is none, for whatever reason. */
  async readSideFile(name: string, maxBytes: number): Promise<Bytes | undefined> {
    return readSideFile(this.#place.fs, this.#place.layout, name, maxBytes);
  }

  /**
   * Keeps a file that only saves time, if that can be done and it can be read again. Never fails; `make` is not called where nothing
   * may be written, and may return `undefined` when it finds that there is too much to keep.
   */
  async writeSideFile(name: string, maxBytes: number, make: () => Bytes | undefined): Promise<void> {
    if (this.#readOnly || this.#closing) return;
    const writing = writeSideFile(this.#place.fs, this.#place.layout, name, maxBytes, make);
    this.#sideFiles = this.#sideFiles.then(() => writing);
    await writing;
  }

  /** Refuses further updates and waits for those already asked for. Nothing stays open or behind. Asked again, it waits for the same. */
  async close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    // In the queue, as everything that takes the lock: this process has but one.
    await this.#queue.run(async () => this.#removeReplaced(), undefined);
    await this.#sideFiles;
    await this.#place.store.close();
    await this.#lock.close();
  }

  /** What is not removed is folded once more by whoever opens the repository next, which is why it is worth waiting for the lock. */
  async #removeReplaced(): Promise<void> {
    if (!this.#folder.hasReplaced) return;
    try {
      await this.#lock.acquire(undefined, performance.now());
    } catch {
      return;
    }
    try {
      await this.#folder.removeReplaced(Infinity);
    } finally {
      await this.#lock.release();
    }
  }

  /** A remote that comes or goes was seen nowhere. That is forgotten first, so that what failed half-way can be asked for again. */
  async #editRemote(name: string, edit: (text: string) => string): Promise<void> {
    await this.#locked(async () => {
      const { fs, layout } = this.#place;
      const text = edit(await checkLayout(fs, layout));
      await removeOwnRef(fs, layout, seenRef(name), this.#lock.ownerFile);
      await replaceFile(fs, layout, layout.config, Buffer.from(text, 'latin1'));
    });
  }

  /** Runs `action` when it is this caller's turn, under the lock. */
  async #locked<T>(action: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    this.assertWritable();
    const asked = performance.now();
    return this.#queue.run(async () => {
      await takeTurn();
      await this.#lock.acquire(signal, asked);
      try {
        await this.#settle();
        return await action();
      } finally {
        await this.#lock.release();
      }
    }, signal);
  }

  /** Whoever made the repository may have died before its own name was on the disk; nothing is acknowledged before it is. */
  async #settle(): Promise<void> {
    if (this.#settled) return;
    await syncNames(this.#place.fs, dirname(this.gitdir));
    this.#settled = true;
  }
}
