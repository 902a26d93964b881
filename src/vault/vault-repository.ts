/**
 * One user's encrypted memory over one git repository: plain paths and bytes above, oids and ciphertext below. Opens and
 * creates vaults, gives snapshots and commits, and turns a mutation into one signed commit. Knows no commands and no sentences.
 */
import { systemRandom, type RandomSource } from '../crypto/sodium.ts';
import { MemgitError } from '../errors.ts';
import type { Commit } from '../git/commit.ts';
import type { GitObject, Oid } from '../git/objects.ts';
import { Repository } from '../git/repository.ts';
import type { Mutation } from '../git/write.ts';
import { SharedCache, WALK_CACHE_BYTES } from './cache.ts';
import { makeCommit, openCommit, type CommitInfo } from './commit-info.ts';
import { planEdit } from './draft.ts';
import { sealEdit } from './edit-objects.ts';
import { EncryptedSnapshot } from './encrypted-snapshot.ts';
import { EntryReader } from './entry-reader.ts';
import { firstCommit } from './first-commit.ts';
import type { Epoch } from './epoch.ts';
import { HeadReader, type CheckedHead } from './head-reader.ts';
import type { Keyring } from './keyring.ts';
import { joinKeys, type NewKeyring, type Unlock, type VaultKeys } from './keys.ts';
import type { PathIndex } from './path-index.ts';
import { PathList } from './path-list.ts';
import type { Compression } from './payload.ts';
import type { Snapshot } from './snapshot.ts';
import type { Committed, Draft, Integration, VaultState } from './transaction.ts';
import { VaultReaders } from './readers.ts';
import { ShapeReader, type EpochTree } from './shape-reader.ts';
import { TreeReader, type NameChange } from './tree-reader.ts';
import type { LastSeen, VaultOptions } from './vault-options.ts';

/** The head as it was last seen, with everything that was checked about it. */
interface Head extends CheckedHead {
  readonly snapshot: EncryptedSnapshot;
}

export class VaultRepository {
  readonly repository: Repository;
  readonly #compression: Compression;
  readonly #clock: () => number;
  readonly #random: RandomSource;
  readonly #trees: TreeReader;
  readonly #entries: EntryReader;
  readonly #shapes: ShapeReader;
  readonly #heads: HeadReader;
  readonly #unlock: Unlock;
  /** Mutations that are not over. */
  readonly #asked = new Set<Promise<unknown>>();
  readonly #lastSeen: LastSeen;
  #newestHead!: Head;
  /** Those of a line that is being integrated: its keyring may have epochs that the head's has not. */
  #joinedKeys: VaultKeys | undefined;

  private constructor(repository: Repository, unlock: Unlock, options: VaultOptions) {
    this.repository = repository;
    this.#unlock = unlock;
    this.#compression = options.compression ?? 'deflate';
    this.#clock = options.clock ?? Date.now;
    this.#random = options.random ?? systemRandom;
    this.#lastSeen = options.lastSeen ?? {};
    const cache = (options.cache ?? new SharedCache()).forVault();
    const read = (oid: Oid) => repository.read(oid);
    this.#trees = new TreeReader(read, cache);
    this.#entries = new EntryReader(read, () => this.#readingKeys, cache);
    this.#shapes = new ShapeReader(this.#trees, this.#entries, new PathList(repository, this.#random));
    this.#heads = new HeadReader(read, this.#trees, cache, unlock);
  }

  /** Makes a vault with an empty memory and one commit. @throws STORE_EXISTS when there is something at the place */
  static async create(gitdir: string, who: NewKeyring, options: VaultOptions = {}): Promise<VaultRepository> {
    const first = firstCommit(who, (options.clock ?? Date.now)(), options.random ?? systemRandom);
    const repository = await Repository.create(gitdir, first, options);
    return VaultRepository.#start(repository, { wrapKey: who.wrapKey }, options);
  }

  /**
   * Opens a vault and checks what docs/FORMAT.md asks: the keyring's grammar, its chain of signing keys, its keyed hash
   * and the head's signature.
   *
   * @throws VAULT_NOT_FOUND, UNSUPPORTED_REPOSITORY, UNSUPPORTED_VERSION, CORRUPT, WRONG_KEY, DAMAGED_SLOT, ALTERED
   */
  static async open(gitdir: string, unlock: Unlock, options: VaultOptions = {}): Promise<VaultRepository> {
    return VaultRepository.#start(await Repository.open(gitdir, options), unlock, options);
  }

