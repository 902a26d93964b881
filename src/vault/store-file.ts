/**
 * `store.json` (docs/FORMAT.md, "Store"): the store's id and the slots that wrap its one random secret. From the secret
 * come the vaults' folder names and their wrap keys, so changing a slot moves nothing. Bytes in, bytes out: no I/O.
 */
import { concat, toBase64, toHex, utf8, type Bytes } from '../bytes.ts';
import { blake2b, deriveKey, KEY_BYTES } from '../crypto/kdf.ts';
import { LABELS } from '../crypto/labels.ts';
import { keyFromPassphrase, SALT_BYTES, SCRYPT_DEFAULTS, type ScryptParameters } from '../crypto/passphrase.ts';
import type { RandomSource } from '../crypto/sodium.ts';
import { unwrapKey, wrapKey, WRAPPED_BYTES } from '../crypto/wrap.ts';
import { MemgitError } from '../errors.ts';
import { base64, count, decodeSigned, encodeSigned, fieldsOf, FORMAT_VERSION, hex, list, malformed, word, type Malformed } from './json.ts';

export const STORE_ID_BYTES = 16;
const SLOT_ID_BYTES = 8;
export const VAULT_ID_BYTES = 20;
/** Bounds what a hostile file can have derived: each passphrase slot is tried. */
const MAX_SLOTS = 16;
const MAX_URL_CHARS = 2048;

/** One way into a store. `data` is the wrapped secret; `params` is empty, or what a passphrase needs. */
export interface StoreSlot {
  readonly id: Bytes;
  /** `key` and `passphrase` in this version; others are kept and skipped. */
  readonly kind: string;
  readonly params: readonly (string | number)[];
  readonly data: Bytes;
}

export type UserKeys = 'derived' | 'separate';

/** What a store says of itself; a copy stands in every vault's keyring, so that a backup and a key are enough. */
export interface StoreIdentity {
  readonly id: Bytes;
  readonly userKeys: UserKeys;
  readonly slots: readonly StoreSlot[];
}

/** What opens a slot. */
export type Credential = { readonly key: Bytes } | { readonly passphrase: string };

/** A store whose secret is known. */
export interface OpenedStore {
  readonly identity: StoreIdentity;
  readonly secret: Bytes;
  /** Where the backups of its vaults go, if anywhere: an address in which `{vault}` stands for the vault's opaque name. Never with a secret. */
  readonly backup?: string | undefined;
}

export interface NewStoreOptions {
  /** 16 random bytes, where the caller has to know them before it can find the key. */
  readonly id?: Bytes;
  readonly scrypt?: ScryptParameters;
}

export async function createStore(credential: Credential, userKeys: UserKeys, random: RandomSource, options: NewStoreOptions = {}): Promise<OpenedStore> {
  const { id = random(STORE_ID_BYTES), scrypt = SCRYPT_DEFAULTS } = options;
  const secret = random(KEY_BYTES);
  const slot = await wrapSlot(secret, id, credential, random, scrypt);
  return { identity: { id, userKeys, slots: [slot] }, secret };
}

export function encodeStoreFile({ identity, secret, backup }: OpenedStore): Bytes {
  const fields = { format: FORMAT_VERSION, ...encodeIdentity(identity), ...(backup === undefined ? {} : { backup: { url: backup } }) };
  return encodeSigned(fields, deriveKey(secret, LABELS.storeMac));
}

/**
 * Opens `store.json` with a key or a passphrase.
 *
 * @throws CORRUPT or UNSUPPORTED_VERSION for a file that is not canonical; WRONG_KEY when no slot opens; DAMAGED_SLOT
 *   when none opens and one of that kind is damaged; ALTERED when a slot opens and the keyed hash does not match
 */
export async function openStoreFile(bytes: Bytes, credential: Credential): Promise<OpenedStore> {
  const file = decodeStoreFile(bytes);
  const secret = await openStoreSlots(file.identity, credential);
  if (!file.hasMac(secret)) {
    throw new MemgitError('ALTERED', 'store.json was altered: its keyed hash does not match; restore it from a backup');
  }
  return { identity: file.identity, secret, ...(file.backup === undefined ? {} : { backup: file.backup }) };
}

/** Reads what `store.json` says without a key; who it is from is known only once `hasMac` is true. */
export function decodeStoreFile(bytes: Bytes): { identity: StoreIdentity; backup: string | undefined; hasMac: (secret: Bytes) => boolean } {
  const fail = malformed('store.json');
  const signed = decodeSigned(bytes, fail);
  const names = ['format', ...IDENTITY_FIELDS, ...('backup' in signed.fields ? (['backup'] as const) : [])] as const;
  const { format: _format, backup, ...identity } = fieldsOf(signed.fields, names, () => fail('its fields are not those of a store'));
  return {
    identity: decodeIdentity(identity, fail),
    backup: backup === undefined ? undefined : decodeBackup(backup, () => fail('its backup section is malformed')),
    hasMac: (secret) => signed.hasMac(deriveKey(secret, LABELS.storeMac)),
  };
}

function decodeBackup(value: unknown, fail: () => MemgitError): string {
  const { url } = fieldsOf(value, ['url'], fail);
  if (typeof url !== 'string' || url.length > MAX_URL_CHARS || !url.includes('{vault}')) throw fail();
  return url;
}

