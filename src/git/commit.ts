/**
 * The one shape of commit that memgit writes and reads, on top of git's grammar: a fixed identity, UTC, no optional header but
 * the SSH signature, a message of printable ASCII. Pure. It carries signatures, it neither makes nor checks them.
 *
 *     "tree " oid LF || 0-2 of ("parent " oid LF) || "author " WHO LF || "committer " WHO LF ||
 *     optional ("gpgsig " armour, every line after the first led by a space) || LF || message
 */
import { equalBytes, type Bytes } from '../bytes.ts';
import { MemgitError } from '../errors.ts';
import type { Oid } from './objects.ts';

export interface Commit {
  readonly tree: Oid;
  /** None for the first commit, two for a merge. */
  readonly parents: readonly Oid[];
  /** Whole seconds since 1970, for author and committer alike. */
  readonly timeSec: number;
  /** The armour as ssh-keygen prints it: BEGIN line, base64 lines of at most 76 characters, END line, each ended by LF. */
  readonly signature?: string;
  /** Printable ASCII and LF; kept to the byte, with or without a last LF. */
  readonly message: string;
}

const IDENTITY = 'memgit <memgit@localhost>';
const ARMOUR = /^-----BEGIN SSH SIGNATURE-----\n(?:[A-Za-z0-9+/=]{1,76}\n)+-----END SSH SIGNATURE-----\n$/;
const MESSAGE = /^[\n -~]*$/;
/** Five times what the largest record makes of it. Looking for the fields of millions of lines would take the stack. */
const MAX_COMMIT_BYTES = 512 * 1024;
const MAX_TIME_SEC = 999_999_999_999;

const GRAMMAR =
  /^tree ([0-9a-f]{40})\n((?:parent [0-9a-f]{40}\n){0,2})author [^\n]*> (\d{1,12}) \+0000\ncommitter [^\n]*\n(?:gpgsig ([^\n]*\n(?: [^\n]*\n)*))?\n([^]*)$/;

/** @throws TypeError when a field is not of the shape that `Commit` describes */
export function encodeCommit(commit: Commit): Bytes {
  if (commit.signature !== undefined && !ARMOUR.test(commit.signature)) throw new TypeError('expected the signature as SSH armour with LF line ends');
  checkFields(commit);
  return encode(commit);
}

/** Returns the bytes that the commit's signature covers: the commit without it. */
export function signedPayload(commit: Commit): Bytes {
  const { signature: _, ...unsigned } = commit;
  checkFields(unsigned);
  return encode(unsigned);
}

/** @throws CORRUPT when the bytes are not exactly what `encodeCommit` writes */
export function decodeCommit(body: Bytes): Commit {
  if (body.length > MAX_COMMIT_BYTES) throw foreignCommit();
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1');
  const [, tree, parents, time, signature, message] = GRAMMAR.exec(text) ?? [];
  if (tree === undefined || parents === undefined || message === undefined) throw foreignCommit();
  const commit: Commit = {
    tree: tree as Oid,
    parents: (parents.match(/[0-9a-f]{40}/g) ?? []) as Oid[],
    timeSec: Number(time),
    ...(signature === undefined ? {} : { signature: signature.replaceAll('\n ', '\n') }),
    message,
  };
  if (!isCanonical(commit, body)) throw foreignCommit();
  return commit;
}

/** The grammar above only finds the fields; that nothing else was there is shown by writing them again. */
function isCanonical(commit: Commit, body: Bytes): boolean {
  if (commit.signature !== undefined && !ARMOUR.test(commit.signature)) return false;
  return MESSAGE.test(commit.message) && equalBytes(encode(commit), body);
}

function checkFields({ parents, timeSec, message }: Commit): void {
  if (parents.length > 2) throw new TypeError(`expected at most 2 parents, got ${parents.length}`);
  if (!Number.isInteger(timeSec) || timeSec < 0 || timeSec > MAX_TIME_SEC) {
    throw new TypeError('expected the time as whole seconds since 1970');
  }
  if (!MESSAGE.test(message)) throw new TypeError('expected a message of printable ASCII and LF');
}

function encode({ tree, parents, timeSec, signature, message }: Commit): Bytes {
  const who = `${IDENTITY} ${timeSec} +0000`;
  const parentLines = parents.map((parent) => `parent ${parent}\n`).join('');
  const signatureHeader = signature === undefined ? '' : `gpgsig ${signature.slice(0, -1).replaceAll('\n', '\n ')}\n`;
  return Buffer.from(`tree ${tree}\n${parentLines}author ${who}\ncommitter ${who}\n${signatureHeader}\n${message}`, 'latin1');
}

function foreignCommit(): MemgitError {
  return new MemgitError('CORRUPT', 'expected a commit exactly as memgit writes it, got other or additional fields');
}
