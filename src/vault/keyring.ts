/**
 * The keyring `memgit.json` (docs/FORMAT.md, "Keyring"): a vault's public facts and its wrapped keys, as data. Parsing
 * checks the grammar, the repository id and the chain of signing keys; nothing here needs or holds a secret.
 */
import { equalBytes, toBase64, toHex, type Bytes } from '../bytes.ts';
import { BOX_KEY_BYTES, BOX_OVERHEAD_BYTES } from '../crypto/box.ts';
import { KEY_BYTES } from '../crypto/kdf.ts';
import { epochHandover, PUBLIC_KEY_BYTES, repositoryIdOf, SEED_BYTES, SIGNATURE_BYTES, verify } from '../crypto/signature.ts';
import { WRAPPED_BYTES } from '../crypto/wrap.ts';
import { encodeEpochId, EPOCH_ID_BYTES, KEY_CHECK_BYTES } from './epoch.ts';
import { base64, count, decodeSigned, encodeSigned, fieldsOf, FORMAT_VERSION, hex, list, malformed, word, type Malformed } from './json.ts';
import { decodeIdentity, encodeIdentity, VAULT_ID_BYTES, type StoreIdentity } from './store-file.ts';

export const KEYRING_NAME = 'memgit.json';
export const REPOSITORY_ID_BYTES = 32;
export const SLOT_ID_BYTES = 8;
export const EPOCH_TAG_BYTES = 4 + EPOCH_ID_BYTES;
const MAX_SLOTS = 256;
/** Every opening checks one signature an epoch. */
const MAX_EPOCHS = 1024;

/** `repository id(32) || epoch(12) || role(1) || epoch key(32) || signing seed(32)`, sealed to a slot. */
export const BOX_BYTES = REPOSITORY_ID_BYTES + EPOCH_TAG_BYTES + 1 + KEY_BYTES + SEED_BYTES + BOX_OVERHEAD_BYTES;

/** One way into a vault: an X25519 key pair. `data` is the wrapped private half (kind `store`), or empty where a recipient holds it. */
export interface VaultSlot {
  readonly id: Bytes;
  /** `store` and `recipient` in this version; others are kept and skipped. */
  readonly kind: string;
  readonly publicKey: Bytes;
  readonly data: Bytes;
}

export interface KeyringEpoch {
  readonly number: number;
  readonly id: Bytes;
  /** Ed25519, 32 bytes. */
  readonly publicKey: Bytes;
  /** By the epoch before, over the handover; empty for epoch 1. */
  readonly signature: Bytes;
  readonly check: Bytes;
  /** The key of the epoch before, wrapped under this one's; empty for epoch 1. */
  readonly previousKey: Bytes;
  /** One for each slot in the newest epoch, none in an older one, whose key is reached through `previousKey`. */
  readonly boxes: readonly { readonly slot: Bytes; readonly box: Bytes }[];
}

export interface KeyringFacts {
  readonly repositoryId: Bytes;
  /** The opaque folder name (20 bytes), from which the store derives this vault's wrap key: a clone may have lost its folder. */
  readonly vaultId: Bytes;
  /** Grows with every change of the keyring; never lower than any parent's. */
  readonly counter: number;
  /** The sealed user id. */
  readonly label: Bytes;
  readonly store: StoreIdentity;
  readonly slots: readonly VaultSlot[];
  /** Oldest first, numbered from 1. */
  readonly epochs: readonly KeyringEpoch[];
}

export interface Keyring extends KeyringFacts {
  /** Whether the keyed hash is right under the newest epoch's key. */
  readonly hasMac: (macKey: Bytes) => boolean;
}

export function newestEpoch(keyring: KeyringFacts): KeyringEpoch {
  return keyring.epochs.at(-1)!;
}

export function encodeKeyring(facts: KeyringFacts, macKey: Bytes): Bytes {
  return encodeSigned(
    {
      format: FORMAT_VERSION,
      repository: toHex(facts.repositoryId),
      vault: toHex(facts.vaultId),
      counter: facts.counter,
      label: toBase64(facts.label),
      store: encodeIdentity(facts.store),
      slots: facts.slots.map((slot) => ({ id: toHex(slot.id), kind: slot.kind, publicKey: toBase64(slot.publicKey), data: toBase64(slot.data) })),
      epochs: facts.epochs.map((epoch) => ({
        number: epoch.number,
        id: toHex(epoch.id),
        publicKey: toBase64(epoch.publicKey),
        signature: toBase64(epoch.signature),
        check: toHex(epoch.check),
        previousKey: toBase64(epoch.previousKey),
        boxes: epoch.boxes.map(({ slot, box }) => ({ slot: toHex(slot), box: toBase64(box) })),
      })),
    },
    macKey,
  );
}

