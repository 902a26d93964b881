/**
 * Reads one object out of a pack, deltas resolved, with one positioned read for each entry on the way, or two where it is
 * large. Where an entry ends is not asked of the index, which would have to be sorted for it, unless there is no other way. Sizes,
 * depths and offsets are bounded before anything is allocated for them. The hash of the result is not checked here: the caller knows
 * the oid. What can be read here and in a held pack is the same: what a remote sends is checked in one, and read from the other.
 */
import type { Bytes } from '../bytes.ts';
import { isMemgitError, MemgitError } from '../errors.ts';
import { applyDelta } from './delta.ts';
import type { ReadHandle } from './fs.ts';
import { inflate } from './inflate.ts';
import { MAX_OBJECT_BYTES, OID_BYTES, oidFromBytes, type GitObject, type ObjectType } from './objects.ts';
import type { PackIndex } from './pack-index.ts';

/** What an entry holds: an object whole, or a delta to apply to the entry at another offset of the same pack. */
type Entry = { readonly type: ObjectType; readonly body: Bytes } | { readonly baseOffset: number; readonly body: Bytes };

export const OBJECT_TYPES: Readonly<Record<number, ObjectType>> = { 1: 'commit', 2: 'tree', 3: 'blob' };
const TAG = 4;
export const OFFSET_DELTA = 6;
export const OID_DELTA = 7;

/** git refuses to write longer chains than 4,095. */
export const MAX_DELTA_DEPTH = 4095;
/** 4 bits of size in the first byte, 7 in each other: more than the largest object needs. */
const MAX_HEADER_BYTES = 5;
/** Compressing can lengthen a body by a little; an entry longer than this is not read. */
export const MAX_ENTRY_BYTES = MAX_OBJECT_BYTES + MAX_OBJECT_BYTES / 1024;
/** Holds commits, trees and deltas, and comes out of node's pool of buffers; twice as much would be allocated anew for each. */
const FIRST_READ_BYTES = 2048;
/** What may stand before the compressed body: type and size, then the base of a delta. */
const MAX_PREFIX_BYTES = 32;

/** @throws CORRUPT when the entry or one that it depends on is torn, malformed or too large */
export async function readPackedObject(pack: ReadHandle, index: PackIndex, offset: number): Promise<GitObject> {
  const deltas: Bytes[] = [];
  let deltaBytes = 0;
  let entry = await readEntry(pack, index, offset);
  while ('baseOffset' in entry) {
    deltas.push(entry.body);
    deltaBytes += entry.body.length;
    if (deltas.length > MAX_DELTA_DEPTH || deltaBytes > MAX_OBJECT_BYTES) throw corruptEntry('its chain of deltas has no end in sight');
    const { baseOffset }: { baseOffset: number } = entry;
    entry = await readEntry(pack, index, baseOffset);
  }
  return { type: entry.type, body: deltas.reduceRight(applyDelta, entry.body) };
}

async function readEntry(pack: ReadHandle, index: PackIndex, offset: number): Promise<Entry> {
  try {
    return parseEntry(await readPastEntry(pack, offset), index, offset);
  } catch (error) {
    if (!isMemgitError(error, 'CORRUPT')) throw error;
    // A remote can send a body compressed to more than any zlib makes of it: git takes that, and so must who reads it later.
    return parseEntry(await readEntryBytes(pack, index, offset), index, offset);
  }
}

/** Reads an entry and some of what follows it. */
async function readPastEntry(pack: ReadHandle, offset: number): Promise<Bytes> {
  const end = pack.sizeBytes - OID_BYTES;
  if (offset >= end) throw corruptEntry('the pack ends before it');
  const first = await pack.read(offset, Math.min(FIRST_READ_BYTES, end - offset));
  const length = Math.min(MAX_PREFIX_BYTES + compressedBound(readHeader(first).size), end - offset);
  return length <= first.length ? first : pack.read(offset, length);
}

