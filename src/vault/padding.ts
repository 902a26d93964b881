/**
 * Padmé padding (Nikitin et al., "Reducing Metadata Leakage from Encrypted Files and Communication with PURBs",
 * PETS 2019, section 4): a length leaks at most O(log log n) bits, for at most about 12 % more bytes.
 */

/** Entries shorter than this look alike. */
export const ENTRY_FLOOR_BYTES = 256;

/** Records are padded to a multiple of this: they are many and small, and a coarser step would double a history's size. */
export const RECORD_STEP_BYTES = 64;

/** The padded length of an entry's plaintext: Padmé, with a floor of 256 bytes. */
export function paddedEntryLength(length: number): number {
  if (length <= ENTRY_FLOOR_BYTES) return ENTRY_FLOOR_BYTES;
  const exponent = Math.floor(Math.log2(length));
  const mantissaBits = Math.floor(Math.log2(exponent)) + 1;
  const step = 2 ** (exponent - mantissaBits);
  return Math.ceil(length / step) * step;
}

export function paddedRecordLength(length: number): number {
  return Math.ceil(length / RECORD_STEP_BYTES) * RECORD_STEP_BYTES;
}

export function pad(bytes: Uint8Array, length: number): Uint8Array {
  const padded = new Uint8Array(length);
  padded.set(bytes);
  return padded;
}

/** Padding is zeros; anything else was not written by memgit. */
export function isPadding(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}
