/**
 * Few bytes that claim to be, or would become, many: the claim is refused before anything of its size is allocated. Seen to fail
 * with the bound of `inflateWithin` or of `inflated` left out, and where `applyDelta` gathered its parts in a list.
 */
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import * as zlib from 'node:zlib';
import { utf8 } from '../../src/bytes.ts';
import { isMemgitError } from '../../src/errors.ts';
import { decodeCommit } from '../../src/git/commit.ts';
import { applyDelta } from '../../src/git/delta.ts';
import type { Oid } from '../../src/git/objects.ts';
import { PackIndex } from '../../src/git/pack-index.ts';
import { readPackedObject } from '../../src/git/pack-read.ts';
import { receivePack } from '../../src/git/pack-receive.ts';
import { assemblePack } from '../../src/git/pack-write.ts';
import { decodeEntry } from '../../src/vault/entry.ts';
import { decodeKeyring } from '../../src/vault/keyring.ts';
import { decodeRecord } from '../../src/vault/record.ts';
import { decodePayload, MAX_FILE_BYTES } from '../../src/vault/payload.ts';

const MEBIBYTE = 1024 * 1024;
let bomb: Buffer;
let rawBomb: Buffer;
beforeAll(async () => {
  bomb = await deflated(zlib.createDeflate());
  rawBomb = await deflated(zlib.createDeflateRaw());
});

/** 400 MiB of zeros, which were never in memory at once: the test looks at how much ever was. */
async function deflated(stream: zlib.Deflate | zlib.DeflateRaw): Promise<Buffer> {
  return buffer(Readable.from(Array<Buffer>(400).fill(Buffer.alloc(MEBIBYTE))).pipe(stream));
}

async function codeOf(call: () => unknown): Promise<string> {
  try {
    await call();
    return 'none';
  } catch (error) {
    if (!isMemgitError(error)) throw error;
    return error.code;
  }
}

/** An entry of a pack: a blob whose header says `size`. */
function entryOf(size: number, compressed: Uint8Array): Buffer {
  const header = [(3 << 4) | (size & 15)];
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    header[header.length - 1]! |= 0x80;
    header.push(rest % 128);
  }
  return Buffer.concat([Buffer.from(header), compressed]);
}

function sentPack(entry: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from('PACK'), Buffer.from([0, 0, 0, 2, 0, 0, 0, 1]), entry, Buffer.alloc(20)]);
}

/** Makes `count` bytes of the first byte of a base of one byte, each by an instruction of its own. */
function deltaOfCopies(count: number): Buffer {
  const size: number[] = [];
  for (let rest = count; rest > 0; rest = Math.floor(rest / 128)) size.push((rest % 128) | (rest > 127 ? 0x80 : 0));
  return Buffer.concat([Buffer.from([1, ...size]), Buffer.alloc(2 * count, Buffer.from([0x90, 0x01]))]);
}

/** Lists in lists, and in the innermost some numbers. */
function nestedJson(depth: number, inside = ''): Buffer {
  return Buffer.from(`{\n "format": 1,\n "x": ${'['.repeat(depth)}${inside}0${']'.repeat(depth)},\n "mac": "${'0'.repeat(64)}"\n}\n`);
}

function signedInLines(lines: number): Buffer {
  const who = 'memgit <memgit@localhost> 0 +0000';
  const signature = `-----BEGIN SSH SIGNATURE-----\n${' AAAA\n'.repeat(lines)} -----END SSH SIGNATURE-----\n`;
  return Buffer.from(`tree ${'0'.repeat(40)}\nauthor ${who}\ncommitter ${who}\ngpgsig ${signature}\nmemgit\n`);
}

async function readStored(entry: Uint8Array): Promise<unknown> {
  const { pack, index } = assemblePack([{ oid: 'a'.repeat(40) as Oid, bytes: entry, crc32: zlib.crc32(entry) }]);
  const handle = { sizeBytes: pack.length, read: async (position: number, length: number) => pack.subarray(position, position + length), close: async () => {} };
  return readPackedObject(handle, new PackIndex(index), 12);
}

