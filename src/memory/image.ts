/**
 * Tells which bytes may be shown to Claude as an image. Looks at the content, never at the name, and walks the whole
 * structure of the file: an image block that the API refuses would make every later request of the conversation fail.
 * Decodes no pixels.
 */
import { crc32 } from 'node:zlib';

import { compareBytes, type Bytes } from '../bytes.ts';

export interface ImageInfo {
  readonly mediaType: 'image/png' | 'image/jpeg';
  readonly width: number;
  readonly height: number;
}

/**
 * The API's limits per image: 8,000 pixels a side, and 5 MiB, which counts the base64 text. The first-party API is said
 * to take 10 MB by now, other clouds still refuse more than 5,242,880 bytes, and a memory does not know which of them its
 * conversation runs on. The lower limit of 2,000 pixels for requests with more than 20 images cannot be seen from here.
 * https://platform.claude.com/docs/en/build-with-claude/vision and, for what is counted,
 * https://github.com/aws/amazon-q-developer-cli/issues/3912 (September 2026).
 */
export const IMAGE_BASE64_BYTES_MAX = 5 * 1024 * 1024;
export const IMAGE_SIDE_MAX = 8000;

/** What image the bytes are; `undefined` when they are not a whole PNG or JPEG. */
export function readImage(bytes: Bytes): ImageInfo | undefined {
  return readPng(bytes) ?? readJpeg(bytes);
}

/** Whether the API takes an image of these measures. */
export function fitsApi(image: ImageInfo, sizeBytes: number): boolean {
  const base64Bytes = Math.ceil(sizeBytes / 3) * 4;
  return base64Bytes <= IMAGE_BASE64_BYTES_MAX && Math.max(image.width, image.height) <= IMAGE_SIDE_MAX;
}

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** The bits a sample that each colour type allows. RFC 2083, 4.1.1, March 1997. */
const PNG_DEPTHS: Readonly<Record<number, readonly number[]>> = { 0: [1, 2, 4, 8, 16], 2: [8, 16], 3: [1, 2, 4, 8], 4: [8, 16], 6: [8, 16] };

/** A PNG is its signature and a row of chunks: `length(4) || type(4) || data(length) || crc(4)`, IHDR first, IEND last. */
function readPng(bytes: Bytes): ImageInfo | undefined {
  if (bytes.length < PNG_SIGNATURE.length || compareBytes(bytes.subarray(0, 8), PNG_SIGNATURE) !== 0) return undefined;
  const view = viewOf(bytes);
  let image: ImageInfo | undefined;
  let hasPixels = false;
  let needsPalette = false;
  for (let at = 8; at + 12 <= bytes.length; ) {
    const end = at + 12 + view.getUint32(at);
    if (end > bytes.length || crc32(bytes.subarray(at + 4, end - 4)) !== view.getUint32(end - 4)) return undefined;
    const type = Buffer.from(bytes.subarray(at + 4, at + 8)).toString('latin1');
    if (image === undefined) {
      if (type !== 'IHDR' || end - at !== 25) return undefined;
      image = { mediaType: 'image/png', width: view.getUint32(at + 8), height: view.getUint32(at + 12) };
      if (image.width === 0 || image.height === 0 || !isPngForm(bytes.subarray(at + 16, at + 21))) return undefined;
      needsPalette = bytes[at + 17] === 3;
    }
    needsPalette &&= type !== 'PLTE';
    hasPixels ||= type === 'IDAT' && end - at > 12;
    if (type === 'IEND') return hasPixels && !needsPalette ? image : undefined;
    at = end;
  }
  return undefined;
}

/** `depth(1) || colour type(1) || compression(1) || filter(1) || interlace(1)`, of which there is one compression and one filter. */
function isPngForm([depth, colour, compression, filter, interlace]: Bytes): boolean {
  return PNG_DEPTHS[colour!]?.includes(depth!) === true && compression === 0 && filter === 0 && interlace! <= 1;
}

const START_OF_SCAN = 0xda;
const END_OF_IMAGE = Buffer.from([0xff, 0xd9]);

/** A JPEG is FFD8, segments `ff(1) || marker(1) || length(2) || data(length - 2)` of which one is the frame, the scans, and FFD9. */
function readJpeg(bytes: Bytes): ImageInfo | undefined {
  const view = viewOf(bytes);
  if (bytes.length < 4 || view.getUint16(0) !== 0xffd8) return undefined;
  let image: ImageInfo | undefined;
  for (let at = 2; at + 4 <= bytes.length && bytes[at] === 0xff; ) {
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) {
      at += 1; // Any number of fill bytes may stand before a marker.
      continue;
    }
    const end = at + 2 + view.getUint16(at + 2);
    if (end > bytes.length) return undefined;
    if (marker === START_OF_SCAN) return Buffer.from(bytes.subarray(end)).includes(END_OF_IMAGE) ? image : undefined;
    if (isFrameHeader(marker)) {
      if (end - at < 9) return undefined;
      image = { mediaType: 'image/jpeg', width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
      if (image.width === 0 || image.height === 0) return undefined;
    }
    at = end;
  }
  return undefined;
}

/** SOF0 to SOF15, less the three markers in between that mean something else (DHT, JPG, DAC). */
function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

function viewOf(bytes: Bytes): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}
