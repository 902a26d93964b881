/** Bytes that nobody meant: copies of good ones with some damage, cuttings of several, and noise. */
import { pick } from './random.ts';

const TELLING = [0, 1, 0x0a, 0x20, 0x22, 0x7f, 0x80, 0xff];

export function mutated(random: () => number, corpus: readonly Uint8Array[]): Buffer {
  const nat = (below: number) => Math.floor(random() * below);
  if (random() < 0.05) return Buffer.from(Array.from({ length: nat(600) }, () => nat(256)));
  let bytes = Buffer.from(pick(random, corpus));
  for (let changes = 1 + nat(4); changes > 0; changes -= 1) {
    const at = nat(bytes.length + 1);
    const to = Math.min(bytes.length, at + 1 + nat(random() < 0.5 ? 4 : 200));
    const part = bytes.subarray(at, to);
    switch (nat(7)) {
      case 0: if (at < bytes.length) bytes[at]! ^= 1 << nat(8); break;
      case 1: if (at < bytes.length) bytes[at] = pick(random, TELLING); break;
      case 2: bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(to)]); break;
      case 3: bytes = Buffer.concat([bytes.subarray(0, to), part, bytes.subarray(to)]); break;
      case 4: bytes = Buffer.concat([bytes.subarray(0, at), pick(random, corpus).subarray(nat(40))]); break;
      case 5: if (at + 4 <= bytes.length) bytes.writeUInt32BE(pick(random, [0, 1, 0x7fffffff, 0x80000000, 0xffffffff]), at); break;
      case 6: bytes = Buffer.from(bytes.subarray(0, at)); break;
    }
  }
  return bytes;
}
