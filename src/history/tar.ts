/**
 * Writes tar archives (POSIX.1-2001 "pax": ustar headers, and an extended header for a name that does not fit one). Only plain
 * files and directories, for their owner, without anybody's name. Pure.
 */
import { concat, utf8, type Bytes } from '../bytes.ts';

const BLOCK_BYTES = 512;
const NAME_BYTES = 100;
/** The latest time that a header has room for, in the year 2242. */
const TIME_SEC_MAX = 0o77777777777;

/** @param content `undefined` for a directory */
export function* tarEntry(name: string, content: Bytes | undefined, timeMs: number): Generator<Bytes> {
  const entry = content ? { name, type: '0', mode: 0o600, size: content.length } : { name: `${name}/`, type: '5', mode: 0o700, size: 0 };
  const timeSec = Math.min(Math.floor(timeMs / 1000), TIME_SEC_MAX);
  if (/[^ -~]/.test(entry.name) || entry.name.length > NAME_BYTES) {
    const record = paxRecord('path', entry.name);
    yield header({ name: 'pax', type: 'x', mode: 0o600, size: record.length }, timeSec);
    yield padded(record);
  }
  yield header(entry, timeSec);
  if (content && content.length > 0) yield padded(content);
}

/** What every archive ends with. */
export function tarEnd(): Bytes {
  return new Uint8Array(2 * BLOCK_BYTES);
}

interface Header {
  readonly name: string;
  readonly type: string;
  readonly mode: number;
  readonly size: number;
}

/**
 * `name(100) || mode(8) || uid(8) || gid(8) || size(12) || mtime(12) || checksum(8) || type(1) || link(100) || "ustar" NUL "00" ||
 * zeros`: numbers are octal text ended by NUL.
 */
function header({ name, type, mode, size }: Header, timeSec: number): Bytes {
  const block = Buffer.alloc(BLOCK_BYTES);
  const octal = (value: number, at: number, length: number) => block.write(value.toString(8).padStart(length - 1, '0'), at, 'latin1');
  block.set(utf8(name).subarray(0, NAME_BYTES));
  octal(mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(timeSec, 136, 12);
  block.write(`        ${type}`, 148, 'latin1');
  block.write('ustar\x0000', 257, 'latin1');
  // The checksum is taken with spaces in its own place.
  octal(block.reduce((sum, byte) => sum + byte, 0), 148, 7);
  block[154] = 0;
  return block;
}

/** `length " " key "=" value LF`, where the length counts itself. */
function paxRecord(key: string, value: string): Bytes {
  const rest = utf8(` ${key}=${value}\n`);
  let length = rest.length;
  while (`${length}`.length + rest.length !== length) length = `${length}`.length + rest.length;
  return concat(utf8(`${length}`), rest);
}

function padded(bytes: Bytes): Bytes {
  return concat(bytes, new Uint8Array((BLOCK_BYTES - (bytes.length % BLOCK_BYTES)) % BLOCK_BYTES));
}
