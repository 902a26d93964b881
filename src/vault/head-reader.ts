/**
 * Reads commits, keyrings and heads out of a vault's repository and checks what docs/FORMAT.md asks of them: that a head
 * is signed by the vault, that it descends from the one seen before, and that a keyring never goes back.
 */
import { equalBytes } from '../bytes.ts';
import { MemgitError } from '../errors.ts';
import { decodeCommit, type Commit } from '../git/commit.ts';
import type { GitObject, Oid } from '../git/objects.ts';
import { giveWay } from '../git/turns.ts';
import type { VaultCache } from './cache.ts';
import { checkRecordEpoch, checkSignature, openCommit, type CommitInfo } from './commit-info.ts';
import { encodeEpochId, type Epoch } from './epoch.ts';
import { decodeKeyring, newestEpoch, type Keyring } from './keyring.ts';
import { openKeyring, type Unlock, type VaultKeys } from './keys.ts';
import { bodyOf, type TreeReader } from './tree-reader.ts';
import type { TreeRoot } from './tree.ts';

/** A head and what was found when it was checked. */
export interface CheckedHead extends OpenedKeyring {
  readonly info: CommitInfo;
}

/** The keyring that was opened, in the tree that it stands in. */
export interface OpenedKeyring {
  readonly keys: VaultKeys;
  readonly root: TreeRoot;
}

/** A keyring and the oid of its blob: two are the same exactly when their oids are. */
export interface Standing {
  readonly oid: Oid;
  readonly keyring: Keyring;
}

export class HeadReader {
  readonly #read: (oid: Oid) => Promise<GitObject>;
  readonly #trees: TreeReader;
  readonly #cache: VaultCache;
  readonly #unlock: Unlock;

  constructor(read: (oid: Oid) => Promise<GitObject>, trees: TreeReader, cache: VaultCache, unlock: Unlock) {
    this.#read = read;
    this.#trees = trees;
    this.#cache = cache;
    this.#unlock = unlock;
  }

  /**
   * Reads a head that this process did not write.
   *
   * @param seen the head before it: its keyring must go on from that one's; see `checkDescent` for the rest
   * @param opened a keyring of this vault, on whatever line: when it stands in the tree of this head too, it is not opened again
   */
  async head(oid: Oid, seen: CheckedHead | undefined, opened: OpenedKeyring | undefined = seen): Promise<CheckedHead> {
    const commit = await this.#commit(oid);
    const root = await this.#trees.root(commit.tree);
    const keys = opened?.root.keyring === root.keyring ? opened.keys : openKeyring(await this.keyring(root.keyring), this.#unlock);
    if (seen) checkSuccession(standingOf(seen), standingOf({ keys, root }));
    const info = openCommit(oid, commit, keys);
    checkRecordEpoch(oid, commit, keys.epoch.tag);
    await this.checkSignature(info, { keys, root });
    return { info, keys, root };
  }

  /** @throws CORRUPT when there is no such commit, ALTERED when it is not of this vault */
  async commit(oid: Oid, keys: VaultKeys): Promise<CommitInfo> {
    const cached = this.#cache.get('commit', oid);
    if (cached) return cached;
    const info = openCommit(oid, await this.#commit(oid), keys);
    this.#cache.set('commit', oid, info, info.commit.message.length * 2);
    return info;
  }

  /** The keyring that stands in the tree of a commit. */
  async keyringAt(commit: Commit): Promise<Keyring> {
    return (await this.#standingAt(commit)).keyring;
  }

  /** The epoch that a commit's tree belongs to. @throws ALTERED when it is not one of the keys' */
  async epochAt(commit: Commit, keys: VaultKeys): Promise<Epoch> {
    const { number, id } = newestEpoch(await this.keyringAt(commit));
    const epoch = keys.epochByTag(encodeEpochId(number, id));
    if (!epoch) throw new MemgitError('ALTERED', 'a tree belongs to an epoch that is not in the keyring');
    return epoch;
  }

  /**
   * Checks that a commit is signed by the newest epoch of its first parent's keyring, or by epoch 1 when it is the first. Anyone
   * can put a keyring of his own into a parent, so the keyrings must lead from the parents' over the commit's to the opened one;
   * and a former writer can put a commit of his own time first, so those of the other parents must lead to the first one's.
   *
   * @throws ALTERED, CORRUPT
   */
  async checkSignature({ oid, commit }: Pick<CommitInfo, 'oid' | 'commit'>, opened: OpenedKeyring): Promise<void> {
    const own = await this.#standingAt(commit);
    checkSuccession(own, standingOf(opened));
    const parents = await Promise.all(commit.parents.map(async (parent) => this.#standingAt(await this.#commit(parent))));
    for (const parent of parents) checkSuccession(parent, own);
    const [first, ...others] = parents;
    if (first) for (const other of others) checkSuccession(other, first);
    const signer = first ? newestEpoch(first.keyring) : own.keyring.epochs[0]!;
    checkSignature(oid, commit, signer.publicKey);
  }

  /** @throws ROLLBACK_DETECTED unless the head is the one that was seen, or goes on from it */
  async checkDescent(head: CommitInfo, seen: Oid): Promise<void> {
    if (head.oid === seen) return;
    // Breadth first, so that a merge does not lead down a side branch to the beginning of history. A set can grow while it is walked.
    const ancestors = new Set(head.commit.parents);
    for (const oid of ancestors) {
      await giveWay();
      if (oid === seen) return;
      for (const parent of (await this.#commit(oid)).parents) ancestors.add(parent);
    }
    throw new MemgitError('ROLLBACK_DETECTED', 'expected the head to descend from the one seen before, got a history that does not hold it', {
      details: { seen, got: head.oid },
    });
  }

  async #commit(oid: Oid): Promise<Commit> {
    return this.#cache.get('commit', oid)?.commit ?? decodeCommit(bodyOf(await this.#read(oid), 'commit', oid));
  }

  async #standingAt(commit: Commit): Promise<Standing> {
    const { keyring: oid } = await this.#trees.root(commit.tree);
    return { oid, keyring: await this.keyring(oid) };
  }

  /** The keyring in a blob: its grammar and its chain of signing keys are checked, its keyed hash is not. */
  async keyring(oid: Oid): Promise<Keyring> {
    const cached = this.#cache.get('keyring', oid);
    if (cached) return cached;
    const body = bodyOf(await this.#read(oid), 'blob', oid);
    const keyring = decodeKeyring(body);
    this.#cache.set('keyring', oid, keyring, body.length * 2);
    return keyring;
  }
}

function standingOf({ keys, root }: OpenedKeyring): Standing {
  return { oid: root.keyring, keyring: keys.keyring };
}

/** A keyring may change, but then its counter grows, its repository stays, and its epochs go on from those there were. */
export function checkSuccession(before: Standing, after: Standing): void {
  if (before.oid === after.oid) return;
  const [old, fresh] = [before.keyring, after.keyring];
  const goesOn = old.epochs.every(({ id, publicKey }, index) => {
    const same = fresh.epochs[index];
    return same !== undefined && equalBytes(same.id, id) && equalBytes(same.publicKey, publicKey);
  });
  if (!equalBytes(old.repositoryId, fresh.repositoryId) || fresh.counter <= old.counter || !goesOn) {
    throw new MemgitError('ALTERED', 'the keyring was exchanged for another or an older one; restore the vault from a backup');
  }
}
