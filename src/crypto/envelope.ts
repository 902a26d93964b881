/**
 * The envelope, memgit's one form for sealed data (docs/FORMAT.md, "Envelope"):
 *
 *     magic(4) || version(1) || kind(1) || epoch number(4) || epoch id(8) || nonce(24) || ciphertext(n) || tag(16)
 *
 * XChaCha20-Poly1305-IETF; the nonce is drawn here and cannot be passed in; the associated data is every header byte and
 * the 32-byte repository id, so that an envelope opens only where it was sealed and only as what it was sealed as.
 */
import { concat, equalBytes, utf8, type Bytes } from '../bytes.ts';
import { MemgitError } from '../errors.ts';
import { sodium, type RandomSource } from './sodium.ts';

const MAGIC = utf8('mgit');
const VERSION = 1;
const NONCE_BYTES = 24;
const TAG_BYTES = 16;
const PREFIX_BYTES = MAGIC.length + 2;

export const EPOCH_BYTES = 12;
export const HEADER_BYTES = PREFIX_BYTES + EPOCH_BYTES;
/** What sealing adds to a plaintext. */
export const ENVELOPE_OVERHEAD_BYTES = HEADER_BYTES + NONCE_BYTES + TAG_BYTES;

/** What an envelope holds. Numbers are part of the format; `paths` is what no object of a repository holds. */
export const KINDS = { entry: 1, record: 2, label: 3, paths: 4 } as const;
export type EnvelopeKind = keyof typeof KINDS;

/** What binds an envelope to its place. `epoch` is `number(4, big endian) || id(8)`. */
export interface EnvelopeContext {
  readonly kind: EnvelopeKind;
  readonly epoch: Bytes;
  readonly repositoryId: Bytes;
}

export function seal(plaintext: Bytes, key: Bytes, context: EnvelopeContext, random: RandomSource): Bytes {
  const header = encodeHeader(context);
  const nonce = random(NONCE_BYTES);
  const associatedData = concat(header, context.repositoryId);
  const sealed = sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(plaintext, associatedData, null, nonce, key);
  return concat(header, nonce, sealed);
}

/**
 * Opens an envelope that must be of this kind, epoch and repository.
 *
 * @throws UNSUPPORTED_VERSION when it is of a later format; CORRUPT when it is no envelope or of another kind;
 *   ALTERED when it is of another epoch or does not authenticate. Nothing of the plaintext is looked at before that.
 */
export function open(envelope: Bytes, key: Bytes, context: EnvelopeContext): Bytes {
  checkPrefix(envelope, context.kind);
  if (!equalBytes(envelope.subarray(PREFIX_BYTES, HEADER_BYTES), context.epoch)) {
    throw new MemgitError('ALTERED', 'expected an envelope of another epoch of this vault', { details: { kind: context.kind } });
  }
  const associatedData = concat(envelope.subarray(0, HEADER_BYTES), context.repositoryId);
  const nonce = envelope.subarray(HEADER_BYTES, HEADER_BYTES + NONCE_BYTES);
  const sealed = envelope.subarray(HEADER_BYTES + NONCE_BYTES);
  try {
    return sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(null, sealed, associatedData, nonce, key);
  } catch {
    throw new MemgitError('ALTERED', 'sealed data does not authenticate: it was altered, or belongs to another vault', {
      details: { kind: context.kind },
    });
  }
}

/** The epoch (12 bytes) that an envelope says it was sealed in. @throws as `open`, short of authentication */
export function epochOf(envelope: Bytes, kind: EnvelopeKind): Bytes {
  checkPrefix(envelope, kind);
  return envelope.subarray(PREFIX_BYTES, HEADER_BYTES);
}

function encodeHeader({ kind, epoch }: EnvelopeContext): Bytes {
  return concat(MAGIC, new Uint8Array([VERSION, KINDS[kind]]), epoch);
}

function checkPrefix(envelope: Bytes, kind: EnvelopeKind): void {
  if (envelope.length < ENVELOPE_OVERHEAD_BYTES || !equalBytes(envelope.subarray(0, MAGIC.length), MAGIC)) {
    throw new MemgitError('CORRUPT', 'expected a sealed envelope, got something else', { details: { kind } });
  }
  const version = envelope[MAGIC.length]!;
  if (version !== VERSION) {
    throw new MemgitError('UNSUPPORTED_VERSION', `expected envelope version ${VERSION}, got ${version}`, { details: { version } });
  }
  const got = envelope[MAGIC.length + 1]!;
  if (got !== KINDS[kind]) {
    const known = Object.values(KINDS).some((number) => number === got);
    throw new MemgitError(known ? 'CORRUPT' : 'UNSUPPORTED_VERSION', `expected envelope kind ${KINDS[kind]}, got ${got}`, {
      details: { kind, got },
    });
  }
}
