/** Small images made by hand. */
import { crc32, deflateSync } from 'node:zlib';

/** A black greyscale PNG, or one that is wrong. */
export function png(width: number, height: number, { depth = 8, colour = 0, compression = 0, pixels = deflateSync(Buffer.alloc((width + 1) * height)) } = {}): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = depth;
  header[9] = colour;
  header[10] = compression;
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    ...[chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))],
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), data]);
  const bytes = Buffer.alloc(named.length + 8);
  bytes.writeUInt32BE(data.length, 0);
  named.copy(bytes, 4);
  bytes.writeUInt32BE(crc32(named), named.length + 4);
  return bytes;
}

/** The outside of a JPEG: its segments are right, its one scan holds no picture. */
export function jpeg(width: number, height: number): Buffer {
  const frame = Buffer.from([8, 0, 0, 0, 0, 1, 1, 0x11, 0]);
  frame.writeUInt16BE(height, 1);
  frame.writeUInt16BE(width, 3);
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    // A thumbnail in a comment may hold an end of image of its own.
    segment(0xfe, Buffer.from([0xff, 0xd9])),
    // A table whose marker stands among those of frames.
    segment(0xc4, Buffer.alloc(20)),
    Buffer.from([0xff, 0xff]),
    segment(0xc0, frame),
    segment(0xda, Buffer.from([1, 1, 0, 0, 63, 0])),
    Buffer.from([0x12, 0xff, 0x00, 0x34, 0xff, 0xd9]),
  ]);
}

function segment(marker: number, data: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(data.length + 2, 2);
  return Buffer.concat([head, data]);
}
