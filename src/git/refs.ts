/**
 * Refs as git stores them: a loose file first, then packed-refs. Nothing is kept: every call looks at the disk, because
 * another process may have moved the ref. A ref file that is there but torn or empty is damage and never "no ref".
 */
import { join } from 'node:path';
import type { Bytes } from '../bytes.ts';
import { MemgitError } from '../errors.ts';
import type { FileSystem } from './fs.ts';
import { parseOid, type Oid } from './objects.ts';

const REF_NAME = /^refs(?:\/(?!\.)[A-Za-z0-9._-]+(?<!\.lock|\.))+$/;
const REF_BYTES = 41;
export const MAX_PACKED_REFS_BYTES = 16 * 1024 * 1024;

/**
 * Returns what a ref points to; `undefined` when there is no such ref.
 * @throws CORRUPT when the ref is torn, TypeError when `name` is not a full ref name such as `refs/heads/main`
 */
export async function readRef(fs: FileSystem, gitdir: string, name: string): Promise<Oid | undefined> {
  if (!REF_NAME.test(name) || name.includes('..')) throw new TypeError('expected a full ref name of plain characters');
  const loose = await fs.readFile(join(gitdir, name), 4096);
  if (loose === undefined) return (await readPackedRefs(fs, gitdir)).get(name);
  const oid = decodeRef(loose);
  if (oid === undefined) {
    throw new MemgitError('CORRUPT', `expected ${name} to hold one oid, got ${loose.length} other bytes`, { details: { ref: name } });
  }
  return oid;
}

/** Encodes what a loose ref file holds. */
export function encodeRef(oid: Oid): Bytes {
  return Buffer.from(`${oid}\n`, 'latin1');
}

function decodeRef(bytes: Bytes): Oid | undefined {
  const text = Buffer.from(bytes).toString('latin1');
  return text.length === REF_BYTES && text.endsWith('\n') ? parseOid(text.slice(0, -1)) : undefined;
}

/** Reads all packed refs; empty when there is no such file. @throws CORRUPT when the file is torn */
export async function readPackedRefs(fs: FileSystem, gitdir: string): Promise<ReadonlyMap<string, Oid>> {
  const refs = new Map<string, Oid>();
  const bytes = await fs.readFile(join(gitdir, 'packed-refs'), MAX_PACKED_REFS_BYTES);
  if (bytes === undefined || bytes.length === 0) return refs;
  const lines = Buffer.from(bytes).toString('latin1').split('\n');
  if (lines.pop() !== '') throw corruptPackedRefs('the last line is cut short');
  for (const line of lines) {
    // A line with ^ gives what the tag in the line before points to.
    if (line.startsWith('#') || /^\^[0-9a-f]{40}$/.test(line)) continue;
    const oid = parseOid(line.slice(0, 40));
    const name = line.slice(41);
    if (oid === undefined || line[40] !== ' ' || !name.startsWith('refs/')) throw corruptPackedRefs('a line is not an oid and a name');
    refs.set(name, oid);
  }
  return refs;
}

/** What packed-refs holds, without one of its refs. */
export function withoutPackedRef(bytes: Bytes, name: string): Bytes {
  const lines = Buffer.from(bytes).toString('latin1').split('\n');
  const at = lines.findIndex((line) => line.slice(41) === name);
  if (at >= 0) lines.splice(at, lines[at + 1]?.startsWith('^') === true ? 2 : 1);
  return Buffer.from(lines.join('\n'), 'latin1');
}

function corruptPackedRefs(got: string): MemgitError {
  return new MemgitError('CORRUPT', `expected packed-refs to list oids and names, but ${got}`);
}
