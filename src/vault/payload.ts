/**
 * What stands in an entry after its header: the file's bytes, raw, deflated, or as a delta against an earlier version.
 *
 * A delta is `uvarint prefix || uvarint suffix || raw deflate of the middle`: the bytes that both versions share at either
 * end are only counted, and what is between is deflated with the base around it as the preset dictionary. The dictionary
 * is the last 32,768 bytes of the base up to 4,096 bytes past its own middle, so an edit anywhere in a long file finds its
 * surroundings inside deflate's window (docs/DECISIONS.md has the measurements).
 *
 * Inflating is bounded by the size that the authenticated header declares, itself bounded by `MAX_FILE_BYTES`.
 */
import { deflateRaw, deflateRawSync, inflateRawSync, type ZlibOptions } from 'node:zlib';
import { promisify } from 'node:util';
import { concat, type Bytes } from '../bytes.ts';
import { MemgitError } from '../errors.ts';
import { paddedEntryLength } from './padding.ts';

/** The largest file that a memory holds: 64 MiB. */
export const MAX_FILE_BYTES = 64 * 1024 * 1024;
/** A version is at most this many deltas away from one written in full. */
export const MAX_DELTA_DEPTH = 32;

const WINDOW_BYTES = 32_768;
const DICTIONARY_TAIL_BYTES = 4_096;
/** Above this, deflating leaves the event loop free. */
const ASYNC_BYTES = 256 * 1024;

/** Text does not deflate by more than this, so a delta that saves as much is taken without trying. */
const HOPELESS_RATIO = 8;
/** About what an entry's header takes, with a path of ordinary length. */
const HEADER_BYTES = 32;
const DELTA_HEADER_BYTES = HEADER_BYTES + 24;

export type Compression = 'deflate' | 'none';
export const ENCODINGS = { raw: 0, deflate: 1, delta: 2 } as const;
export type Encoding = keyof typeof ENCODINGS;

/** An earlier version of the same file, to write a delta against. */
export interface Base {
  readonly blob: string;
  readonly depth: number;
  readonly content: Bytes;
}

export interface Payload {
  readonly encoding: Encoding;
  readonly bytes: Bytes;
  /** Only with `delta`. */
  readonly base?: { readonly blob: string; readonly depth: number };
}

/** Encodes content in the form that is smallest once padded; a tie goes to the form that is cheaper to read. */
export async function encodePayload(content: Bytes, compression: Compression, base: Base | undefined): Promise<Payload> {
  if (content.length > MAX_FILE_BYTES) {
    throw new MemgitError('TOO_LARGE', `expected a file of at most ${MAX_FILE_BYTES} bytes, got ${content.length}`, {
      details: { limit: MAX_FILE_BYTES, got: content.length },
    });
  }
  const raw: Payload = { encoding: 'raw', bytes: content };
  if (compression === 'none' || cost(raw) === paddedEntryLength(0)) return raw;

  const delta = base !== undefined && base.depth < MAX_DELTA_DEPTH ? await encodeDelta(content, base) : undefined;
  if (delta !== undefined && cost(delta) * HOPELESS_RATIO <= content.length) return delta;
  // A copy: zlib's result is a part of a larger buffer, which the cache would keep.
  const full: Payload = { encoding: 'deflate', bytes: new Uint8Array(await deflated(content, {})) };
  return [raw, full, ...(delta ? [delta] : [])].reduce((best, next) => (cost(next) < cost(best) ? next : best));
}

/** @throws CORRUPT when the payload does not give exactly `size` bytes; TOO_LARGE when it would give more */
export function decodePayload(encoding: Encoding, payload: Bytes, size: number, base: Bytes | undefined): Bytes {
  switch (encoding) {
    case 'raw':
      if (payload.length !== size) throw corrupt('a raw payload has another size than its header says');
      return payload;
    case 'deflate':
      return inflated(payload, size, {});
    case 'delta':
      if (base === undefined) throw corrupt('a delta has no base');
      return decodeDelta(payload, size, base);
  }
}

