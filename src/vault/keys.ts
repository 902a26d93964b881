/**
 * From a keyring and a way in to the epochs' keys, and back: opening a keyring, and making the first one of a vault.
 */
import { concat, equalBytes, toHex, utf8, utf8Decode, type Bytes } from '../bytes.ts';
import { boxPublicKey, generateBoxKeyPair, openBox, sealBox } from '../crypto/box.ts';
import { KEY_BYTES } from '../crypto/kdf.ts';
import { LABELS } from '../crypto/labels.ts';
import { repositoryIdOf, SEED_BYTES, signingKeyFromSeed } from '../crypto/signature.ts';
import type { RandomSource } from '../crypto/sodium.ts';
import { unwrapKey, wrapKey } from '../crypto/wrap.ts';
import { MemgitError } from '../errors.ts';
import { encodeEpochId, Epoch, EPOCH_ID_BYTES, type EpochFacts } from './epoch.ts';
import { encodeKeyring, EPOCH_TAG_BYTES, newestEpoch, REPOSITORY_ID_BYTES, SLOT_ID_BYTES, type Keyring, type KeyringEpoch, type VaultSlot } from './keyring.ts';
import { isPadding, pad } from './padding.ts';
import type { StoreIdentity } from './store-file.ts';

export const ROLES = { writer: 1, reader: 2 } as const;
export type Role = keyof typeof ROLES;

/** A way into a vault: the wrap key (32 bytes) that the store derives for it, or a recipient's own X25519 private key. */
export type Unlock = { readonly wrapKey: Bytes } | { readonly privateKey: Bytes };

/** An open keyring: the keys of every epoch, the user whose vault it is, and what the way in allows. */
export interface VaultKeys {
  readonly keyring: Keyring;
  readonly repositoryId: Bytes;
  readonly role: Role;
  readonly userId: string;
  /** The newest epoch: what is written is sealed and signed in it. */
  readonly epoch: Epoch;
  /** Any epoch by the 12 bytes that name it; `undefined` for one that is not in the keyring. */
  epochByTag(tag: Bytes): Epoch | undefined;
}

export const MAX_USER_ID_BYTES = 512;
const LABEL_STEP_BYTES = 128;

/**
 * Opens a keyring.
 *
 * @throws WRONG_KEY when no slot is for this way in; DAMAGED_SLOT when the slot is damaged; ALTERED when the slot opens
 *   and a box, a key check or the keyed hash does not agree with it
 */
export function openKeyring(keyring: Keyring, unlock: Unlock): VaultKeys {
  const { slot, privateKey } = openSlot(keyring, unlock);
  const newest = newestEpoch(keyring);
  const box = newest.boxes.find((candidate) => equalBytes(candidate.slot, slot.id))!.box;
  const opened = openBox(box, { publicKey: slot.publicKey, privateKey });
  const { role, key, signingKey } = readBox(opened, keyring, newest);

  const epochs = new Map<string, Epoch>();
  let epochKey = key;
  for (const entry of [...keyring.epochs].reverse()) {
    const epoch = new Epoch(factsOf(keyring, entry), epochKey, entry === newest ? signingKey : undefined);
    if (!equalBytes(epoch.keyCheck(), entry.check)) throw altered('a key check does not match');
    epochs.set(epoch.id, epoch);
    if (entry.previousKey.length > 0) epochKey = unwrapPrevious(entry, epoch);
  }
  const epoch = epochs.get(toHex(encodeEpochId(newest.number, newest.id)))!;
  if (!keyring.hasMac(epoch.keyringMacKey())) throw altered('its keyed hash does not match');
  return {
    keyring, repositoryId: keyring.repositoryId, role, epoch,
    userId: openLabel(keyring, epoch),
    epochByTag: (tag) => epochs.get(toHex(tag)),
  };
}

/** The first's keys, with the epochs of the second as well: for reading two lines of a history that changed its keys. */
export function joinKeys(first: VaultKeys, second: VaultKeys): VaultKeys {
  if (first.keyring === second.keyring) return first;
  return { ...first, epochByTag: (tag) => first.epochByTag(tag) ?? second.epochByTag(tag) };
}

export interface NewKeyring {
  readonly userId: string;
  readonly vaultId: Bytes;
  readonly store: StoreIdentity;
  readonly wrapKey: Bytes;
}

/** Makes the first keyring of a vault: one `store` slot, one epoch. Returns its bytes. */
export function createKeyring({ userId, vaultId, store, wrapKey: wrappingKey }: NewKeyring, random: RandomSource): Bytes {
  const seed = random(SEED_BYTES);
  const signingKey = signingKeyFromSeed(seed);
  const repositoryId = repositoryIdOf(signingKey.publicKey);
  const facts: EpochFacts = { number: 1, id: random(EPOCH_ID_BYTES), repositoryId, publicKey: signingKey.publicKey };
  const epoch = new Epoch(facts, random(KEY_BYTES), signingKey);

  const pair = generateBoxKeyPair(random);
  const id = random(SLOT_ID_BYTES);
  const data = wrapKey(pair.privateKey, wrappingKey, slotContext(repositoryId, { id, publicKey: pair.publicKey }), random);
  const slot: VaultSlot = { id, kind: 'store', publicKey: pair.publicKey, data };
  const first: KeyringEpoch = {
    number: facts.number, id: facts.id, publicKey: facts.publicKey, check: epoch.keyCheck(),
    signature: new Uint8Array(), previousKey: new Uint8Array(),
    boxes: [{ slot: id, box: sealEpochBox(epoch, 'writer', seed, pair.publicKey) }],
  };
  const label = sealLabel(userId, epoch, random);
  return encodeKeyring({ repositoryId, vaultId, counter: 1, label, store, slots: [slot], epochs: [first] }, epoch.keyringMacKey());
}

