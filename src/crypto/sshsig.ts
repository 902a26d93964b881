/**
 * SSHSIG, the signature form that `git verify-commit` accepts with `gpg.format=ssh` (OpenSSH PROTOCOL.sshsig,
 * read November 2026), for Ed25519 keys and the namespace "git" only. One canonical armour: what was parsed must be
 * written again with the same bytes.
 *
 *     "SSHSIG" || uint32 1 || string publickey || string "git" || string "" || string "sha512" || string signature
 *     publickey = string "ssh-ed25519" || string key(32)       signature = string "ssh-ed25519" || string signature(64)
 *
 * where `string` is `uint32 length || bytes`, big endian.
 */
import { createHash } from 'node:crypto';
import { concat, equalBytes, fromBase64, toBase64, utf8, type Bytes } from '../bytes.ts';
import { PUBLIC_KEY_BYTES, sign, SIGNATURE_BYTES, verify, type SigningKey } from './signature.ts';

const MAGIC = utf8('SSHSIG');
const KEY_TYPE = 'ssh-ed25519';
const BEGIN = '-----BEGIN SSH SIGNATURE-----\n';
const END = '-----END SSH SIGNATURE-----\n';
const LINE_CHARS = 70;

/** Signs `message` and returns the armoured signature: ASCII lines, each ended by LF. */
export function signSsh(message: Bytes, key: SigningKey): string {
  return armour(encodeBlob(key.publicKey, sign(toBeSigned(message), key)));
}

/** Tells whether `armoured` is this key's signature of the message, in its canonical form. */
export function verifySsh(armoured: string, message: Bytes, publicKey: Bytes): boolean {
  const parsed = parseSsh(armoured);
  return (
    parsed !== undefined &&
    equalBytes(parsed.publicKey, publicKey) &&
    verify(parsed.signature, toBeSigned(message), publicKey)
  );
}

/** Reads an armoured signature; `undefined` for anything but the canonical form. */
export function parseSsh(armoured: string): { publicKey: Bytes; signature: Bytes } | undefined {
  if (!armoured.startsWith(BEGIN) || !armoured.endsWith(END)) return undefined;
  const blob = fromBase64(armoured.slice(BEGIN.length, -END.length).replaceAll('\n', ''));
  if (blob?.length !== BLOB_BYTES) return undefined;
  const publicKey = blob.subarray(KEY_OFFSET, KEY_OFFSET + PUBLIC_KEY_BYTES);
  const signature = blob.subarray(BLOB_BYTES - SIGNATURE_BYTES);
  return armour(encodeBlob(publicKey, signature)) === armoured ? { publicKey, signature } : undefined;
}

/** The public key as a line of an `authorized_keys` file, without a comment. */
export function sshPublicKey(publicKey: Bytes): string {
  return `${KEY_TYPE} ${toBase64(encodeKey(publicKey))}`;
}

function toBeSigned(message: Bytes): Bytes {
  const digest = createHash('sha512').update(message).digest();
  return concat(MAGIC, sshString('git'), sshString(''), sshString('sha512'), sshString(digest));
}

function encodeKey(publicKey: Bytes): Bytes {
  return concat(sshString(KEY_TYPE), sshString(publicKey));
}

function encodeBlob(publicKey: Bytes, signature: Bytes): Bytes {
  return concat(
    MAGIC, uint32(1), sshString(encodeKey(publicKey)), sshString('git'), sshString(''), sshString('sha512'),
    sshString(concat(sshString(KEY_TYPE), sshString(signature))),
  );
}

function armour(blob: Bytes): string {
  const lines = toBase64(blob).match(new RegExp(`.{1,${LINE_CHARS}}`, 'g')) ?? [];
  return BEGIN + lines.map((line) => `${line}\n`).join('') + END;
}

function sshString(value: string | Bytes): Bytes {
  const bytes = typeof value === 'string' ? utf8(value) : value;
  return concat(uint32(bytes.length), bytes);
}

function uint32(value: number): Bytes {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

const KEY_OFFSET = MAGIC.length + 4 + 4 + sshString(KEY_TYPE).length + 4;
const BLOB_BYTES = encodeBlob(new Uint8Array(PUBLIC_KEY_BYTES), new Uint8Array(SIGNATURE_BYTES)).length;
