/** Streams of one stored block, compared with zlib. Seen to fail with the sums of the checksum never reduced, and with its halves exchanged. */
import fc from 'fast-check';
import * as zlib from 'node:zlib';
import { decodeStored, encodeStored, MAX_STORED_BYTES } from '../../../src/git/stored.ts';

// Around the number of bytes after which the sums of the checksum are reduced, and of 0xff, which sum up fastest.
const edges = [0, 1, 5_551, 5_552, 5_553, 11_104, MAX_STORED_BYTES].map((length) => Buffer.alloc(length, 0xff));
const bodies = fc.oneof(fc.uint8Array({ maxLength: 2_000, size: 'max' }), fc.constantFrom(...edges));

test('zlib inflates what was stored, its checksum checked', () => {
  fc.assert(fc.property(bodies, (body) => {
    expect(zlib.inflateSync(encodeStored(body)).equals(Buffer.from(body))).toBe(true);
  }));
});

test('what was stored is found again in front of other bytes, and so is what zlib stores', () => {
  fc.assert(fc.property(bodies, fc.uint8Array({ maxLength: 20 }), (body, rest) => {
    for (const stream of [encodeStored(body), ...(body.length > 0 ? [zlib.deflateSync(body, { level: 0, memLevel: 9, chunkSize: 2 ** 17 })] : [])]) {
      const found = decodeStored(Buffer.concat([stream, rest]), body.length);
      // zlib may use two blocks for bytes that fill one, which is another stream.
      if (found === undefined && body.length > 60_000) continue;
      expect(found?.consumed).toBe(stream.length);
      expect(Buffer.from(found!.body).equals(Buffer.from(body))).toBe(true);
    }
  }));
});

test('another size, a stream cut short and any other stream are not taken', () => {
  const stream = encodeStored(Buffer.from('text'));
  expect(decodeStored(stream, 3)).toBeUndefined();
  expect(decodeStored(stream.subarray(0, -1), 4)).toBeUndefined();
  expect(decodeStored(zlib.deflateSync('text text text text text'), 24)).toBeUndefined();
  expect(() => encodeStored(Buffer.alloc(MAX_STORED_BYTES + 1))).toThrow(RangeError);
});
