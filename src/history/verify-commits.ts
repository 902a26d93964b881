/** The part of `verify` that looks at commits themselves: signatures, records, keyrings, and how each follows from its parents. */
import type { Bytes } from '../bytes.ts';
import { MemgitError } from '../errors.ts';
import type { Commit } from '../git/commit.ts';
import type { Oid } from '../git/objects.ts';
import { checkRecordEpoch, checkSignature } from '../vault/commit-info.ts';
import { encodeEpochId, type Epoch } from '../vault/epoch.ts';
import { checkSuccession, type Standing } from '../vault/head-reader.ts';
import { decodeKeyring, newestEpoch, type Keyring } from '../vault/keyring.ts';
import type { CommitRecord } from '../vault/record.ts';
import { bodyOf, type TreeReader } from '../vault/tree-reader.ts';
import type { TreeRoot } from '../vault/tree.ts';
import type { VaultRepository } from '../vault/vault-repository.ts';
import type { Findings } from './findings.ts';
import { readCommit } from './walk.ts';

/** A commit whose tree can be looked into. */
export interface CheckedCommit {
  readonly oid: Oid;
  readonly parents: readonly Oid[];
  readonly tree: Oid;
  readonly root: TreeRoot;
  /** The epoch that its entries must be of; `undefined` when its keyring is damaged. */
  readonly epoch: Epoch | undefined;
}

/** What children are held against. Small: there may be many. */
interface Facts {
  readonly timeSec: number;
  readonly keyring: Oid | undefined;
  readonly sequence: number | undefined;
  readonly generation: number | undefined;
}

const DAY_SEC = 86_400;

export class CommitChecks {
  readonly #vault: VaultRepository;
  readonly #findings: Findings;
  readonly #trees: TreeReader;
  readonly #alone: boolean;
  readonly #facts = new Map<Oid, Facts>();
  /** Few: a keyring changes when keys do. `undefined` for a damaged one. */
  readonly #keyrings = new Map<Oid, Keyring | undefined>();

  /** @param alone only one commit will be checked, so that nothing is known of its parents */
  constructor(vault: VaultRepository, findings: Findings, trees: TreeReader, alone: boolean) {
    this.#vault = vault;
    this.#findings = findings;
    this.#trees = trees;
    this.#alone = alone;
  }

  /** Checks one commit, after its parents. Returns `undefined` when its tree cannot be read. */
  async check(oid: Oid): Promise<CheckedCommit | undefined> {
    const commit = (await readCommit(this.#vault, oid)).commit;
    const parents = commit.parents.flatMap((parent) => this.#facts.get(parent) ?? []);
    const root = await this.#findings.check('trees', { oid: commit.tree, since: oid }, () => this.#trees.root(commit.tree));
    const keyring = root && (await this.#keyringOf(root.keyring, oid, parents));
    const record = await this.#findings.check('records', { oid }, () => this.#checkRecord(oid, commit, parents, keyring));
    await this.#findings.check('signatures', { oid }, () => this.#checkSignature(oid, commit, keyring));
    this.#facts.set(oid, { timeSec: commit.timeSec, keyring: root?.keyring, sequence: record?.sequence, generation: record?.generation });
    return root && { oid, parents: commit.parents, tree: commit.tree, root, epoch: keyring && this.#epochOf(keyring) };
  }

  async #keyringOf(blob: Oid, oid: Oid, parents: readonly Facts[]): Promise<Keyring | undefined> {
    if (!this.#keyrings.has(blob)) {
      const keyring = await this.#findings.check('keyring', { oid: blob, since: oid }, async () => {
        const decoded = decodeKeyring(bodyOf(await this.#vault.repository.read(blob), 'blob', blob));
        const epoch = this.#epochOf(decoded);
        if (!epoch || !decoded.hasMac(epoch.keyringMacKey())) throw altered('the keyring does not match its keyed hash');
        return decoded;
      });
      this.#keyrings.set(blob, keyring);
    }
    const keyring = this.#keyrings.get(blob);
    for (const parent of new Set(parents.map((facts) => facts.keyring))) {
      const before = parent === undefined ? undefined : this.#keyrings.get(parent);
      if (!keyring || !before || parent === undefined || parent === blob) continue;
      await this.#findings.check('keyring', { oid: blob, since: oid }, () => checkSuccession({ oid: parent, keyring: before }, { oid: blob, keyring }));
    }
    return keyring;
  }

  #epochOf(keyring: Keyring): Epoch | undefined {
    return this.#vault.keys.epochByTag(tagOf(keyring));
  }

  #checkRecord(oid: Oid, commit: Commit, parents: readonly Facts[], own: Keyring | undefined): CommitRecord {
    const { record } = this.#vault.openCommit(oid, commit);
    if (own) checkRecordEpoch(oid, commit, tagOf(own));
    if (commit.timeSec % DAY_SEC !== 0 || parents.some(({ timeSec }) => timeSec > commit.timeSec)) {
      throw altered('the time of a commit is not a day, or is before that of a parent');
    }
    const sequences = parents.flatMap(({ sequence }) => sequence ?? []);
    const known = !this.#alone && sequences.length === commit.parents.length;
    if (known && record.sequence !== Math.max(-1, ...sequences) + 1) throw altered('the number of a commit does not follow from its parents');
    if (parents.some(({ generation }) => generation !== undefined && generation !== record.generation)) {
      throw altered('a commit is of another generation than its parents');
    }
    return record;
  }

  /** A commit is signed by the newest key of its first parent's keyring, which no other parent's is newer than; the first commit by the first key of its own. */
  async #checkSignature(oid: Oid, commit: Commit, own: Keyring | undefined): Promise<void> {
    const [first, ...others] = commit.parents;
    if (first === undefined) {
      if (own) checkSignature(oid, commit, own.epochs[0]!.publicKey);
      return;
    }
    if (this.#alone) return this.#vault.checkSignatureOf({ oid, commit });
    const standing = this.#standingAt(first);
    if (!standing) throw new MemgitError('CORRUPT', 'expected to check a signature by the keyring of the first parent, which is damaged or missing');
    for (const other of others.flatMap((parent) => this.#standingAt(parent) ?? [])) checkSuccession(other, standing);
    checkSignature(oid, commit, newestEpoch(standing.keyring).publicKey);
  }

  /** The keyring of a commit that was checked before; `undefined` when it is damaged or missing. */
  #standingAt(commit: Oid): Standing | undefined {
    const oid = this.#facts.get(commit)?.keyring;
    const keyring = oid && this.#keyrings.get(oid);
    return keyring && { oid, keyring };
  }
}

function tagOf(keyring: Keyring): Bytes {
  const { number, id } = newestEpoch(keyring);
  return encodeEpochId(number, id);
}

function altered(what: string): MemgitError {
  return new MemgitError('ALTERED', what);
}
