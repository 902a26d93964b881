/**
 * The room of libsodium: the only file that imports it. Randomness is node's own, since the wasm build's `randombytes_buf` costs
 * some twenty times as much (51 µs against 2.4 µs a call, measured November 2026); only sealed boxes draw their ephemeral keys
 * from the wasm build, which gives no other way.
 */
import { randomBytes } from 'node:crypto';
import sodium from 'libsodium-wrappers';

/** Resolves once the wasm module can be used. Every function of this floor needs it to have been awaited once. */
export const ready: Promise<void> = sodium.ready;

/** Where random bytes come from; tests that make golden data pass their own. */
export type RandomSource = (length: number) => Uint8Array;

export const systemRandom: RandomSource = randomBytes;

export { sodium };
