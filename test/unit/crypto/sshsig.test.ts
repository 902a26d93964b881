import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { toHex } from '../../../src/bytes.ts';
import { signingKeyFromSeed, type SigningKey } from '../../../src/crypto/signature.ts';
import { ready } from '../../../src/crypto/sodium.ts';
import { parseSsh, signSsh, sshPublicKey, verifySsh } from '../../../src/crypto/sshsig.ts';
import { flipped } from '../../support/codes.ts';
import { fixedRandom } from '../../support/fixed-random.ts';
import { temporaryFolder } from '../../support/git-repository.ts';

const folder = temporaryFolder();
let key: SigningKey;
let other: SigningKey;

beforeAll(async () => {
  await ready;
  key = signingKeyFromSeed(fixedRandom('sshsig')(32));
  other = signingKeyFromSeed(fixedRandom('other')(32));
});

const message = Buffer.from('tree 0\n\nmemgit\n');
const armoured = () => signSsh(message, key);

test('ssh-keygen accepts the signature for this message, key and namespace, and for no other', () => {
  const [signers, signature] = [join(folder, 'signers'), join(folder, 'message.sig')];
  writeFileSync(signers, `memgit ${sshPublicKey(key.publicKey)}\n`);
  writeFileSync(signature, armoured());
  const verify = (input: string | Buffer, namespace = 'git') =>
    execFileSync('ssh-keygen', ['-Y', 'verify', '-f', signers, '-I', 'memgit', '-n', namespace, '-s', signature], { input, stdio: 'pipe' }).toString();
  expect(verify(message)).toMatch(/^Good "git" signature for memgit with ED25519 key/);
  expect(() => verify('another message')).toThrow(/Could not verify signature|Signature verification failed/);
  expect(() => verify(message, 'file')).toThrow();
});

test('ssh-keygen writes the very same armour with the same key', () => {
  const keyFile = join(folder, 'key');
  writeFileSync(keyFile, openSshPrivateKey(), { mode: 0o600 });
  const made = execFileSync('ssh-keygen', ['-Y', 'sign', '-f', keyFile, '-n', 'git'], { input: message, stdio: 'pipe' }).toString();
  expect(made).toBe(armoured());
});

test('only its own key and message verify', () => {
  expect(verifySsh(armoured(), message, key.publicKey)).toBe(true);
  expect(verifySsh(armoured(), message, other.publicKey)).toBe(false);
  expect(verifySsh(armoured(), Buffer.from('other'), key.publicKey)).toBe(false);
  expect(verifySsh(signSsh(message, other), message, key.publicKey)).toBe(false);
});

test('any changed character makes another signature or none, never the same one in another spelling', () => {
  const text = armoured();
  fc.assert(
    fc.property(fc.nat(text.length - 1), fc.integer({ min: 1, max: 255 }), (at, xor) => {
      const changed = flipped(Buffer.from(text, 'latin1'), at, xor).toString('latin1');
      expect(verifySsh(changed, message, key.publicKey)).toBe(false);
    }),
    { numRuns: 300 },
  );
  for (const spelling of [text.slice(0, -1), `${text}\n`, ` ${text}`, text.replaceAll('\n', '\r\n'), text.replace('\nAAAA', '\nAA\nAA'), text.replace(/\n(?=[^\n]*\n-----END)/, '')]) {
    expect(spelling).not.toBe(text);
    expect(parseSsh(spelling)).toBeUndefined();
  }
  expect(toHex(parseSsh(text)!.publicKey)).toBe(toHex(key.publicKey));
});

/** The key in OpenSSH's own file form, unencrypted (PROTOCOL.key of OpenSSH). */
function openSshPrivateKey(): string {
  const uint32 = (value: number) => Buffer.from([value >> 24, value >> 16, value >> 8, value].map((byte) => byte & 255));
  const string = (value: string | Uint8Array) => Buffer.concat([uint32(value.length), Buffer.from(value)]);
  const publicBlob = Buffer.concat([string('ssh-ed25519'), string(key.publicKey)]);
  const secret = Buffer.concat([uint32(7), uint32(7), string('ssh-ed25519'), string(key.publicKey), string(key.secretKey), string('')]);
  const padded = Buffer.concat([secret, Buffer.from([1, 2, 3, 4, 5, 6, 7]).subarray(0, (8 - (secret.length % 8)) % 8)]);
  const blob = Buffer.concat([Buffer.from('openssh-key-v1\0'), string('none'), string('none'), string(''), uint32(1), string(publicBlob), string(padded)]);
  const lines = blob.toString('base64').match(/.{1,70}/g)!;
  return `-----BEGIN OPENSSH PRIVATE KEY-----\n${lines.join('\n')}\n-----END OPENSSH PRIVATE KEY-----\n`;
}
