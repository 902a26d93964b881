/**
 * Every parser of bytes that somebody else may have made, on damaged copies of good ones: it gives a value or one of its documented
 * errors, soon and without memory that stays. Seen to fail with the checks of a pack index left out, with the errors of the CBOR library
 * passed on, and without a turn of the event loop between inputs.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { utf8, type Bytes } from '../../src/bytes.ts';
import { open, seal } from '../../src/crypto/envelope.ts';
import { formatKey, parseKey } from '../../src/crypto/key-text.ts';
import { ready, systemRandom } from '../../src/crypto/sodium.ts';
import { parseSsh } from '../../src/crypto/sshsig.ts';
import type { ErrorCode } from '../../src/errors.ts';
import { decodeCommit } from '../../src/git/commit.ts';
import { checkConfig, CONFIG_TEXT } from '../../src/git/config.ts';
import { applyDelta } from '../../src/git/delta.ts';
import { decodeTree } from '../../src/git/objects.ts';
import { decodeOwner, describeSelf, encodeOwner } from '../../src/git/owner.ts';
import { PackIndex } from '../../src/git/pack-index.ts';
import { readPackedObject } from '../../src/git/pack-read.ts';
import { receivePack } from '../../src/git/pack-receive.ts';
import { parseRemoteUrl } from '../../src/git/remote-url.ts';
import { parseChecklist } from '../../src/session/checklist.ts';
import { decodeMap } from '../../src/vault/cbor.ts';
import { decodeEntry, directoryEntry, encodeEntry, fileEntry } from '../../src/vault/entry.ts';
import { decodeKeyring } from '../../src/vault/keyring.ts';
import { parsePath } from '../../src/vault/path.ts';
import { decodePayload, encodePayload } from '../../src/vault/payload.ts';
import { decodeRecord, encodeRecord } from '../../src/vault/record.ts';
import { createStore, encodeStoreFile, openStoreFile } from '../../src/vault/store-file.ts';
import { decodeRoot } from '../../src/vault/tree.ts';
import { outcomeOf } from '../support/codes.ts';
import { bodyFromGit, everyObject, temporaryFolder } from '../support/git-repository.ts';
import { mutated } from '../support/mutate.ts';
import { randomFrom, seed } from '../support/random.ts';
import { at, createTmpVault, writeFile } from '../support/tmp-vault.ts';

jest.setTimeout(process.env['SLOW'] === '1' ? 3_600_000 : 300_000);

const folder = temporaryFolder();
const inputs = process.env['SLOW'] === '1' ? 100_000 : 1_000;

interface Target {
  readonly corpus: readonly Bytes[];
  readonly codes: readonly ErrorCode[];
  parse(bytes: Bytes): unknown;
}

/** The parsers, each with good bytes: a vault's own files and objects, as far as it has such. */
async function makeTargets(): Promise<Record<string, Target>> {
  await ready;
  const made = await createTmpVault(folder);
  for (let i = 0; i < 12; i += 1) await writeFile(made.vault, `${i % 5}/note.md`, `${'a line of some length\n'.repeat(i * i)}${i}`);
  await made.vault.close();
  const objects = (type: string) => everyObject(made.gitdir).filter((each) => each.type === type).map(({ oid }) => bodyFromGit(made.gitdir, type, oid));
  const folderOfPacks = join(made.gitdir, 'objects/pack');
  const files = (extension: string) => readdirSync(folderOfPacks).filter((name) => name.endsWith(extension)).sort().map((name) => readFileSync(join(folderOfPacks, name)));
  const [packs, indexes] = [files('.pack'), files('.idx')];
  const [commits, blobs] = [objects('commit'), objects('blob')];
  const before = utf8('one\ntwo\n'.repeat(400));
  const after = utf8(`${'one\ntwo\n'.repeat(400)}three\n`);
  const delta = await encodePayload(after, 'deflate', { content: before, blob: 'a'.repeat(40), depth: 0 });
  const deflated = await encodePayload(after, 'deflate', undefined);
  const [key, epoch, repositoryId] = [systemRandom(32), systemRandom(12), systemRandom(32)];
  const context = { kind: 'entry' as const, epoch, repositoryId };
  const record = { op: 'create', paths: [at('a'), at('b')], timeMs: 1, sequence: 1, generation: 0, addedBytes: 1, removedBytes: 0, note: 'n', actor: 'a' };
  const entries = [encodeEntry(fileEntry(at('a/b'), after.length, delta)), encodeEntry(fileEntry(at('a'), after.length, deflated)), encodeEntry(directoryEntry(at('d')))];
  const asText = (parse: (text: string) => unknown) => (bytes: Bytes) => parse(Buffer.from(bytes).toString('latin1'));

  return {
    envelope: { corpus: [seal(before, key, context, systemRandom)], codes: ['CORRUPT', 'ALTERED', 'UNSUPPORTED_VERSION'], parse: (bytes) => open(bytes, key, context) },
    'CBOR map': { corpus: [...entries, encodeRecord(record)], codes: [], parse: decodeMap },
    entry: { corpus: entries, codes: ['CORRUPT'], parse: decodeEntry },
    deflate: { corpus: [deflated.bytes], codes: ['CORRUPT', 'TOO_LARGE'], parse: (bytes) => decodePayload('deflate', bytes, after.length, undefined) },
    'delta of an entry': { corpus: [delta.bytes], codes: ['CORRUPT', 'TOO_LARGE'], parse: (bytes) => decodePayload('delta', bytes, after.length, before) },
    record: { corpus: [encodeRecord(record)], codes: ['CORRUPT'], parse: decodeRecord },
    keyring: { corpus: blobs.filter((bytes) => bytes[0] === 0x7b), codes: ['CORRUPT', 'ALTERED', 'UNSUPPORTED_VERSION'], parse: decodeKeyring },
    'store.json': {
      corpus: [encodeStoreFile(await createStore({ key }, 'derived', systemRandom))],
      codes: ['CORRUPT', 'UNSUPPORTED_VERSION', 'ALTERED', 'DAMAGED_SLOT', 'WRONG_KEY'],
      parse: (bytes) => openStoreFile(bytes, { key }),
    },
    'key text': { corpus: [utf8(formatKey(key))], codes: ['KEY_MALFORMED'], parse: asText(parseKey) },
    SSHSIG: { corpus: commits.map((commit) => utf8(decodeCommit(commit).signature!)), codes: [], parse: asText(parseSsh) },
    commit: { corpus: commits, codes: ['CORRUPT'], parse: decodeCommit },
    tree: { corpus: objects('tree'), codes: ['CORRUPT'], parse: decodeTree },
    'root of a memory': { corpus: objects('tree').filter((tree) => decodeTree(tree).some(({ name }) => name === 'memgit.json')), codes: ['CORRUPT', 'UNSUPPORTED_VERSION'], parse: decodeRoot },
    'pack index': { corpus: indexes, codes: ['CORRUPT'], parse: readWholeIndex },
    pack: { corpus: packs.slice(0, 1), codes: ['CORRUPT'], parse: (bytes) => readWholePack(bytes, indexes[0]!) },
    'pack from a remote': { corpus: packs, codes: ['CORRUPT', 'TOO_LARGE'], parse: (bytes) => receivePack(bytes, () => undefined) },
    'delta of git': { corpus: [GIT_DELTA], codes: ['CORRUPT'], parse: (bytes) => applyDelta(GIT_BASE, bytes) },
    'owner of a lock': { corpus: [encodeOwner(describeSelf())], codes: [], parse: decodeOwner },
    'git config': { corpus: [utf8(CONFIG_TEXT)], codes: ['UNSUPPORTED_REPOSITORY'], parse: asText(checkConfig) },
    'remote address': { corpus: ['https://u@example.org:1/a.git', 'git@example.org:a/b.git', '/srv/a.git'].map(utf8), codes: ['INVALID_ARGUMENT'], parse: asText(parseRemoteUrl) },
    path: { corpus: ['/memories/a/b.md', '/memories/\u00fc/\u{1f9e0}', '/memories//./x'].map(utf8), codes: ['INVALID_PATH'], parse: (bytes) => parsePath(Buffer.from(bytes).toString()) },
    checklist: { corpus: [utf8('[{"id":"a","description":"b","steps":["c"],"passes":false}]')], codes: [], parse: asText(parseChecklist) },
  };
}