test.each<[string, readonly string[], () => unknown]>([
  ['an entry that inflates beyond its size', ['TOO_LARGE'], () => decodePayload('deflate', rawBomb, 100, undefined)],
  ['an entry that inflates beyond any file', ['TOO_LARGE', 'CORRUPT'], () => decodePayload('deflate', rawBomb, MAX_FILE_BYTES, undefined)],
  ['a delta that inflates beyond its size', ['TOO_LARGE'], () => decodePayload('delta', Buffer.concat([Buffer.from([0, 0]), rawBomb]), 100, utf8('base'))],
  ['a delta that shares more than there is', ['CORRUPT'], () => decodePayload('delta', Buffer.from([0xff, 0xff, 0xff, 0xff, 0x7f, 0, 0]), 100, utf8('base'))],
  ['CBOR with a text of 2^63 bytes', ['CORRUPT'], () => decodeEntry(Buffer.from([0xa1, 0x00, 0x7b, 0x7f, ...Array<number>(7).fill(0xff)]))],
  ['CBOR with an array of 2^32 items', ['CORRUPT'], () => decodeRecord(Buffer.from([0xa1, 0x00, 0x9a, 0xff, 0xff, 0xff, 0xff]))],
  ['CBOR nested 100,000 deep', ['CORRUPT'], () => decodeRecord(Buffer.concat([Buffer.from([0xa1, 0x00]), Buffer.alloc(100_000, 0x81)]))],
  ['a keyring nested 200,000 deep', ['CORRUPT'], () => decodeKeyring(nestedJson(200_000))],
  ['a keyring whose spaces would be gigabytes', ['CORRUPT'], () => decodeKeyring(nestedJson(3_000, '0,'.repeat(400_000)))],
  ['a commit with a signature of four million lines', ['CORRUPT'], () => decodeCommit(signedInLines(4_000_000))],
  ['an object of a pack that inflates beyond its size', ['CORRUPT'], () => receivePack(sentPack(entryOf(100, bomb)), () => undefined)],
  ['a stored object that inflates beyond its size', ['CORRUPT'], () => readStored(entryOf(100, bomb))],
  ['an object of a pack larger than any may be', ['CORRUPT', 'TOO_LARGE'], () => receivePack(sentPack(entryOf(2 ** 40, bomb)), () => undefined)],
  ['a pack of four billion objects', ['CORRUPT'], () => receivePack(Buffer.concat([Buffer.from('PACK'), Buffer.from([0, 0, 0, 2, 0xff, 0xff, 0xff, 0xff]), Buffer.alloc(40)]), () => undefined)],
  ['an index of four billion objects', ['CORRUPT'], () => new PackIndex(Buffer.concat([Buffer.from([0xff, 0x74, 0x4f, 0x63, 0, 0, 0, 2]), Buffer.alloc(1024, 0xff), Buffer.alloc(40)]))],
  ['a git delta that copies its base for ever', ['CORRUPT'], () => applyDelta(Buffer.alloc(0xffff), Buffer.concat([Buffer.from([0xff, 0xff, 0x03, 0xff, 0xff, 0xff, 0xff, 0x0f]), Buffer.alloc(100_000, 0x80)]))],
])('%s is refused', async (_, codes, call) => {
  const before = process.resourceUsage().maxRSS;
  expect(codes).toContain(await codeOf(call));
  expect((process.resourceUsage().maxRSS - before) / 1024).toBeLessThan(200);
});

test('a git delta of millions of instructions takes no more than its result', () => {
  const delta = deltaOfCopies(8 * MEBIBYTE);
  const before = process.resourceUsage().maxRSS;
  expect(Buffer.from(applyDelta(utf8('x'), delta)).equals(Buffer.alloc(8 * MEBIBYTE, 'x'))).toBe(true);
  expect((process.resourceUsage().maxRSS - before) / 1024).toBeLessThan(200);
});
