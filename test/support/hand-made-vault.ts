/**
 * Vaults put together by hand, object by object, for what this version reads but does not write yet (several epochs, recipients,
 * readers, merges) and for what nobody may write. Every choice that `VaultRepository` makes by itself is an argument here.
 */
import { concat, toBase64, type Bytes } from '../../src/bytes.ts';
import { generateBoxKeyPair, type BoxKeyPair } from '../../src/crypto/box.ts';
import { LABELS } from '../../src/crypto/labels.ts';
import { epochHandover, repositoryIdOf, sign, signingKeyFromSeed, type SigningKey } from '../../src/crypto/signature.ts';
import { signSsh } from '../../src/crypto/sshsig.ts';
import type { RandomSource } from '../../src/crypto/sodium.ts';
import { wrapKey } from '../../src/crypto/wrap.ts';
import { encodeCommit, signedPayload } from '../../src/git/commit.ts';
import { encodeTree, oidOf, type GitObject, type Oid, type TreeEntry } from '../../src/git/objects.ts';
import { Repository } from '../../src/git/repository.ts';
import { directoryEntry, encodeEntry, fileEntry } from '../../src/vault/entry.ts';
import { encodeEpochId, Epoch } from '../../src/vault/epoch.ts';
import { encodeKeyring, type KeyringEpoch, type KeyringFacts, type VaultSlot } from '../../src/vault/keyring.ts';
import { previousEpochContext, sealEpochBox, sealLabel, type Role } from '../../src/vault/keys.ts';
import { parsePath } from '../../src/vault/path.ts';
import { encodePayload } from '../../src/vault/payload.ts';
import { encodeRecord, type CommitRecord } from '../../src/vault/record.ts';
import { createStore, vaultIdOf, vaultWrapKey, type StoreIdentity } from '../../src/vault/store-file.ts';

/** A store with one key, and what it derives for one user. */
export interface HandStore {
  readonly key: Bytes;
  readonly secret: Bytes;
  readonly identity: StoreIdentity;
  readonly userId: string;
  readonly vaultId: Bytes;
  readonly wrapKey: Bytes;
}

export async function makeStore(userId: string, random: RandomSource): Promise<HandStore> {
  const key = random(32);
  const { identity, secret } = await createStore({ key }, 'derived', random);
  const vaultId = vaultIdOf(secret, userId);
  return { key, secret, identity, userId, vaultId, wrapKey: vaultWrapKey(secret, vaultId) };
}

/** An epoch with all of its secrets. */
export interface HandEpoch {
  readonly epoch: Epoch;
  readonly seed: Bytes;
  readonly signingKey: SigningKey;
}

export function makeEpoch(number: number, random: RandomSource, repositoryId?: Bytes): HandEpoch {
  const seed = random(32);
  const signingKey = signingKeyFromSeed(seed);
  const facts = { number, id: random(8), publicKey: signingKey.publicKey, repositoryId: repositoryId ?? repositoryIdOf(signingKey.publicKey) };
  return { epoch: new Epoch(facts, random(32), signingKey), seed, signingKey };
}

/** A slot, and what its sealed box lets its holder do. */
export interface HandSlot {
  readonly slot: VaultSlot;
  readonly role: Role;
  readonly pair: BoxKeyPair;
}

export function makeSlot(kind: string, role: Role, random: RandomSource, data: Bytes = new Uint8Array()): HandSlot {
  const pair = generateBoxKeyPair(random);
  return { slot: { id: random(8), kind, publicKey: pair.publicKey, data }, role, pair };
}

export function makeStoreSlot(repositoryId: Bytes, wrappingKey: Bytes, random: RandomSource): HandSlot {
  const made = makeSlot('store', 'writer', random);
  const context = { label: LABELS.vaultStoreSlot, context: concat(repositoryId, made.slot.id, made.slot.publicKey) };
  return { ...made, slot: { ...made.slot, data: wrapKey(made.pair.privateKey, wrappingKey, context, random) } };
}

export interface KeyringParts {
  readonly store: Pick<HandStore, 'identity' | 'vaultId' | 'userId'>;
  readonly counter: number;
  readonly slots: readonly HandSlot[];
  readonly epochs: readonly HandEpoch[];
  /** Sealed boxes made before, by the order of slots: they come out different each time. */
  readonly boxes?: readonly Bytes[];
}

