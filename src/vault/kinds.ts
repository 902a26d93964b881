/**
 * Tells memgit's objects from everything else without a key: what is not a canonical commit with a sealed record, a tree of
 * the one shape, a sealed entry or a keyring does not leave for a remote and is not taken from one.
 */
import { utf8Decode } from '../bytes.ts';
import { epochOf } from '../crypto/envelope.ts';
import { MemgitError } from '../errors.ts';
import { decodeCommit, type Commit } from '../git/commit.ts';
import { decodeTree, type GitObject } from '../git/objects.ts';
import { recordEnvelope } from './commit-info.ts';
import { decodeKeyring, KEYRING_NAME } from './keyring.ts';
import { decodeFan, decodeRoot, MAX_ROOT_BYTES } from './tree.ts';

/** A tree does not say which subtree it is; any letter does to check its shape. */
const ANY_FAN = 'a';

/** @throws CORRUPT, UNSUPPORTED_VERSION when the object is of no kind that a vault consists of */
export function checkKind({ type, body }: GitObject): void {
  if (type === 'commit') checkedCommit(body);
  else if (type === 'tree') checkTree(body);
  else checkBlob(body);
}

/** Decodes a commit that has a sealed record. @throws CORRUPT, UNSUPPORTED_VERSION */
export function checkedCommit(body: Uint8Array): Commit {
  const commit = decodeCommit(body);
  epochOf(recordEnvelope(commit), 'record');
  return commit;
}

function checkTree(body: Uint8Array): void {
  if (body.length <= MAX_ROOT_BYTES && decodeTree(body).some(({ name }) => name === KEYRING_NAME)) decodeRoot(body);
  else decodeFan(ANY_FAN, body);
}

/** JSON begins with a brace, an envelope with its magic. */
function checkBlob(body: Uint8Array): void {
  if (body[0] !== '{'.charCodeAt(0)) {
    epochOf(body, 'entry');
    return;
  }
  if (utf8Decode(body) === undefined) throw new MemgitError('CORRUPT', 'expected a sealed entry or a keyring, got something else');
  decodeKeyring(body);
}