/** Seals an epoch's secrets to a slot. A reader's box holds zeros for the signing seed and has the same length. */
export function sealEpochBox(epoch: Epoch, role: Role, seed: Bytes, publicKey: Bytes): Bytes {
  const signingSeed = role === 'writer' ? seed : new Uint8Array(SEED_BYTES);
  return sealBox(concat(epoch.facts.repositoryId, epoch.tag, new Uint8Array([ROLES[role]]), epoch.key, signingSeed), publicKey);
}

/** What the previous epoch's key is wrapped for: bound to the repository and to the epoch that wraps it. */
export function previousEpochContext(epoch: Epoch) {
  return { label: LABELS.previousEpoch, context: concat(epoch.facts.repositoryId, epoch.tag) };
}

/**
 * The sealed user id: `length(2, big endian) || UTF-8`, padded with zeros to a multiple of 128 bytes.
 *
 * @throws RangeError when the id is longer than 512 bytes, TypeError when it is ill-formed
 */
export function sealLabel(userId: string, epoch: Epoch, random: RandomSource): Bytes {
  const bytes = utf8(userId);
  if (bytes.length > MAX_USER_ID_BYTES) throw new RangeError(`user id: expected at most ${MAX_USER_ID_BYTES} bytes, got ${bytes.length}`);
  const body = concat(new Uint8Array([bytes.length >> 8, bytes.length & 255]), bytes);
  return epoch.seal('label', pad(body, paddedLabelLength(body.length)), random);
}

function paddedLabelLength(length: number): number {
  return Math.ceil(length / LABEL_STEP_BYTES) * LABEL_STEP_BYTES;
}

function openSlot(keyring: Keyring, unlock: Unlock): { slot: VaultSlot; privateKey: Bytes } {
  if ('privateKey' in unlock) {
    const publicKey = boxPublicKey(unlock.privateKey);
    const slot = keyring.slots.find((candidate) => candidate.kind === 'recipient' && equalBytes(candidate.publicKey, publicKey));
    if (!slot) throw new MemgitError('WRONG_KEY', 'no slot of this vault is for this recipient; open it with the key of its store');
    return { slot, privateKey: unlock.privateKey };
  }
  const slot = keyring.slots.find((candidate) => candidate.kind === 'store');
  if (!slot) throw new MemgitError('WRONG_KEY', 'this vault has no slot for its store; open it as one of its recipients');
  return { slot, privateKey: unwrapKey(slot.data, unlock.wrapKey, slotContext(keyring.repositoryId, slot)) };
}

function slotContext(repositoryId: Bytes, slot: Pick<VaultSlot, 'id' | 'publicKey'>) {
  return { label: LABELS.vaultStoreSlot, context: concat(repositoryId, slot.id, slot.publicKey) };
}

function readBox(opened: Bytes | undefined, keyring: Keyring, newest: KeyringEpoch) {
  if (opened === undefined) throw altered('a sealed box does not open with its slot');
  const place = concat(keyring.repositoryId, encodeEpochId(newest.number, newest.id));
  const roleAt = REPOSITORY_ID_BYTES + EPOCH_TAG_BYTES;
  const role = (Object.keys(ROLES) as Role[]).find((name) => ROLES[name] === opened[roleAt]);
  if (!equalBytes(opened.subarray(0, roleAt), place) || role === undefined) throw altered('a sealed box is of another vault or epoch');
  const key = opened.subarray(roleAt + 1, roleAt + 1 + KEY_BYTES);
  const seed = opened.subarray(roleAt + 1 + KEY_BYTES);
  if (role === 'reader') {
    if (!isPadding(seed)) throw altered("a reader's sealed box holds more than it should");
    return { role, key, signingKey: undefined };
  }
  const signingKey = signingKeyFromSeed(seed);
  if (!equalBytes(signingKey.publicKey, newest.publicKey)) throw altered('its signing key is another one');
  return { role, key, signingKey };
}

function unwrapPrevious(entry: KeyringEpoch, epoch: Epoch): Bytes {
  try {
    return unwrapKey(entry.previousKey, epoch.epochWrapKey(), previousEpochContext(epoch));
  } catch (cause) {
    if (cause instanceof MemgitError && cause.code === 'WRONG_KEY') throw altered('an earlier epoch does not open');
    throw cause;
  }
}

function openLabel(keyring: Keyring, epoch: Epoch): string {
  const label = epoch.open('label', keyring.label);
  const length = ((label[0] ?? 0) << 8) | (label[1] ?? 0);
  const userId = utf8Decode(label.subarray(2, 2 + length));
  const padded = label.length === paddedLabelLength(2 + length) && isPadding(label.subarray(2 + length));
  if (userId === undefined || length > MAX_USER_ID_BYTES || !padded) {
    throw altered('its label is malformed');
  }
  return userId;
}

function factsOf(keyring: Keyring, { number, id, publicKey }: KeyringEpoch): EpochFacts {
  return { number, id, publicKey, repositoryId: keyring.repositoryId };
}

function altered(what: string): MemgitError {
  return new MemgitError('ALTERED', `the keyring was altered: ${what}; restore the vault from a backup`);
}