/** Copies all of the base, then inserts two bytes. */
const GIT_BASE = Buffer.alloc(300, 'base ');
const GIT_DELTA = Buffer.from([0xac, 0x02, 0xae, 0x02, 0xb0, 0x2c, 0x01, 0x02, 0x68, 0x69]);

function readWholeIndex(bytes: Bytes): unknown {
  const index = new PackIndex(bytes);
  return [...index.entries()].map(({ oid, offset }) => [index.offsetOf(oid), index.endOf(offset, 1_000_000)]);
}

/** Under its right index, so that the pack itself is at fault. */
async function readWholePack(bytes: Bytes, indexBytes: Bytes): Promise<unknown> {
  const index = new PackIndex(indexBytes);
  const handle = { sizeBytes: bytes.length, read: async (position: number, length: number) => bytes.subarray(position, position + length), close: async () => {} };
  const objects = [];
  for (const { offset } of index.entries()) objects.push(await readPackedObject(handle, index, offset));
  return objects;
}

let targets: Record<string, Target>;
beforeAll(async () => {
  targets = await makeTargets();
});

const NAMES = [
  'envelope', 'CBOR map', 'entry', 'deflate', 'delta of an entry', 'record', 'keyring', 'store.json', 'key text', 'SSHSIG', 'commit', 'tree', 'root of a memory',
  'pack index', 'pack', 'pack from a remote', 'delta of git', 'owner of a lock', 'git config', 'remote address', 'path', 'checklist',
];

test('every parser is named', () => {
  expect(Object.keys(targets)).toEqual(NAMES);
});

test.each(NAMES)(`%s, ${inputs} inputs (SEED=${seed})`, async (name) => {
  const { corpus, codes, parse } = targets[name]!;
  expect(corpus).not.toEqual([]);
  for (const good of corpus) await parse(good);
  const random = randomFrom(seed);
  const before = process.resourceUsage().maxRSS;
  for (let i = 0; i < inputs; i += 1) {
    // node keeps what failed to inflate until the event loop has had its turn.
    if (i % 100 === 0) await new Promise(setImmediate);
    const bytes = mutated(random, corpus);
    // A parser that changes what it is given would change it for everyone.
    const copy = Buffer.from(bytes);
    const outcome = await outcomeOf(async () => parse(bytes)).catch((cause: unknown) => {
      throw new Error(`input ${i}, ${copy.toString('base64')}: ${String(cause)}`, { cause });
    });
    if ('code' in outcome && !codes.includes(outcome.code)) throw new Error(`input ${i}, ${copy.toString('base64')}: ${outcome.code} is not among ${codes.join(', ')}`);
    if (!copy.equals(bytes)) throw new Error(`input ${i}, ${copy.toString('base64')}: the parser changed it`);
  }
  expect((process.resourceUsage().maxRSS - before) / 1024).toBeLessThan(200);
});
