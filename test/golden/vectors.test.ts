/** Every golden vector gives what it says: bytes of format 1 mean the same for ever. Only reads. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromHex, toHex, type Bytes } from '../../src/bytes.ts';
import { open, type EnvelopeKind } from '../../src/crypto/envelope.ts';
import { deriveKey } from '../../src/crypto/kdf.ts';
import { formatKey, parseKey } from '../../src/crypto/key-text.ts';
import { LABELS, type Label } from '../../src/crypto/labels.ts';
import { ready } from '../../src/crypto/sodium.ts';
import { sshPublicKey } from '../../src/crypto/sshsig.ts';
import { unwrapKey } from '../../src/crypto/wrap.ts';
import { decodeCommit } from '../../src/git/commit.ts';
import { oidOf } from '../../src/git/objects.ts';
import { checkSignature, openCommit } from '../../src/vault/commit-info.ts';
import { decodeEntry } from '../../src/vault/entry.ts';
import { Epoch } from '../../src/vault/epoch.ts';
import { decodeKeyring } from '../../src/vault/keyring.ts';
import { openKeyring, type VaultKeys } from '../../src/vault/keys.ts';
import type { MemoryPath } from '../../src/vault/path.ts';
import { decodePayload } from '../../src/vault/payload.ts';
import { decodeRecord } from '../../src/vault/record.ts';
import { openStoreFile, vaultIdOf, vaultWrapKey } from '../../src/vault/store-file.ts';
import { outcomeOf } from '../support/codes.ts';

beforeAll(() => ready);

const folder = join(__dirname, '../../fixtures/v1/vectors');
type Vector = Readonly<Record<string, string>> & { readonly expect: string };

const hex = (text: string | undefined): Bytes => fromHex(text!)!;
const sha256 = (bytes: Bytes): string => createHash('sha256').update(bytes).digest('hex');
const epochWith = (key: Bytes, number = 1, id: Bytes = new Uint8Array(8), repositoryId: Bytes = new Uint8Array(32)) => new Epoch({ number, id, repositoryId, publicKey: new Uint8Array(32) }, key, undefined);

/** What a vector's bytes give, under the names that the vector uses for it; compared with its fields one by one. */
const READERS: Readonly<Record<string, (vector: Vector) => object | Promise<object>>> = {
  envelope: ({ kind, envelope, key, epoch, repositoryId }) => ({
    plaintext: toHex(open(hex(envelope), hex(key), { kind: kind as EnvelopeKind, epoch: hex(epoch), repositoryId: hex(repositoryId) })),
  }),

  'wrapped-key': ({ wrapped, wrappingKey, label, context }) => ({ key: toHex(unwrapKey(hex(wrapped), hex(wrappingKey), { label: label as Label, context: hex(context) })) }),

  'key-text': ({ text }) => {
    const key = parseKey(text!);
    expect(formatKey(key)).toBe(text!.trim().toLowerCase());
    return { key: toHex(key) };
  },

  derivation({ key, label, context, epochKey, path, secret, userId }) {
    if (label !== undefined) return { subkey: toHex(deriveKey(hex(key), label as Label, hex(context))) };
    if (path !== undefined) return { entryName: epochWith(hex(epochKey)).nameOf(path as MemoryPath) };
    const vaultId = vaultIdOf(hex(secret), userId!);
    return { vaultId: toHex(vaultId), wrapKey: toHex(vaultWrapKey(hex(secret), vaultId)) };
  },

  entry({ plaintext, base }) {
    const { header, payload } = decodeEntry(hex(plaintext));
    const content = decodePayload(header.encoding, payload, header.size, base === undefined ? undefined : hex(base));
    return {
      path: header.path, kind: header.kind, encoding: header.encoding, ...(header.kind === 'file' && { contentSha256: sha256(content) }),
      ...(header.base && { base, baseBlob: header.base.blob, depth: header.base.depth }),
    };
  },

  record: ({ plaintext }) => ({ record: decodeRecord(hex(plaintext)) }),

  commit({ commit: text, epochKey, number, id, repositoryId, publicKey }) {
    const bytes = Buffer.from(text!);
    const oid = oidOf('commit', bytes);
    const commit = decodeCommit(bytes);
    const epoch = epochWith(hex(epochKey), Number(number), hex(id), hex(repositoryId));
    const { record } = openCommit(oid, commit, { epochByTag: () => epoch } as unknown as VaultKeys);
    checkSignature(oid, commit, hex(publicKey));
    return { oid, record, sshPublicKey: sshPublicKey(hex(publicKey)) };
  },

  async 'store-file'({ text, key, passphrase }) {
    const { secret, backup } = await openStoreFile(Buffer.from(text!), passphrase === undefined ? { key: hex(key) } : { passphrase });
    return { secret: toHex(secret), ...(backup === undefined ? {} : { backup }) };
  },

  keyring({ text, wrapKey, privateKey }) {
    const keyring = decodeKeyring(Buffer.from(text!));
    const keys = openKeyring(keyring, privateKey === undefined ? { wrapKey: hex(wrapKey) } : { privateKey: hex(privateKey) });
    const epochKeys = keyring.epochs.map(({ number, id }) => toHex(keys.epochByTag(Uint8Array.of(0, 0, 0, number, ...id))!.key));
    return { userId: keys.userId, role: keys.role, repositoryId: toHex(keys.repositoryId), vaultId: toHex(keyring.vaultId), epochKeys };
  },
};

test('there is a reader for every file of vectors', () => {
  expect(readdirSync(folder).map((name) => name.replace('.json', ''))).toEqual(Object.keys(READERS).sort());
});

describe.each(Object.entries(READERS))('%s', (name, read) => {
  const vectors = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as (Vector & { name: string })[];

  test.each(vectors.map((vector) => [vector.name, vector] as const))('%s', async (_, vector) => {
    const result = await outcomeOf(async () => read(vector));
    if (vector.expect === 'success') expect(result).toEqual({ value: expect.objectContaining({}) });
    else expect(result).toEqual({ code: vector.expect });
    if ('value' in result) expect(vector).toMatchObject(result.value);
  });
});

test('the vectors know every label', () => {
  const derivations = readFileSync(join(folder, 'derivation.json'), 'utf8');
  for (const label of Object.values(LABELS)) expect(derivations).toContain(JSON.stringify(label));
});
