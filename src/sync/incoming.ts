/**
 * Checks a history that came from a remote, before any of it is believed: each new commit, from the newest down to what is
 * trusted already, and every object that it leads to. What holds for one commit may depend on its parents, so those rules are
 * looked at when all commits have been read. What nothing leads to is refused: it would stay for ever. Nothing is written here.
 */
import { equalBytes, toHex } from '../bytes.ts';
import { isMemgitError, MemgitError } from '../errors.ts';
import type { Oid, GitObject } from '../git/objects.ts';
import type { Commit } from '../git/commit.ts';
import { giveWay } from '../git/turns.ts';
import { checkRecordEpoch, verifiesBy, type CommitInfo } from '../vault/commit-info.ts';
import { encodeEpochId, type Epoch } from '../vault/epoch.ts';
import { claimedKeyring } from '../vault/identify.ts';
import { newestEpoch, type Keyring } from '../vault/keyring.ts';
import type { VaultKeys } from '../vault/keys.ts';
import { checkedCommit } from '../vault/kinds.ts';
import type { VaultReaders } from '../vault/readers.ts';
import type { CommitRecord } from '../vault/record.ts';
import { bodyOf } from '../vault/tree-reader.ts';
import type { TreeRoot } from '../vault/tree.ts';
import { checkCommit, type CommitFacts } from './commit-rules.ts';
import { EntryChecker } from './entry-checker.ts';

/** Where the history to check is: what was sent, on top of what is trusted. */
export interface IncomingSource {
  read(oid: Oid): Promise<GitObject>;
  /** Whether the object was sent, and is not trusted. */
  isNew(oid: Oid): boolean;
  /** Every object that was sent. */
  sent(): Iterable<Oid>;
  /** Whether the object is among the trusted ones, sent again or not. */
  isTrusted(oid: Oid): Promise<boolean>;
}

export interface IncomingOptions {
  /**
   * `each`: opens every commit and checks its signature. `head`: only of the head and of the commits that change the keyring; of the
   * others, that they are commits of the one form. The head's writer vouches for what it builds on, and `verify` looks at the rest.
   */
  readonly commits: 'each' | 'head';
  /** The vault that it must be; without it, whichever the way in opens. */
  readonly repositoryId?: Uint8Array;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: (checked: number) => void;
}

/** @throws ALTERED, CORRUPT, UNSUPPORTED_VERSION, WRONG_KEY, DAMAGED_SLOT: what was sent is not what the vault's writers made; ABORTED */
export async function checkIncoming(head: Oid, source: IncomingSource, makeReaders: MakeReaders, options: IncomingOptions): Promise<CheckedHistory> {
  try {
    return await checkAll(head, source, makeReaders, options);
  } catch (error) {
    throw fromRemote(error);
  }
}

/** Says of a fault that the remote has it: what helps against damage here does not help there. */
function fromRemote(error: unknown): Error {
  if (!isMemgitError(error) || (error.code !== 'ALTERED' && error.code !== 'CORRUPT')) return error as Error;
  return new MemgitError(error.code, error.message, { details: { ...error.details, from: 'remote' }, cause: error });
}

async function checkAll(head: Oid, source: IncomingSource, makeReaders: MakeReaders, options: IncomingOptions): Promise<CheckedHistory> {
  const touched = new Set<Oid>();
  const read = (oid: Oid): Promise<GitObject> => {
    touched.add(oid);
    return source.read(oid);
  };
  if (options.repositoryId) checkIdentity(await claimedKeyring(head, read), options.repositoryId);
  const readers = makeReaders(read);
  const { keys } = await readers.heads.head(head, undefined);
  readers.use(keys);
  const commits = await new IncomingCheck(source, readers, keys, options).run(head);
  for (const oid of source.sent()) {
    await giveWay(options.signal);
    if (touched.has(oid) || (await source.isTrusted(oid))) continue;
    throw new MemgitError('CORRUPT', 'expected from the remote only what its branch leads to, got other objects too; nothing was taken in', { details: { oid } });
  }
  return { keys, commits, commit: readers.heads.commit.bind(readers.heads) };
}

/** A history that holds what it must, still outside the repository. */
export interface CheckedHistory {
  readonly keys: VaultKeys;
  /** How many of its commits are new. */
  readonly commits: number;
  /** Reads a commit, new or trusted. */
  readonly commit: (oid: Oid, keys: VaultKeys) => Promise<CommitInfo>;
}

/** Makes the vault's readers over some objects. */
export type MakeReaders = (read: (oid: Oid) => Promise<GitObject>) => VaultReaders;

/** Says "another vault" before a key is tried on it, since a key would only say that it does not fit. */
function checkIdentity(keyring: Keyring, repositoryId: Uint8Array): void {
  if (equalBytes(keyring.repositoryId, repositoryId)) return;
  throw new MemgitError('ALTERED', 'expected the remote to hold this vault, found another one there; check the address of the remote', {
    details: { expected: toHex(repositoryId), got: toHex(keyring.repositoryId) },
  });
}

class IncomingCheck {
  readonly #source: IncomingSource;
  readonly #readers: VaultReaders;
  readonly #keys: VaultKeys;
  readonly #options: IncomingOptions;
  readonly #entries: EntryChecker;
  /** New commits, and those trusted ones that are parents of new ones. */
  readonly #facts = new Map<Oid, CommitFacts>();
  readonly #keyrings = new Map<Oid, Keyring>();
  readonly #waiting = new Map<Oid, Commit>();
  /** Which epoch's key signed last; it is tried first on the next commit. */
  #signer: number;

