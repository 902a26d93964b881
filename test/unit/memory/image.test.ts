import fc from 'fast-check';
import { concat, type Bytes } from '../../../src/bytes.ts';
import { fitsApi, readImage } from '../../../src/memory/image.ts';
import { jpeg, png } from '../../support/images.ts';

test('reads the measures of whole images', () => {
  expect(readImage(png(3, 2))).toEqual({ mediaType: 'image/png', width: 3, height: 2 });
  expect(readImage(jpeg(300, 2))).toEqual({ mediaType: 'image/jpeg', width: 300, height: 2 });
  // Bytes after the end are no part of the image.
  expect(readImage(concat(png(3, 2), Buffer.from('x')))).toBeDefined();
  // A view into a larger buffer is read from where it begins.
  expect(readImage(concat(Buffer.from('xyz'), jpeg(3, 2)).subarray(3))).toBeDefined();
});

test.each([
  ['nothing', Buffer.from([])],
  ['text', Buffer.from('PNG')],
  ['a signature alone', png(3, 2).subarray(0, 8)],
  ['a start of image alone', Buffer.from([0xff, 0xd8, 0xff])],
  ['a PNG of no width', png(0, 2)],
  ['a JPEG of no height', jpeg(3, 0)],
  ['a PNG without pixels', withoutChunk(png(3, 2), 'IDAT')],
  ['a PNG whose pixels are nothing', png(3, 2, { pixels: Buffer.alloc(0) })],
  ['a PNG of a colour that there is not', png(3, 2, { colour: 5 })],
  ['a PNG of a depth that its colour has not', png(3, 2, { colour: 2, depth: 4 })],
  ['a PNG of colours from a palette that it has not', png(3, 2, { colour: 3 })],
  ['a PNG that is compressed in a way that there is not', png(3, 2, { compression: 1 })],
  ['a PNG that does not begin with IHDR', withoutChunk(png(3, 2), 'IHDR')],
  ['a GIF', Buffer.from('GIF89a\u0001\u0000\u0001\u0000')],
])('%s is no image', (_, bytes) => {
  expect(readImage(bytes)).toBeUndefined();
});

test.each([
  ['PNG', png(3, 2)],
  ['JPEG', jpeg(3, 2)],
])('a %s cut anywhere is no image', (_, bytes) => {
  for (let length = 0; length < bytes.length; length++) expect(readImage(bytes.subarray(0, length))).toBeUndefined();
});

test('a PNG altered anywhere is no image', () => {
  const bytes = png(3, 2);
  fc.assert(
    fc.property(fc.nat({ max: bytes.length - 1 }), fc.integer({ min: 1, max: 255 }), (at, mask) => {
      const altered = Buffer.from(bytes);
      altered[at]! ^= mask;
      expect(readImage(altered)).toBeUndefined();
    }),
  );
});

test('never throws', () => {
  const start = fc.constantFrom<Bytes>(png(3, 2).subarray(0, 20), jpeg(3, 2).subarray(0, 6));
  fc.assert(fc.property(start, fc.uint8Array({ maxLength: 64 }), (begin, rest) => void readImage(concat(begin, rest))));
});

test('the limits of the API', () => {
  const image = (width: number, height: number) => ({ mediaType: 'image/png', width, height }) as const;
  expect(fitsApi(image(8000, 8000), 3_932_160)).toBe(true);
  expect(fitsApi(image(8000, 8000), 3_932_161)).toBe(false);
  expect(fitsApi(image(8001, 1), 100)).toBe(false);
  expect(fitsApi(image(1, 8001), 100)).toBe(false);
});

function withoutChunk(bytes: Buffer, type: string): Buffer {
  const at = bytes.indexOf(type) - 4;
  return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 12 + bytes.readUInt32BE(at))]);
}
