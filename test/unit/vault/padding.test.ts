import fc from 'fast-check';
import { ENTRY_FLOOR_BYTES, isPadding, pad, paddedEntryLength, paddedRecordLength } from '../../../src/vault/padding.ts';

/** Algorithm 1 of the PURBs paper (Nikitin et al., PETS 2019), with its logarithms taken in bits. */
function padme(length: bigint): bigint {
  const bits = (n: bigint) => BigInt(n.toString(2).length - 1);
  const e = bits(length);
  const s = bits(e) + 1n;
  const mask = (1n << (e - s)) - 1n;
  return (length + mask) & ~mask;
}

const lengths = fc.oneof(
  fc.nat(70_000), fc.nat(128 * 1024 * 1024),
  // Just around powers of two, where a rounded logarithm would err.
  fc.tuple(fc.integer({ min: 8, max: 27 }), fc.integer({ min: -2, max: 2 })).map(([exponent, by]) => 2 ** exponent + by),
);

test('entries are padded as the paper says, over a floor', () => {
  fc.assert(
    fc.property(lengths, (length) => {
      const padded = paddedEntryLength(length);
      expect(padded).toBe(length <= ENTRY_FLOOR_BYTES ? ENTRY_FLOOR_BYTES : Number(padme(BigInt(length))));
      expect(padded).toBeGreaterThanOrEqual(length);
      expect(padded).toBeLessThanOrEqual(Math.max(ENTRY_FLOOR_BYTES, length * 1.12));
      expect(paddedEntryLength(padded)).toBe(padded);
      expect(paddedEntryLength(length + 1)).toBeGreaterThanOrEqual(padded);
    }),
    { numRuns: 1000 },
  );
});

test('records are padded to the next 64 bytes', () => {
  for (const [length, padded] of [[1, 64], [64, 64], [65, 128]] as const) expect(paddedRecordLength(length)).toBe(padded);
});

test('padding is zeros', () => {
  expect(Buffer.from(pad(Uint8Array.of(1, 2), 5))).toEqual(Buffer.from([1, 2, 0, 0, 0]));
  expect(isPadding(new Uint8Array(9))).toBe(true);
  for (let at = 0; at < 9; at++) expect(isPadding(new Uint8Array(9).fill(1, at, at + 1))).toBe(false);
});