/** The most that a body of this size takes compressed, whatever zlib was set to (its own `deflateBound`, rounded up). */
function compressedBound(size: number): number {
  return size + (size >>> 2) + 64;
}

/** Returns an entry as it stands in the pack, header and compressed body. @throws CORRUPT when the pack ends before it */
export async function readEntryBytes(pack: ReadHandle, index: PackIndex, offset: number): Promise<Bytes> {
  const length = index.endOf(offset, pack.sizeBytes - OID_BYTES) - offset;
  if (length <= 0 || length > MAX_ENTRY_BYTES) throw corruptEntry('its length is not possible');
  const bytes = await pack.read(offset, length);
  if (bytes.length < length) throw corruptEntry('the pack ends before it');
  return bytes;
}

/** Tells whether an entry holds its object whole, so that its bytes mean the same in any pack. */
export function isWholeEntry(bytes: Bytes): boolean {
  return OBJECT_TYPES[(bytes[0]! >> 4) & 7] !== undefined;
}

/** Unpacks an entry that needs no other. @throws CORRUPT when it is a delta, torn, malformed or too large */
export function readWholeEntry(bytes: Bytes): GitObject {
  const { code, size, end } = readHeader(bytes);
  const type = OBJECT_TYPES[code];
  if (type === undefined) throw corruptEntry('it does not hold its object whole');
  return { type, body: inflate(bytes.subarray(end), size) };
}

function parseEntry(bytes: Bytes, index: PackIndex, offset: number): Entry {
  if (isWholeEntry(bytes)) return readWholeEntry(bytes);
  const header = readHeader(bytes);
  if (header.code === TAG) throw corruptEntry('it is an annotated tag, which memgit does not use');
  if (header.code === OFFSET_DELTA) {
    const { distance, end } = readDistance(bytes, header.end);
    if (distance <= 0 || distance > offset) throw corruptEntry('its base lies outside the pack');
    return { baseOffset: offset - distance, body: inflate(bytes.subarray(end), header.size) };
  }
  if (header.code !== OID_DELTA) throw corruptEntry('its type is unknown');
  const end = header.end + OID_BYTES;
  const baseOffset = end < bytes.length ? index.offsetOf(oidFromBytes(bytes.subarray(header.end, end))) : undefined;
  if (baseOffset === undefined) throw corruptEntry('its base is not in the pack');
  return { baseOffset, body: inflate(bytes.subarray(end), header.size) };
}

/** The type is in bits 4-6 of the first byte, the size in its low 4 bits and then 7 bits a byte, least significant first. */
export function readHeader(bytes: Bytes): { code: number; size: number; end: number } {
  let byte = bytes[0]!;
  const code = (byte >> 4) & 7;
  let size = byte & 15;
  let end = 1;
  for (let scale = 16; byte & 0x80; scale *= 2 ** 7) {
    byte = bytes[end] ?? 0;
    size += (byte & 0x7f) * scale;
    end += 1;
    if (size > MAX_OBJECT_BYTES) throw corruptEntry(`its size exceeds ${MAX_OBJECT_BYTES} bytes`);
    // Zeros could go on for ever, and git takes only so many.
    if (end > MAX_HEADER_BYTES) throw corruptEntry('its header has no end in sight');
  }
  return { code, size, end };
}

/** How far before the delta its base begins: 7 bits a byte, most significant first, each further byte adding one (gitformat-pack(5)). */
export function readDistance(bytes: Bytes, start: number): { distance: number; end: number } {
  let end = start;
  let byte = bytes[end] ?? 0;
  let distance = byte & 0x7f;
  while (byte & 0x80) {
    end += 1;
    byte = bytes[end] ?? 0;
    distance = (distance + 1) * 2 ** 7 + (byte & 0x7f);
  }
  return { distance, end: end + 1 };
}

function corruptEntry(got: string): MemgitError {
  return new MemgitError('CORRUPT', `expected an entry of a pack, but ${got}`);
}
