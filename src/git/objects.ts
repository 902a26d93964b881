/**
 * git's objects as bytes: how they are named, and the one shape of tree that memgit writes. Pure; commits have their own file.
 * Decoding is strict: what `encodeTree` would not have written is CORRUPT, so one tree has one spelling and one oid.
 */
import { createHash, hash } from 'node:crypto';
import { concat, concatAll, toHex, type Bytes } from '../bytes.ts';
import { MemgitError } from '../errors.ts';

declare const oidBrand: unique symbol;

/** The name of an object: 40 lower-case hexadecimal digits of SHA-1. */
export type Oid = string & { readonly [oidBrand]: true };

/** Annotated tags do not occur in a memgit repository and are refused where they are met. */
export type ObjectType = 'commit' | 'tree' | 'blob';

export interface GitObject {
  readonly type: ObjectType;
  readonly body: Bytes;
}

export interface TreeEntry {
  /** A blob or a tree; executables, symbolic links and submodules do not occur. */
  readonly mode: '100644' | '40000';
  readonly name: string;
  readonly oid: Oid;
}

export const OID_BYTES = 20;

const SMALL_BYTES = 16 * 1024;
const TREE_NAME = /^(?!(?:\.|\.\.|\.git)$)[ -.0-~]+$/i;

/** Larger objects are neither written nor read, whatever size a pack declares. */
export const MAX_OBJECT_BYTES = 128 * 1024 * 1024;

export function parseOid(text: string): Oid | undefined {
  return /^[0-9a-f]{40}$/.test(text) ? (text as Oid) : undefined;
}

export function oidOf(type: ObjectType, body: Bytes): Oid {
  const header = `${type} ${body.length}\0`;
  // Copying a small body costs less than a hash object does: 3 us against 7 for 500 bytes.
  if (body.length <= SMALL_BYTES) return hash('sha1', concat(Buffer.from(header), body), 'hex') as Oid;
  return createHash('sha1').update(header).update(body).digest('hex') as Oid;
}

export function oidFromBytes(bytes: Bytes): Oid {
  return toHex(bytes) as Oid;
}

export function oidToBytes(oid: Oid): Bytes {
  return Buffer.from(oid, 'hex');
}

/** Encodes entries in git's order, whatever the order they come in. @throws TypeError on a bad name or one given twice. */
export function encodeTree(entries: readonly TreeEntry[]): Bytes {
  const names = new Set<string>();
  for (const { name } of entries) {
    if (!isTreeName(name)) throw new TypeError('expected a tree name of printable ASCII without a slash, not ., .. or .git');
    if (names.has(name)) throw new TypeError('expected each tree name once, got one twice');
    names.add(name);
  }
  const sorted = entries.toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
  return concatAll(sorted.flatMap(({ mode, name, oid }) => [Buffer.from(`${mode} ${name}\0`, 'latin1'), oidToBytes(oid)]));
}

/** @throws CORRUPT on anything that `encodeTree` does not write */
export function decodeTree(body: Bytes): TreeEntry[] {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  const text = bytes.toString('latin1');
  const entries: TreeEntry[] = [];
  const files = new Set<string>();
  let previous = '';
  for (let at = 0; at < bytes.length; ) {
    const mode = text.startsWith('100644 ', at) ? '100644' : '40000';
    if (!text.startsWith(`${mode} `, at)) throw corruptTree('a mode is neither 100644 nor 40000');
    const nul = text.indexOf('\0', at);
    const end = nul + 1 + OID_BYTES;
    if (nul < 0 || end > bytes.length) throw corruptTree('an entry is cut short');
    const name = text.slice(at + mode.length + 1, nul);
    if (!isTreeName(name)) throw corruptTree('a name is not printable ASCII, or is a reserved one');
    const entry: TreeEntry = { mode, name, oid: bytes.toString('hex', nul + 1, end) as Oid };
    const key = sortKey(entry);
    if (key <= previous) throw corruptTree('the entries are out of order, or a name occurs twice');
    // A file stands before a subtree of its name, but not always right before it.
    if (mode === '100644') files.add(name);
    else if (files.has(name)) throw corruptTree('a name occurs twice');
    previous = key;
    entries.push(entry);
    at = end;
  }
  return entries;
}

/** git compares a subtree as if its name ended in a slash. Names are ASCII, so comparing text is comparing bytes. */
function sortKey(entry: Pick<TreeEntry, 'mode' | 'name'>): string {
  return entry.mode === '40000' ? `${entry.name}/` : entry.name;
}

function isTreeName(name: string): boolean {
  return TREE_NAME.test(name);
}

function corruptTree(got: string): MemgitError {
  return new MemgitError('CORRUPT', `expected a tree as memgit writes it, but ${got}`);
}
