/** Slots' key pairs: X25519, and libsodium's anonymous sealed boxes to their public halves. */
import type { Bytes } from '../bytes.ts';
import { sodium, type RandomSource } from './sodium.ts';

export const BOX_KEY_BYTES = 32;
/** What a sealed box adds to its plaintext: an ephemeral public key (32) and a tag (16). */
export const BOX_OVERHEAD_BYTES = 48;

export interface BoxKeyPair {
  readonly publicKey: Bytes;
  readonly privateKey: Bytes;
}

export function generateBoxKeyPair(random: RandomSource): BoxKeyPair {
  const privateKey = random(BOX_KEY_BYTES);
  return { publicKey: boxPublicKey(privateKey), privateKey };
}

/** The public half (32 bytes) of an X25519 private key (32 bytes). */
export function boxPublicKey(privateKey: Bytes): Bytes {
  return sodium.crypto_scalarmult_base(privateKey);
}

export function sealBox(plaintext: Bytes, publicKey: Bytes): Bytes {
  return sodium.crypto_box_seal(plaintext, publicKey);
}

/** `undefined` when the box was not sealed to this key pair, or was altered. */
export function openBox(box: Bytes, keyPair: BoxKeyPair): Bytes | undefined {
  try {
    return sodium.crypto_box_seal_open(box, keyPair.publicKey, keyPair.privateKey);
  } catch {
    return undefined;
  }
}
