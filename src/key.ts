/** The ways in which a host program hands over a store's key. Nothing here reads files, the environment or a terminal. */
import { randomBytes } from 'node:crypto';
import { assertText } from './checks.ts';
import { formatKey, parseKey } from './crypto/key-text.ts';
import { KEY_BYTES } from './crypto/kdf.ts';
import { ready } from './crypto/sodium.ts';
import { MemgitError } from './errors.ts';
import type { Credential } from './vault/store-file.ts';

/** Fetches a key when it is needed, from a key service, say. */
export interface KeyProvider {
  /** @returns the 32 bytes of the key of the store with this id (32 hex digits) */
  getKey(store: { storeId: string }): Promise<Uint8Array>;
}

export interface KeyOptions {
  /**
   * The store's key: its text form (`memgit-key-…`), its 32 bytes, or something that fetches it. `undefined` ends in
   * KEY_MISSING, so that an unset environment variable can be passed straight in and no key is ever made up.
   */
  readonly key?: string | Uint8Array | KeyProvider | undefined;
  /** Instead of a key: the passphrase of a store that was made with one. */
  readonly passphrase?: string | undefined;
}

/** Makes a new random key in its text form. Whoever loses it has lost every memory in its store. */
export async function generateKey(): Promise<string> {
  await ready;
  return formatKey(randomBytes(KEY_BYTES));
}

const WRONG_KIND = 'key: expected text, 32 bytes, or a provider whose getKey gives bytes';

/** @throws KEY_MISSING, KEY_MALFORMED; TypeError when both a key and a passphrase are given, or a key is of another type */
export async function credentialOf({ key, passphrase }: KeyOptions, storeId: string): Promise<Credential> {
  if (key !== undefined && passphrase !== undefined) throw new TypeError('expected a key or a passphrase, got both');
  if (passphrase !== undefined) {
    assertText('passphrase', passphrase);
    return { passphrase };
  }
  if (key === undefined) {
    throw new MemgitError('KEY_MISSING', 'expected the key of the store, got none; without its key, or a copy of it, a store cannot be read by anyone', {
      details: { storeId },
    });
  }
  if (typeof key === 'string') return { key: parseKey(key) };
  const bytes = key instanceof Uint8Array ? key : await providerOf(key).getKey({ storeId });
  if (!(bytes instanceof Uint8Array)) throw new TypeError(WRONG_KIND);
  if (bytes.length !== KEY_BYTES) throw new MemgitError('KEY_MALFORMED', `expected a key of ${KEY_BYTES} bytes, got ${bytes.length}`);
  if (bytes.every((byte) => byte === 0)) throw new MemgitError('KEY_MALFORMED', 'expected a random key, got zeros only; was the buffer ever filled?');
  return { key: bytes };
}

function providerOf(key: KeyProvider | null): KeyProvider {
  if (typeof key?.getKey !== 'function') throw new TypeError(WRONG_KIND);
  return key;
}