  static async #start(repository: Repository, unlock: Unlock, options: VaultOptions): Promise<VaultRepository> {
    const vault = new VaultRepository(repository, unlock, options);
    try {
      vault.#head = await vault.#read(await repository.head(), { lastSeen: options.lastSeen?.oid });
    } catch (error) {
      await repository.close();
      throw error;
    }
    return vault;
  }

  get #head(): Head {
    return this.#newestHead;
  }

  set #head(head: Head) {
    this.#newestHead = head;
    this.#lastSeen.oid = head.info.oid;
  }

  get keys(): VaultKeys {
    return this.#head.keys;
  }

  /** The keys that know every epoch which has been met so far. */
  get #readingKeys(): VaultKeys {
    return this.#joinedKeys ? joinKeys(this.keys, this.#joinedKeys) : this.keys;
  }

  /** The head's keys, with the epochs of another line whose commits are in the repository and have been checked. */
  async keysWith(line: Oid | undefined): Promise<VaultKeys> {
    const head = await this.#newest();
    return line === undefined || line === head.info.oid ? head.keys : joinKeys(head.keys, (await this.#heads.head(line, undefined, head)).keys);
  }

  get trees(): TreeReader {
    return this.#trees;
  }

  get entries(): EntryReader {
    return this.#entries;
  }

  /** The newest commit. Looks at the ref on every call, since another process may have written. */
  async head(): Promise<CommitInfo> {
    return (await this.#newest()).info;
  }

  /** The memory as it stands, or as it stood at a commit. */
  async snapshot(at?: Oid): Promise<Snapshot> {
    const head = await this.#newest();
    if (at === undefined || at === head.info.oid) return head.snapshot;
    const { commit } = await this.commit(at);
    return this.#newSnapshot({ root: await this.#trees.root(commit.tree), epoch: await this.#heads.epochAt(commit, this.#readingKeys), isHead: false });
  }

  /** @throws CORRUPT when there is no such commit */
  async commit(oid: Oid, keys: VaultKeys = this.#readingKeys): Promise<CommitInfo> {
    return this.#heads.commit(oid, keys);
  }

  /** The names that differ from the first parent (from an empty memory, in the first commit), without opening an entry. */
  async changesOf({ commit }: CommitInfo): Promise<NameChange[]> {
    const parent = commit.parents[0];
    const before = parent && (await this.#trees.root((await this.commit(parent)).commit.tree));
    return this.#trees.changes(before, await this.#trees.root(commit.tree));
  }

  /** The keyring that stands in the tree of a commit. */
  async keyringAt({ commit }: Pick<CommitInfo, 'commit'>): Promise<Keyring> {
    return this.#heads.keyringAt(commit);
  }

  /** The epoch that the tree of a commit belongs to, which is how the entries in it are named. */
  async epochAt({ commit }: Pick<CommitInfo, 'commit'>): Promise<Epoch> {
    return this.#heads.epochAt(commit, this.#readingKeys);
  }

  /** Opens the record of a commit that was read already. @throws CORRUPT, ALTERED */
  openCommit(oid: Oid, commit: Commit): CommitInfo {
    return openCommit(oid, commit, this.#readingKeys);
  }

  /** Checks that a commit is signed by this vault, as its parents' keyrings say. @throws ALTERED, CORRUPT */
  async checkSignatureOf(info: Pick<CommitInfo, 'oid' | 'commit'>): Promise<void> {
    await this.#heads.checkSignature(info, this.#head);
  }

  /**
   * Runs `build` on the newest snapshot under the vault's lock and writes what it drafts as one commit, all or nothing. An
   * error of `build` writes nothing. When this resolves the commit is on the disk; when the process dies before, the memory is
   * as it was.
   *
   * @throws READ_ONLY for a reader's key; LOCKED, ABORTED, IO, and whatever `build` throws
   */
  async transact<T>(build: (snapshot: Snapshot) => Promise<Draft<T>>, options: { signal?: AbortSignal } = {}): Promise<Committed<T>> {
    const mutation = this.#transact(build, options);
    this.#asked.add(mutation);
    try {
      return await mutation;
    } finally {
      this.#asked.delete(mutation);
    }
  }

  /**
   * Brings in another line of this vault's history, whose commits are in the repository and have been checked. `decide` is asked
   * under the lock what to do about it, with both states as they are then.
   *
   * @throws READ_ONLY when a merge is to be made with a reader's key; as `transact`
   */
  async integrate<T>(other: Oid, decide: (ours: VaultState, theirs: VaultState) => Promise<Integration<T>>, options: { signal?: AbortSignal } = {}): Promise<Committed<T>> {
    return this.repository.update<Committed<T>>(async (oid) => {
      const ours = await this.#headAt(oid, this.#head);
      const theirs = await this.#read(other, { opened: ours });
      this.#joinedKeys = theirs.keys;
      const decided = await decide(ours, theirs);
      if (decided.kind === 'stay') return { result: { result: decided.result, commit: undefined } };
      if (decided.kind === 'forward') {
        const onPublished = () => {
          this.#head = theirs;
        };
        return { objects: [], head: other, result: { result: decided.result, commit: theirs.info }, onPublished };
      }
      const [first, second] = decided.onto === 'ours' ? [ours, theirs] : [theirs, ours];
      checkWriter(first);
      return this.#commit(first, [second.info], decided.draft);
    }, options);
  }

  /** Readers of this vault's data over other objects than its repository's. Nothing that they read is kept with the vault's. */
  readersOver(read: (oid: Oid) => Promise<GitObject>): VaultReaders {
    return new VaultReaders(read, new SharedCache(WALK_CACHE_BYTES).forVault(), this.#unlock);
  }

  /** Waits for the mutations that were asked for. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#asked);
    await this.repository.close();
  }

  async #transact<T>(build: (snapshot: Snapshot) => Promise<Draft<T>>, options: { signal?: AbortSignal }): Promise<Committed<T>> {
    // Looks before it locks: a head that this version cannot read, or may not extend, is refused without a trace.
    checkWriter(await this.#newest());
    return this.repository.update(async (oid) => this.#build(await this.#headAt(oid, this.#head), build), options);
  }

  async #build<T>(head: Head, build: (snapshot: Snapshot) => Promise<Draft<T>>): Promise<Mutation<Committed<T>> | { result: Committed<T> }> {
    checkWriter(head);
    return this.#commit(head, [], await build(head.snapshot));
  }

  /** @param joined further parents; a commit that joins histories is made even when it changes nothing */
  async #commit<T>(head: Head, joined: readonly CommitInfo[], draft: Draft<T>): Promise<Mutation<Committed<T>> | { result: Committed<T> }> {
    const edit = await planEdit(head.snapshot, draft.changes);
    if (edit.put.size === 0 && edit.removed.size === 0 && joined.length === 0) return { result: { result: draft.result, commit: undefined } };

    const { epoch } = head.keys;
    const tools = { epoch, trees: this.#trees, entries: this.#entries, random: this.#random, compression: this.#compression };
    const { objects, tree, put, removed, addedBytes, removedBytes } = await sealEdit(head.snapshot, edit, tools);
    const parents = [head.info, ...joined];
    const sequence = Math.max(...parents.map(({ record }) => record.sequence)) + 1;
    const record = { ...draft.record, timeMs: this.#clock(), sequence, generation: head.info.record.generation, addedBytes, removedBytes };
    const { object, info } = makeCommit({ tree: tree.oid, parents, record }, epoch, this.#random);
    const snapshot = this.#newSnapshot({ root: tree.root, epoch, isHead: true }, head.snapshot.knownIndex?.with(put, removed));
    return {
      objects: [...objects, object],
      head: info.oid,
      result: { result: draft.result, commit: info },
      onPublished: () => {
        this.#head = { info, keys: head.keys, root: tree.root, snapshot };
      },
    };
  }

  /** The head as the ref has it now. What was seen is noted first: a ref read later must descend from it, whoever writes meanwhile. */
  async #newest(): Promise<Head> {
    const seen = this.#head;
    return this.#headAt(await this.repository.head(), seen);
  }

  async #headAt(oid: Oid, seen: Head): Promise<Head> {
    for (const known of [this.#head, seen]) if (oid === known.info.oid) return known;
    const next = await this.#read(oid, { seen, lastSeen: seen.info.oid });
    // Another call may have moved on meanwhile; the newer of the two stays.
    if (this.#head === seen) this.#head = next;
    return next;
  }

  async #read(oid: Oid, { seen, opened, lastSeen }: { seen?: Head; opened?: Head; lastSeen?: Oid | undefined }): Promise<Head> {
    const checked = await this.#heads.head(oid, seen, opened);
    if (lastSeen !== undefined) await this.#heads.checkDescent(checked.info, lastSeen);
    // One that is only opened beside the head, to be joined to it, may never become the head.
    const tree = { root: checked.root, epoch: checked.keys.epoch, isHead: opened === undefined };
    // Names are of one epoch, so a shape goes along only where the keys stayed.
    const known = checked.keys === seen?.keys ? seen.snapshot.knownIndex : undefined;
    const index = seen && known && (await this.#shapes.carry(known, seen.root, tree));
    return { ...checked, snapshot: this.#newSnapshot(tree, index) };
  }

  #newSnapshot(tree: EpochTree, index?: PathIndex): EncryptedSnapshot {
    return new EncryptedSnapshot(tree, { trees: this.#trees, entries: this.#entries, shapes: this.#shapes }, index);
  }
}

function checkWriter({ keys }: Head): void {
  if (keys.role !== 'writer') throw new MemgitError('READ_ONLY', 'the key opens this vault for reading only');
}