async function encodeDelta(content: Bytes, base: Base): Promise<Payload> {
  const { prefix, suffix } = sharedEnds(base.content, content);
  const middle = content.subarray(prefix, content.length - suffix);
  const body = await deflated(middle, { dictionary: dictionary(base.content, suffix) });
  return {
    encoding: 'delta',
    bytes: concat(uvarint(prefix), uvarint(suffix), body),
    base: { blob: base.blob, depth: base.depth + 1 },
  };
}

function decodeDelta(payload: Bytes, size: number, base: Bytes): Bytes {
  const prefix = readUvarint(payload, 0);
  const suffix = prefix && readUvarint(payload, prefix.next);
  if (!prefix || !suffix || prefix.value + suffix.value > Math.min(base.length, size)) {
    throw corrupt('a delta shares more with its base than there is');
  }
  const middleSize = size - prefix.value - suffix.value;
  const middle = inflated(payload.subarray(suffix.next), middleSize, { dictionary: dictionary(base, suffix.value) });
  return concat(base.subarray(0, prefix.value), middle, base.subarray(base.length - suffix.value));
}

/** How many bytes two versions share at the beginning, and then at the end of what is left. */
export function sharedEnds(before: Bytes, after: Bytes): { prefix: number; suffix: number } {
  const most = Math.min(before.length, after.length);
  let prefix = 0;
  while (prefix < most && before[prefix] === after[prefix]) prefix++;
  let suffix = 0;
  while (suffix < most - prefix && before[before.length - 1 - suffix] === after[after.length - 1 - suffix]) suffix++;
  return { prefix, suffix };
}

function dictionary(base: Bytes, suffix: number): Bytes {
  const end = Math.min(base.length, base.length - suffix + DICTIONARY_TAIL_BYTES);
  return base.subarray(Math.max(0, end - WINDOW_BYTES), end);
}

function cost({ bytes, base }: Payload): number {
  return paddedEntryLength(bytes.length + (base ? DELTA_HEADER_BYTES : HEADER_BYTES));
}

const deflateRawAsync = promisify<Bytes, ZlibOptions, Buffer>(deflateRaw);

async function deflated(bytes: Bytes, options: ZlibOptions): Promise<Bytes> {
  return bytes.length > ASYNC_BYTES ? deflateRawAsync(bytes, options) : deflateRawSync(bytes, options);
}

function inflated(bytes: Bytes, size: number, options: ZlibOptions): Bytes {
  // One byte more than declared is allowed out, so that "too long" is told from "exact"; zlib takes no limit of 0.
  let result: { buffer: Buffer; engine: { bytesWritten: number } };
  try {
    result = inflateRawSync(bytes, { ...options, maxOutputLength: size + 1, info: true }) as unknown as typeof result;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
      throw new MemgitError('TOO_LARGE', 'a payload inflates to more than its header says', { details: { limit: size }, cause });
    }
    throw corrupt('a payload does not inflate', cause);
  }
  if (result.buffer.length > size) {
    throw new MemgitError('TOO_LARGE', 'a payload inflates to more than its header says', { details: { limit: size } });
  }
  if (result.buffer.length < size || result.engine.bytesWritten !== bytes.length) {
    throw corrupt('a payload inflates to another size than its header says');
  }
  return result.buffer;
}

/** LEB128, least significant group first. */
function uvarint(value: number): Bytes {
  const bytes: number[] = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
  return new Uint8Array([...bytes, value]);
}

function readUvarint(bytes: Bytes, at: number): { value: number; next: number } | undefined {
  let value = 0;
  for (let i = 0; i < 5; i++) {
    const byte = bytes[at + i];
    if (byte === undefined) return undefined;
    value += (byte & 127) * 128 ** i;
    if (byte < 128) return byte === 0 && i > 0 ? undefined : { value, next: at + i + 1 };
  }
  return undefined;
}

function corrupt(message: string, cause?: unknown): MemgitError {
  return new MemgitError('CORRUPT', message, { cause });
}