/** Tries every slot of the credential's kind. @throws WRONG_KEY when all are for other keys; else what was wrong with one of them */
export async function openStoreSlots(identity: StoreIdentity, credential: Credential): Promise<Bytes> {
  const kind = 'key' in credential ? 'key' : 'passphrase';
  const slots = identity.slots.filter((candidate) => candidate.kind === kind);
  if (slots.length === 0) {
    const kinds = identity.slots.map((slot) => slot.kind).join(', ');
    throw new MemgitError('WRONG_KEY', `no ${kind} opens this store; its ways in are: ${kinds}; give one of these`, { details: { storeId: toHex(identity.id), kind } });
  }
  let fault: MemgitError | undefined;
  for (const slot of slots) {
    try {
      return unwrapKey(slot.data, await slotKey(slot, credential), slotContext(identity.id, slot));
    } catch (error) {
      if (!(error instanceof MemgitError)) throw error;
      if (error.code !== 'WRONG_KEY') fault = error;
    }
  }
  if (fault) throw fault;
  throw new MemgitError('WRONG_KEY', `the ${kind} does not open this store; it is for another store, or the slot was tampered with; give the ${kind} that the store was made with`, {
    details: { storeId: toHex(identity.id), kind },
  });
}

const IDENTITY_FIELDS = ['store', 'userKeys', 'slots'] as const;

export function encodeIdentity({ id, userKeys, slots }: StoreIdentity): Record<string, unknown> {
  return {
    store: toHex(id),
    userKeys,
    slots: slots.map((slot) => ({ id: toHex(slot.id), kind: slot.kind, params: slot.params, data: toBase64(slot.data) })),
  };
}

export function decodeIdentity(value: unknown, fail: Malformed): StoreIdentity {
  const fields = fieldsOf(value, IDENTITY_FIELDS, () => fail('its fields are not those of a store'));
  const { userKeys } = fields;
  if (userKeys !== 'derived' && userKeys !== 'separate') throw fail('userKeys is neither "derived" nor "separate"');
  const slots = list(fields.slots, MAX_SLOTS, () => fail('its slots are malformed')).map((slot) => decodeSlot(slot, fail));
  if (new Set(slots.map((slot) => toHex(slot.id))).size !== slots.length) throw fail('two slots have one id');
  return { id: hex(fields.store, STORE_ID_BYTES, () => fail('its store id is malformed')), userKeys, slots };
}

/** The folder name of a user's vault (20 bytes): keyed BLAKE2b of the user id's exact bytes. @throws TypeError on ill-formed UTF-16 */
export function vaultIdOf(secret: Bytes, userId: string): Bytes {
  return blake2b(VAULT_ID_BYTES, utf8(userId), deriveKey(secret, LABELS.vaultId));
}

/** The key (32 bytes) that opens the `store` slot of one vault; it differs for every vault. */
export function vaultWrapKey(secret: Bytes, vaultId: Bytes): Bytes {
  return deriveKey(secret, LABELS.vaultWrap, vaultId);
}

async function wrapSlot(secret: Bytes, storeId: Bytes, credential: Credential, random: RandomSource, scrypt: ScryptParameters): Promise<StoreSlot> {
  const slot = 'key' in credential
    ? { id: random(SLOT_ID_BYTES), kind: 'key', params: [] }
    : { id: random(SLOT_ID_BYTES), kind: 'passphrase', params: ['scrypt', scrypt.n, scrypt.r, scrypt.p, toBase64(random(SALT_BYTES))] };
  const data = wrapKey(secret, await slotKey(slot, credential), slotContext(storeId, slot), random);
  return { ...slot, data };
}

async function slotKey(slot: Omit<StoreSlot, 'data'>, credential: Credential): Promise<Bytes> {
  if ('key' in credential) return credential.key;
  const { salt, ...parameters } = passphraseParams(slot.params);
  return keyFromPassphrase(credential.passphrase, salt, parameters);
}

/** Binds a wrapped secret to its store, its slot and its parameters, so that none of them can be exchanged. */
function slotContext(storeId: Bytes, slot: Omit<StoreSlot, 'data'>) {
  const label = slot.kind === 'key' ? LABELS.storeKeySlot : LABELS.storePassphraseSlot;
  return { label, context: concat(storeId, slot.id, utf8(JSON.stringify(slot.params))) };
}

function decodeSlot(value: unknown, fail: Malformed): StoreSlot {
  const malformedSlot = () => fail('a slot is malformed');
  const fields = fieldsOf(value, ['id', 'kind', 'params', 'data'], malformedSlot);
  const params = list(fields.params, 8, malformedSlot);
  if (!params.every((param): param is string | number => (typeof param === 'string' && param.length <= 256) || Number.isSafeInteger(param))) {
    throw malformedSlot();
  }
  const kind = word(fields.kind, malformedSlot);
  const known = kind === 'key' || kind === 'passphrase';
  if (kind === 'key' && params.length > 0) throw malformedSlot();
  if (kind === 'passphrase') passphraseParams(params);
  return { id: hex(fields.id, SLOT_ID_BYTES, malformedSlot), kind, params, data: base64(fields.data, known ? WRAPPED_BYTES : undefined, malformedSlot) };
}

function passphraseParams(params: readonly (string | number)[]): ScryptParameters & { salt: Bytes } {
  const fail = () => malformed('store.json')('a passphrase slot is malformed');
  const [kdf, n, r, p, salt] = params;
  if (params.length !== 5 || kdf !== 'scrypt') throw fail();
  return { n: count(n, fail), r: count(r, fail), p: count(p, fail), salt: base64(salt, SALT_BYTES, fail) };
}
