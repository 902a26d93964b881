/**
 * Byte helpers that every floor uses: text encodings, concatenation, comparison, and asserts on lengths.
 * Decoders are strict: they return `undefined` for anything that their encoder would not have written.
 */
import { timingSafeEqual } from 'node:crypto';

export type Bytes = Uint8Array;

const utf8Encoder = new TextEncoder();
const utf8Decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Encodes well-formed text. @throws TypeError on a lone surrogate, which UTF-8 cannot hold. */
export function utf8(text: string): Bytes {
  if (!text.isWellFormed()) throw new TypeError('expected well-formed text, got a lone surrogate');
  return utf8Encoder.encode(text);
}

/** Decodes UTF-8, keeping a byte order mark; `undefined` when the bytes are not valid UTF-8. */
export function utf8Decode(bytes: Bytes): string | undefined {
  try {
    return utf8Decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** For a few parts, named one by one. A list goes to `concatAll`. */
export function concat(...parts: readonly Bytes[]): Bytes {
  return Buffer.concat(parts);
}

/** For a list of any length: as arguments, more than some 120,000 parts do not fit the stack. */
export function concatAll(parts: readonly Bytes[]): Bytes {
  return Buffer.concat(parts);
}

export function equalBytes(a: Bytes, b: Bytes): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Orders as git orders names: by unsigned byte value, a prefix before what it begins. */
export function compareBytes(a: Bytes, b: Bytes): number {
  return Buffer.compare(a, b);
}

export function toHex(bytes: Bytes): string {
  return asBuffer(bytes).toString('hex');
}

export function fromHex(text: string): Bytes | undefined {
  return text.length % 2 === 0 && /^[0-9a-f]*$/.test(text) ? Buffer.from(text, 'hex') : undefined;
}

export function toBase64(bytes: Bytes): string {
  return asBuffer(bytes).toString('base64');
}

/** Decodes padded standard base64 in its one canonical spelling. */
export function fromBase64(text: string): Bytes | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

/** RFC 4648 base32, lower case. @throws RangeError unless the length is a multiple of 5 bytes, so that no padding is needed. */
export function toBase32(bytes: Bytes): string {
  if (bytes.length % 5 !== 0) throw new RangeError(`expected a multiple of 5 bytes, got ${bytes.length}`);
  let text = '';
  for (let i = 0; i < bytes.length; i += 5) {
    // 40 bits do not fit a bitwise operation, so they are taken as two halves of 20.
    const high = (bytes[i]! << 12) | (bytes[i + 1]! << 4) | (bytes[i + 2]! >> 4);
    const low = ((bytes[i + 2]! & 15) << 16) | (bytes[i + 3]! << 8) | bytes[i + 4]!;
    for (const half of [high, low]) {
      for (let shift = 15; shift >= 0; shift -= 5) text += BASE32.charAt((half >> shift) & 31);
    }
  }
  return text;
}

export function fromBase32(text: string): Bytes | undefined {
  if (text.length % 8 !== 0) return undefined;
  const bytes = new Uint8Array((text.length / 8) * 5);
  let bits = 0;
  let value = 0;
  let at = 0;
  for (const char of text) {
    const digit = BASE32.indexOf(char);
    if (digit < 0) return undefined;
    value = ((value & 0xff) << 5) | digit;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes[at++] = value >> bits;
    }
  }
  return bytes;
}

/** @throws TypeError when not bytes, RangeError when not exactly `length` bytes. `what` names the value in the message. */
export function assertLength(bytes: Bytes, length: number, what: string): void {
  if (!(bytes instanceof Uint8Array)) throw new TypeError(`${what}: expected bytes, got ${typeof bytes}`);
  if (bytes.length !== length) throw new RangeError(`${what}: expected ${length} bytes, got ${bytes.length}`);
}

function asBuffer(bytes: Bytes): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
