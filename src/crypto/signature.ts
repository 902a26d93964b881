/** Ed25519 signatures, and what makes a repository's identity: the keyring's chain of signing keys. */
import { concat, utf8, type Bytes } from '../bytes.ts';
import { blake2b } from './kdf.ts';
import { LABELS } from './labels.ts';
import { sodium } from './sodium.ts';

export const SEED_BYTES = 32;
export const PUBLIC_KEY_BYTES = 32;
export const SIGNATURE_BYTES = 64;

/** A signing key in memory. Only its 32-byte seed is ever stored. */
export interface SigningKey {
  readonly publicKey: Bytes;
  readonly secretKey: Bytes;
}

export function signingKeyFromSeed(seed: Bytes): SigningKey {
  const { publicKey, privateKey } = sodium.crypto_sign_seed_keypair(seed);
  return { publicKey, secretKey: privateKey };
}

/** The seed that a signing key was made from: whoever has it can sign. */
export function seedOf({ secretKey }: SigningKey): Bytes {
  return secretKey.subarray(0, SEED_BYTES);
}

export function sign(message: Bytes, key: SigningKey): Bytes {
  return sodium.crypto_sign_detached(message, key.secretKey);
}

/** Verifies as libsodium does: non-canonical signatures and small-order keys are refused. */
export function verify(signature: Bytes, message: Bytes, publicKey: Bytes): boolean {
  try {
    return sodium.crypto_sign_verify_detached(signature, message, publicKey);
  } catch {
    return false;
  }
}

/** Repository id (32 bytes) = BLAKE2b-256("memgit1" || public signing key of epoch 1). */
export function repositoryIdOf(firstPublicKey: Bytes): Bytes {
  return blake2b(32, concat(utf8(LABELS.repositoryId), firstPublicKey));
}

/** What an epoch's key signs to hand over to the next: `label || 0x00 || repository id || epoch(12) || public key`. */
export function epochHandover(repositoryId: Bytes, epoch: Bytes, publicKey: Bytes): Bytes {
  return concat(utf8(LABELS.epochSignature), new Uint8Array([0]), repositoryId, epoch, publicKey);
}
