import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { utf8 } from '../../../src/bytes.ts';
import { ready } from '../../../src/crypto/sodium.ts';
import { sshPublicKey } from '../../../src/crypto/sshsig.ts';
import { encodeCommit, decodeCommit } from '../../../src/git/commit.ts';
import { checkSignature, makeCommit, openCommit, type CommitInfo } from '../../../src/vault/commit-info.ts';
import { parsePath } from '../../../src/vault/path.ts';
import type { CommitRecord } from '../../../src/vault/record.ts';
import { VaultRepository } from '../../../src/vault/vault-repository.ts';
import { flipped, outcome } from '../../support/codes.ts';
import { fixedRandom } from '../../support/fixed-random.ts';
import { git, temporaryFolder } from '../../support/git-repository.ts';
import { makeEpoch, makeStore, type HandEpoch } from '../../support/hand-made-vault.ts';

const folder = temporaryFolder();
const random = fixedRandom('commit');
const day = Date.UTC(2026, 10, 30);
const record: CommitRecord = { op: 'create', paths: [], timeMs: day + 12_345_678, sequence: 1, generation: 0, addedBytes: 0, removedBytes: 0 };
const tree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904' as CommitInfo['oid'];
let epoch: HandEpoch;

beforeAll(async () => {
  await ready;
  epoch = makeEpoch(1, random);
});

test('only the day goes out in clear, and never an earlier one than a parent’s', () => {
  const { info } = makeCommit({ tree, parents: [], record }, epoch.epoch, random);
  expect(info.commit.timeSec).toBe(day / 1000);
  const backwards = makeCommit({ tree, parents: [info], record: { ...record, timeMs: day - 86_400_000 } }, epoch.epoch, random);
  expect(backwards.info.commit.timeSec).toBe(day / 1000);
  expect(backwards.info.record.timeMs).toBe(day - 86_400_000);
});

test('any changed byte of a commit is noticed', () => {
  const { object } = makeCommit({ tree, parents: [], record }, epoch.epoch, random);
  const keys = { epochByTag: () => epoch.epoch } as never;
  const open = (bytes: Uint8Array) => {
    const commit = decodeCommit(bytes);
    const info = openCommit(tree, commit, keys);
    checkSignature(tree, commit, epoch.signingKey.publicKey);
    return info;
  };
  expect(open(object.body).record).toEqual(record);
  expect(Buffer.from(encodeCommit(decodeCommit(object.body))).equals(Buffer.from(object.body))).toBe(true);
  for (let at = 0; at < object.body.length; at++) {
    const result = outcome(() => open(flipped(object.body, at, at % 2 === 0 ? 1 : 0x20)));
    expect(['ALTERED', 'CORRUPT', 'UNSUPPORTED_VERSION']).toContain('code' in result ? result.code : `accepted byte ${at}`);
  }
});

test('git itself verifies the commits of a vault, and finds nothing wrong in it', async () => {
  const store = await makeStore('alice', random);
  const gitdir = join(folder, 'vault.git');
  const vault = await VaultRepository.create(gitdir, { userId: 'alice', vaultId: store.vaultId, store: store.identity, wrapKey: store.wrapKey });
  const path = parsePath('/memories/a.txt');
  await vault.transact(async () => ({ changes: [{ kind: 'write', path, content: utf8('text') }], record: { op: 'create', paths: [path] }, result: undefined }));
  const signers = join(folder, 'allowed-signers');
  writeFileSync(signers, `memgit@localhost namespaces="git" ${sshPublicKey(vault.keys.epoch.facts.publicKey)}\n`);
  const verify = (allowed: string) =>
    execFileSync('git', [`--git-dir=${gitdir}`, '-c', `gpg.ssh.allowedSignersFile=${allowed}`, 'verify-commit', '--raw', 'main', 'main~1'], { stdio: 'pipe', env: { PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' } });
  expect(() => verify(signers)).not.toThrow();
  writeFileSync(signers, `memgit@localhost namespaces="git" ${sshPublicKey(makeEpoch(1, random).epoch.facts.publicKey)}\n`);
  expect(() => verify(signers)).toThrow();
  expect(git(gitdir, ['fsck', '--strict', '--full', '--no-dangling'])).toBe('');
});