/** The keyring of these parts, changed by `change` before it is encoded. */
export function makeKeyring(parts: KeyringParts, random: RandomSource, change: (facts: KeyringFacts) => KeyringFacts = (facts) => facts): Bytes {
  const newest = parts.epochs.at(-1)!;
  const { repositoryId } = newest.epoch.facts;
  const epochs = parts.epochs.map((made, index): KeyringEpoch => {
    const { epoch } = made;
    const before = parts.epochs[index - 1];
    const boxes = made === newest ? parts.slots.map(({ slot, role }, i) => ({ slot: slot.id, box: parts.boxes?.[i] ?? sealEpochBox(epoch, role, made.seed, slot.publicKey) })) : [];
    return {
      number: epoch.facts.number, id: epoch.facts.id, publicKey: epoch.facts.publicKey, check: epoch.keyCheck(), boxes,
      signature: before ? sign(epochHandover(repositoryId, encodeEpochId(epoch.facts.number, epoch.facts.id), epoch.facts.publicKey), before.signingKey) : new Uint8Array(),
      previousKey: before ? wrapKey(before.epoch.key, epoch.epochWrapKey(), previousEpochContext(epoch), random) : new Uint8Array(),
    };
  });
  const { identity, vaultId, userId } = parts.store;
  const label = sealLabel(userId, newest.epoch, random);
  const facts = { repositoryId, vaultId, counter: parts.counter, label, store: identity, slots: parts.slots.map(({ slot }) => slot), epochs };
  return encodeKeyring(change(facts), newest.epoch.keyringMacKey());
}

/** What is sealed for a file under a displayed path, or for an empty directory when there is no content. */
export async function entryPlaintext(path: string, content: string | Uint8Array | undefined): Promise<Bytes> {
  if (content === undefined) return encodeEntry(directoryEntry(parsePath(path)));
  const bytes = Buffer.from(content);
  return encodeEntry(fileEntry(parsePath(path), bytes.length, await encodePayload(bytes, 'deflate', undefined)));
}

export interface CommitParts {
  readonly tree: Oid;
  readonly parents?: readonly Oid[];
  readonly record?: Partial<CommitRecord>;
  /** The envelope of the record; made from `record` and `sealIn` when it is left out. */
  readonly envelope?: Bytes;
  readonly sealIn: Epoch;
  readonly signWith?: SigningKey;
  /** Instead of `signWith`: a signature from elsewhere. */
  readonly signature?: string;
}

const RECORD: CommitRecord = { op: 'create', paths: [], timeMs: Date.UTC(2026, 10, 30, 12), sequence: 0, generation: 0, addedBytes: 0, removedBytes: 0 };

/** Collects objects and then writes them all as one repository. */
export class HandMadeVault {
  readonly #objects = new Map<Oid, GitObject>();
  readonly #random: RandomSource;

  constructor(random: RandomSource) {
    this.#random = random;
  }

  add(type: GitObject['type'], body: Bytes): Oid {
    const oid = oidOf(type, body);
    this.#objects.set(oid, { type, body });
    return oid;
  }

  /** A tree of a keyring and entries by name. */
  tree(keyring: Bytes, entries: Readonly<Record<string, Oid>> = {}): Oid {
    const fans = new Map<string, TreeEntry[]>();
    for (const [name, oid] of Object.entries(entries)) {
      fans.set(name.charAt(0), [...(fans.get(name.charAt(0)) ?? []), { mode: '100644', name: name.slice(1), oid }]);
    }
    const subtrees = [...fans].map(([fan, inner]): TreeEntry => ({ mode: '40000', name: fan, oid: this.add('tree', encodeTree(inner)) }));
    return this.add('tree', encodeTree([{ mode: '100644', name: 'memgit.json', oid: this.add('blob', keyring) }, ...subtrees]));
  }

  /** Entries of one epoch, sealed, by name: what `tree` takes. */
  async entries(epoch: Epoch, files: Readonly<Record<string, string | Uint8Array | undefined>>): Promise<Record<string, Oid>> {
    const named: Record<string, Oid> = {};
    for (const [path, content] of Object.entries(files)) {
      named[epoch.nameOf(parsePath(path))] = this.add('blob', epoch.seal('entry', await entryPlaintext(path, content), this.#random));
    }
    return named;
  }

  /** Leaves an object out of what is saved. */
  forget(oid: Oid): void {
    this.#objects.delete(oid);
  }

  body(oid: Oid): Bytes {
    return this.#objects.get(oid)!.body;
  }

  commit({ tree, parents = [], record = {}, envelope, sealIn, signWith, signature: given }: CommitParts): Oid {
    const full = { ...RECORD, ...record };
    const sealed = envelope ?? sealIn.seal('record', encodeRecord(full), this.#random);
    const unsigned = { tree, parents, timeSec: Math.floor(full.timeMs / 86_400_000) * 86_400, message: `memgit\n\n${toBase64(sealed)}\n` };
    const signature = signWith ? signSsh(signedPayload(unsigned), signWith) : given;
    return this.add('commit', encodeCommit(signature === undefined ? unsigned : { ...unsigned, signature }));
  }

  async save(gitdir: string, head: Oid): Promise<void> {
    const repository = await Repository.create(gitdir, { objects: [...this.#objects.values()], head });
    await repository.close();
  }
}
