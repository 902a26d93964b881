/**
 * The path list: what stands under each name of a tree, kept beside the repository, so that whoever needs the directory shape next
 * opens only the entries that are not in it. Paths are secret, so it is sealed, for one epoch of one repository and for writers.
 * Nothing of it is part of the format: it is never pushed, and anything but what this version wrote is as good as no list. A blob
 * never changes, so what is listed under a name and a blob stays true.
 *
 *     envelope of  header || count(4) || count of ( name(32) || blob(20) || kind(1) || size(4) || length(2) || path ) || padding
 *
 * Padded as an entry is, so that its length says little about the lengths of paths. Kind is 0 for a file and 1 for an empty directory.
 */
import { equalBytes, utf8, type Bytes } from '../bytes.ts';
import { ENVELOPE_OVERHEAD_BYTES, open, seal } from '../crypto/envelope.ts';
import type { RandomSource } from '../crypto/sodium.ts';
import { OID_BYTES } from '../git/objects.ts';
import type { Repository } from '../git/repository.ts';
import { giveWay } from '../git/turns.ts';
import type { Epoch } from './epoch.ts';
import { paddedEntryLength } from './padding.ts';
import type { EntryInfo } from './path-index.ts';
import type { MemoryPath } from './path.ts';

const FILE_NAME = 'paths';
/** Another shape gets another number. */
const HEADER = utf8('memgit paths 1\n');
const COUNT_BYTES = 4;
const [NAME_BYTES, KIND_BYTES, SIZE_BYTES, LENGTH_BYTES] = [32, 1, 4, 2];
/** Of a row, beside the path. */
const FIXED_BYTES = NAME_BYTES + OID_BYTES + KIND_BYTES + SIZE_BYTES + LENGTH_BYTES;
/** About 50,000 entries. It is opened in one piece, which takes a process that has just begun 30 ms a megabyte. */
const MAX_BYTES = 4 * 1024 * 1024;
/** So many rows are decoded in about a millisecond. */
const ROWS_A_TURN = 500;

/** What stands under a name, by name. */
export type ListedEntries = ReadonlyMap<string, EntryInfo>;

export class PathList {
  readonly #repository: Repository;
  readonly #random: RandomSource;

  constructor(repository: Repository, random: RandomSource) {
    this.#repository = repository;
    this.#random = random;
  }

  /** The list that was last written, if that was in this epoch; none for a reader. */
  async read(epoch: Epoch): Promise<ListedEntries | undefined> {
    if (!epoch.signingKey) return undefined;
    const bytes = await this.#repository.readSideFile(FILE_NAME, MAX_BYTES);
    return bytes && openPathList(bytes, epoch);
  }

  /** Keeps a list, in place of the one before, if that can be done. */
  async write(entries: ListedEntries, epoch: Epoch): Promise<void> {
    await this.#repository.writeSideFile(FILE_NAME, MAX_BYTES, () => sealPathList(entries, epoch, this.#random));
  }
}

/** `undefined` for a list that is too long, and for a reader. */
export function sealPathList(entries: ListedEntries, epoch: Epoch, random: RandomSource): Bytes | undefined {
  const sealing = epoch.pathsSeal();
  const plaintext = sealing && encodeList(entries);
  return plaintext && seal(plaintext, sealing.key, sealing.context, random);
}

/** `undefined` for anything that `sealPathList` did not return for this epoch, and for a reader. */
export async function openPathList(bytes: Bytes, epoch: Epoch): Promise<ListedEntries | undefined> {
  const sealing = epoch.pathsSeal();
  try {
    return sealing && (await decodeList(open(bytes, sealing.key, sealing.context)));
  } catch {
    // It is of another repository, epoch or version, or it was damaged: all that is lost is time.
    return undefined;
  }
}

/** In one piece of memory, since small ones by the thousand take longer than all that is written into them. */
function encodeList(entries: ListedEntries): Bytes | undefined {
  let length = HEADER.length + COUNT_BYTES;
  for (const { path } of entries.values()) length += FIXED_BYTES + Buffer.byteLength(path);
  length = paddedEntryLength(length);
  if (length + ENVELOPE_OVERHEAD_BYTES > MAX_BYTES) return undefined;
  const bytes = Buffer.alloc(length);
  bytes.set(HEADER);
  let at = bytes.writeUInt32BE(entries.size, HEADER.length);
  for (const [name, { blob, kind, sizeBytes, path }] of entries) {
    at += bytes.write(name, at, 'latin1');
    at += bytes.write(blob, at, 'hex');
    at = bytes.writeUInt8(kind === 'file' ? 0 : 1, at);
    at = bytes.writeUInt32BE(sizeBytes, at);
    at = bytes.writeUInt16BE(Buffer.byteLength(path), at);
    at += bytes.write(path, at);
  }
  return bytes;
}

async function decodeList(plaintext: Bytes): Promise<ListedEntries | undefined> {
  if (!equalBytes(plaintext.subarray(0, HEADER.length), HEADER)) return undefined;
  const rows = Buffer.from(plaintext.buffer, plaintext.byteOffset + HEADER.length, plaintext.length - HEADER.length);
  let at = 0;
  /** Steps over so many bytes and returns where they began. */
  const skip = (bytes: number) => (at += bytes) - bytes;
  const entries = new Map<string, EntryInfo>();
  for (let left = rows.readUInt32BE(skip(COUNT_BYTES)); left > 0; left -= 1) {
    const name = rows.toString('latin1', skip(NAME_BYTES), at);
    const blob = rows.toString('hex', skip(OID_BYTES), at);
    const kind = rows.readUInt8(skip(KIND_BYTES)) === 0 ? 'file' : 'directory';
    const sizeBytes = rows.readUInt32BE(skip(SIZE_BYTES));
    const path = rows.toString('utf8', skip(rows.readUInt16BE(skip(LENGTH_BYTES))), at) as MemoryPath;
    entries.set(name, { kind, path, sizeBytes, blob });
    if (left % ROWS_A_TURN === 0) await giveWay();
  }
  return at <= rows.length ? entries : undefined;
}