const FIELDS = ['format', 'repository', 'vault', 'counter', 'label', 'store', 'slots', 'epochs'] as const;
const SLOT_FIELDS = ['id', 'kind', 'publicKey', 'data'] as const;
const EPOCH_FIELDS = ['number', 'id', 'publicKey', 'signature', 'check', 'previousKey', 'boxes'] as const;

/** @throws CORRUPT, or UNSUPPORTED_VERSION for a later format */
export function decodeKeyring(bytes: Bytes): Keyring {
  const fail = malformed('the keyring');
  const signed = decodeSigned(bytes, fail);
  const fields = fieldsOf(signed.fields, FIELDS, () => fail('its fields are not those of a keyring'));
  const slots = list(fields.slots, MAX_SLOTS, () => fail('its slots are malformed')).map((slot) => decodeSlot(slot, fail));
  const epochs = list(fields.epochs, MAX_EPOCHS, () => fail('its epochs are malformed')).map((epoch) => decodeEpoch(epoch, fail));
  const keyring: Keyring = {
    repositoryId: hex(fields.repository, REPOSITORY_ID_BYTES, () => fail('its repository id is malformed')),
    vaultId: hex(fields.vault, VAULT_ID_BYTES, () => fail('its vault id is malformed')),
    counter: count(fields.counter, () => fail('its counter is malformed')),
    label: base64(fields.label, undefined, () => fail('its label is malformed')),
    store: decodeIdentity(fields.store, fail),
    slots,
    epochs,
    hasMac: signed.hasMac,
  };
  checkChain(keyring, fail);
  checkBoxes(keyring, fail);
  return keyring;
}

/** The repository id follows from the first public key, and each later key is signed by the one before it. */
function checkChain({ repositoryId, epochs }: KeyringFacts, fail: Malformed): void {
  const first = epochs[0];
  if (!first || !equalBytes(repositoryIdOf(first.publicKey), repositoryId)) throw fail('its repository id is not that of its first signing key');
  epochs.forEach((epoch, index) => {
    if (epoch.number !== index + 1) throw fail('its epochs are not numbered from 1');
    const previous = epochs[index - 1];
    if ((epoch.signature.length === 0) !== (previous === undefined) || (epoch.previousKey.length === 0) !== (previous === undefined)) {
      throw fail('an epoch does not follow from the one before it');
    }
    if (!previous) return;
    const handover = epochHandover(repositoryId, encodeEpochId(epoch.number, epoch.id), epoch.publicKey);
    if (!verify(epoch.signature, handover, previous.publicKey)) throw fail('an epoch is not signed by the one before it');
  });
}

function checkBoxes({ slots, epochs }: KeyringFacts, fail: Malformed): void {
  const ids = slots.map((slot) => toHex(slot.id));
  if (new Set(ids).size !== ids.length) throw fail('two slots have one id');
  if (slots.filter(({ kind }) => kind === 'store').length > 1) throw fail('two slots are for its store');
  epochs.forEach((epoch, index) => {
    const expected = index === epochs.length - 1 ? ids : [];
    if (epoch.boxes.map(({ slot }) => toHex(slot)).join() !== expected.join()) throw fail('its sealed boxes do not match its slots');
  });
}

function decodeSlot(value: unknown, fail: Malformed): VaultSlot {
  const bad = () => fail('a slot is malformed');
  const fields = fieldsOf(value, SLOT_FIELDS, bad);
  const kind = word(fields.kind, bad);
  const dataBytes = kind === 'store' ? WRAPPED_BYTES : kind === 'recipient' ? 0 : undefined;
  return {
    id: hex(fields.id, SLOT_ID_BYTES, bad),
    kind,
    publicKey: base64(fields.publicKey, BOX_KEY_BYTES, bad),
    data: base64(fields.data, dataBytes, bad),
  };
}

function decodeEpoch(value: unknown, fail: Malformed): KeyringEpoch {
  const bad = () => fail('an epoch is malformed');
  const fields = fieldsOf(value, EPOCH_FIELDS, bad);
  const optional = (field: unknown, length: number) => (field === '' ? new Uint8Array() : base64(field, length, bad));
  return {
    number: count(fields.number, bad),
    id: hex(fields.id, EPOCH_ID_BYTES, bad),
    publicKey: base64(fields.publicKey, PUBLIC_KEY_BYTES, bad),
    signature: optional(fields.signature, SIGNATURE_BYTES),
    check: hex(fields.check, KEY_CHECK_BYTES, bad),
    previousKey: optional(fields.previousKey, WRAPPED_BYTES),
    boxes: list(fields.boxes, MAX_SLOTS, bad).map((box) => {
      const { slot, box: sealed } = fieldsOf(box, ['slot', 'box'], bad);
      return { slot: hex(slot, SLOT_ID_BYTES, bad), box: base64(sealed, BOX_BYTES, bad) };
    }),
  };
}
