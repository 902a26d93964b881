/** Randomness that is the same on every run: for golden data, and for tests that compare two runs. Never for a real vault. */
import { createHash } from 'node:crypto';
import type { RandomSource } from '../../src/crypto/sodium.ts';

/** SHA-256 of `seed || counter`, as many as are asked for; each call goes on where the last one stopped. */
export function fixedRandom(seed: string): RandomSource {
  let counter = 0;
  return (length) => {
    const blocks: Buffer[] = [];
    for (let bytes = 0; bytes < length; bytes += 32) blocks.push(createHash('sha256').update(`${seed} ${counter++}`).digest());
    return Buffer.concat(blocks).subarray(0, length);
  };
}