  constructor(source: IncomingSource, readers: VaultReaders, keys: VaultKeys, options: IncomingOptions) {
    this.#source = source;
    this.#readers = readers;
    this.#keys = keys;
    this.#options = options;
    this.#entries = new EntryChecker(readers.entries, (oid) => source.isNew(oid));
    this.#signer = keys.keyring.epochs.length;
  }

  /** Returns how many commits are new. */
  async run(head: Oid): Promise<number> {
    const fresh: Oid[] = [];
    const queue = [head];
    for (let oid = queue.pop(); oid !== undefined; oid = queue.pop()) {
      if (this.#facts.has(oid) || !this.#source.isNew(oid)) continue;
      await giveWay(this.#options.signal);
      const { parents } = await this.#read(oid);
      fresh.push(oid);
      queue.push(...parents);
      this.#options.onProgress?.(fresh.length);
    }
    for (const oid of fresh) {
      await giveWay(this.#options.signal);
      await this.#checkAgainstParents(oid);
    }
    await this.#entries.finish(this.#options.signal);
    return fresh.length;
  }

  /** What can be said of a commit by itself, and of the objects that it has and its first parent has not. */
  async #read(oid: Oid): Promise<CommitFacts> {
    const { heads, trees } = this.#readers;
    const commit = await this.#commit(oid);
    this.#waiting.delete(oid);
    const root = await trees.root(commit.tree);
    const parent = commit.parents[0];
    const parentRoot = parent && (await trees.root((await this.#commit(parent)).tree));
    const opens = this.#options.commits === 'each' || parentRoot?.keyring !== root.keyring;
    const record = opens ? (await heads.commit(oid, this.#keys)).record : undefined;
    const facts = this.#remember({ oid, commit, record }, root, await this.#keyring(root), opens ? this.#findSigner(oid, commit) : undefined);
    checkRecordEpoch(oid, commit, facts.epoch.tag);
    const sameEpoch = parentRoot && newestEpoch(await this.#keyring(parentRoot)).number === facts.epoch.facts.number;
    for (const { name, after } of await trees.changes(sameEpoch ? parentRoot : undefined, root)) {
      if (!after) continue;
      await giveWay(this.#options.signal);
      await this.#entries.check(facts.epoch, name, after);
    }
    return facts;
  }

  /** A commit without its record. It is asked for twice: by its first child, and when its own turn comes. */
  async #commit(oid: Oid): Promise<Commit> {
    const known = this.#waiting.get(oid);
    if (known) return known;
    const commit = checkedCommit(bodyOf(await this.#readers.read(oid), 'commit', oid));
    this.#waiting.set(oid, commit);
    return commit;
  }

  async #checkAgainstParents(oid: Oid): Promise<void> {
    const facts = this.#facts.get(oid)!;
    const parents: CommitFacts[] = [];
    for (const parent of facts.parents) parents.push(this.#facts.get(parent) ?? (await this.#readTrusted(parent)));
    checkCommit(facts, parents);
  }

  async #readTrusted(oid: Oid): Promise<CommitFacts> {
    const { heads, trees } = this.#readers;
    const info = await heads.commit(oid, this.#keys);
    const root = await trees.root(info.commit.tree);
    return this.#remember(info, root, await this.#keyring(root), undefined);
  }

  #remember({ oid, commit, record }: Omit<CommitInfo, 'record'> & { record: CommitRecord | undefined }, root: TreeRoot, keyring: Keyring, signer: number | undefined): CommitFacts {
    const facts: CommitFacts = {
      oid, signer, sequence: record?.sequence, generation: record?.generation, parents: commit.parents, timeSec: commit.timeSec,
      keyringOid: root.keyring, counter: keyring.counter, epoch: this.#epochOf(keyring),
    };
    this.#facts.set(oid, facts);
    return facts;
  }

  /** The number of the epoch whose key signed the commit. @throws ALTERED when none of the vault's did */
  #findSigner(oid: Oid, commit: Commit): number {
    const { epochs } = this.#keys.keyring;
    for (const number of [this.#signer, ...epochs.map((epoch) => epoch.number).reverse()]) {
      if (!verifiesBy(commit, epochs[number - 1]!.publicKey)) continue;
      this.#signer = number;
      return number;
    }
    throw new MemgitError('ALTERED', 'a commit does not carry the signature of its vault', { details: { oid } });
  }

  /** A keyring of the history: of this vault, unaltered, and with the beginning of the newest one's chain. */
  async #keyring(root: TreeRoot): Promise<Keyring> {
    const known = this.#keyrings.get(root.keyring);
    if (known) return known;
    const keyring = await this.#readers.heads.keyring(root.keyring);
    const { epochs, repositoryId } = this.#keys.keyring;
    const follows = keyring.epochs.every((epoch, i) => {
      const later = epochs[i];
      return later && equalBytes(later.publicKey, epoch.publicKey) && equalBytes(later.id, epoch.id);
    });
    if (!follows || !equalBytes(keyring.repositoryId, repositoryId) || !keyring.hasMac(this.#epochOf(keyring).keyringMacKey())) {
      throw new MemgitError('ALTERED', 'a keyring in the history was altered, or is not of this vault', { details: { oid: root.keyring } });
    }
    this.#keyrings.set(root.keyring, keyring);
    return keyring;
  }

  #epochOf(keyring: Keyring): Epoch {
    const { number, id } = newestEpoch(keyring);
    const epoch = this.#keys.epochByTag(encodeEpochId(number, id));
    if (!epoch) throw new MemgitError('ALTERED', 'a keyring in the history has an epoch that is not in the newest one');
    return epoch;
  }
}
