/**
 * A memgit commit on top of git's: the message holds the sealed record, the signature is the vault's. Pure.
 *
 *     message = "memgit" LF LF base64(envelope of kind record) LF
 */
import { equalBytes, fromBase64, toBase64, type Bytes } from '../bytes.ts';
import { epochOf } from '../crypto/envelope.ts';
import { signSsh, verifySsh } from '../crypto/sshsig.ts';
import type { RandomSource } from '../crypto/sodium.ts';
import { MemgitError } from '../errors.ts';
import { encodeCommit, signedPayload, type Commit } from '../git/commit.ts';
import { oidOf, type GitObject, type Oid } from '../git/objects.ts';
import type { Epoch } from './epoch.ts';
import type { VaultKeys } from './keys.ts';
import { decodeRecord, encodeRecord, type CommitRecord } from './record.ts';

const FIRST_LINE = 'memgit\n\n';
const DAY_SEC = 86_400;

/** A commit with its record opened. */
export interface CommitInfo {
  readonly oid: Oid;
  readonly commit: Commit;
  readonly record: CommitRecord;
}

/** Seals the record and signs the commit with the epoch's key. @throws TypeError when the epoch is only for reading */
export function makeCommit(
  { tree, parents, record }: { tree: Oid; parents: readonly CommitInfo[]; record: CommitRecord }, epoch: Epoch, random: RandomSource,
): { object: GitObject; info: CommitInfo } {
  if (!epoch.signingKey) throw new TypeError('expected an epoch that can sign');
  const day = Math.floor(record.timeMs / 1000 / DAY_SEC) * DAY_SEC;
  const unsigned: Commit = {
    tree,
    parents: parents.map(({ oid }) => oid),
    // Only the day goes out in clear, and history must not seem to run backwards when a clock does.
    timeSec: Math.max(day, ...parents.map(({ commit }) => commit.timeSec)),
    message: `${FIRST_LINE}${toBase64(epoch.seal('record', encodeRecord(record), random))}\n`,
  };
  const commit: Commit = { ...unsigned, signature: signSsh(signedPayload(unsigned), epoch.signingKey) };
  const object: GitObject = { type: 'commit', body: encodeCommit(commit) };
  return { object, info: { oid: oidOf('commit', object.body), commit, record } };
}

/** Opens the record of a commit. @throws CORRUPT, ALTERED, UNSUPPORTED_VERSION */
export function openCommit(oid: Oid, commit: Commit, keys: VaultKeys): CommitInfo {
  const envelope = recordEnvelope(commit);
  const epoch = keys.epochByTag(epochOf(envelope, 'record'));
  if (!epoch) throw new MemgitError('ALTERED', 'a commit was sealed in an epoch that is not in the keyring', { details: { oid } });
  return { oid, commit, record: decodeRecord(epoch.open('record', envelope)) };
}

/** The sealed record of a commit. @throws CORRUPT when the message is not of the one form */
export function recordEnvelope({ message }: Commit): Bytes {
  const envelope = message.startsWith(FIRST_LINE) && message.endsWith('\n') ? fromBase64(message.slice(FIRST_LINE.length, -1)) : undefined;
  if (!envelope) throw new MemgitError('CORRUPT', 'expected a commit message with a sealed record, got another');
  return envelope;
}

/** @throws ALTERED unless the record is sealed in this epoch, which must be the newest of the commit's own keyring */
export function checkRecordEpoch(oid: Oid, commit: Commit, epochTag: Bytes): void {
  if (!equalBytes(epochOf(recordEnvelope(commit), 'record'), epochTag)) throw new MemgitError('ALTERED', 'a record is sealed in another epoch than its commit is of', { details: { oid } });
}

/** @throws ALTERED unless the commit is signed by this key (32 bytes) */
export function checkSignature(oid: Oid, commit: Commit, publicKey: Bytes): void {
  if (!verifiesBy(commit, publicKey)) throw new MemgitError('ALTERED', 'a commit does not carry the signature of its vault', { details: { oid } });
}

/** Tells whether the commit is signed by this key (32 bytes). */
export function verifiesBy(commit: Commit, publicKey: Bytes): boolean {
  return commit.signature !== undefined && verifySsh(commit.signature, signedPayload(commit), publicKey);
}
