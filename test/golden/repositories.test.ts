/** Every golden repository opens, reads and fails as it says, with nothing but its store's key. Reads, and writes only to copies. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromHex, utf8 } from '../../src/bytes.ts';
import { parseKey } from '../../src/crypto/key-text.ts';
import { ready } from '../../src/crypto/sodium.ts';
import { readClaimedKeyring } from '../../src/vault/identify.ts';
import { verify } from '../../src/history/verify.ts';
import type { Unlock } from '../../src/vault/keys.ts';
import { parsePath } from '../../src/vault/path.ts';
import { openStoreSlots, vaultWrapKey } from '../../src/vault/store-file.ts';
import { VaultRepository } from '../../src/vault/vault-repository.ts';
import { historyOf, type GoldenRepository } from '../../scripts/fixtures/repositories.ts';
import { outcomeOf } from '../support/codes.ts';
import { git, temporaryFolder } from '../support/git-repository.ts';

beforeAll(() => ready);

const fixtures = join(__dirname, '../../fixtures/v1');
const folder = temporaryFolder();
const goldens = JSON.parse(readFileSync(join(fixtures, 'repositories.json'), 'utf8')) as GoldenRepository[];

function unpack(name: string): string {
  const target = join(folder, name);
  mkdirSync(target, { recursive: true });
  execFileSync('tar', ['-xzf', join(fixtures, 'repositories', `${name}.tar.gz`), '-C', target]);
  return join(target, `${name}.git`);
}

async function unlockOf(gitdir: string, { storeKey, privateKey }: GoldenRepository): Promise<Unlock> {
  if (privateKey !== undefined) return { privateKey: fromHex(privateKey)! };
  const claimed = await readClaimedKeyring(gitdir);
  return { wrapKey: vaultWrapKey(await openStoreSlots(claimed.store, { key: parseKey(storeKey) }), claimed.vaultId) };
}

const titled = (wanted: (golden: GoldenRepository) => boolean) => goldens.filter(wanted).map((golden) => [golden.name, golden] as const);

test.each(titled(({ expect: outcome }) => outcome === 'success'))('%s reads as it did when it was made', async (name, golden) => {
  const gitdir = unpack(name);
  const vault = await VaultRepository.open(gitdir, await unlockOf(gitdir, golden), { readOnly: true });
  expect([vault.keys.userId, vault.keys.role]).toEqual([golden.userId, golden.role]);
  expect(await historyOf(vault)).toEqual(golden.history);
  expect(await verify(vault)).toMatchObject({ ok: true });
  await vault.close();
});

test.each(titled(({ role }) => role === 'writer'))('%s can be written on, and git finds nothing wrong with it', async (name, golden) => {
  const gitdir = unpack(name);
  const unlock = await unlockOf(gitdir, golden);
  const vault = await VaultRepository.open(gitdir, unlock);
  const path = parsePath('/memories/new.txt');
  await vault.transact(async () => ({ changes: [{ kind: 'write', path, content: utf8('new') }], record: { op: 'create', paths: [path] }, result: undefined }));
  await vault.close();
  expect(await historyOf(await VaultRepository.open(gitdir, unlock))).toEqual([expect.objectContaining({ op: 'create' }), ...golden.history!]);
  expect(git(gitdir, ['fsck', '--strict', '--full', '--no-dangling'])).toBe('');
});

test.each(titled(({ at }) => at === 'open'))('%s does not open', async (name, golden) => {
  const gitdir = unpack(name);
  const result = await outcomeOf(async () => VaultRepository.open(gitdir, await unlockOf(gitdir, golden)));
  expect(result).toEqual({ code: golden.expect });
});

test.each(titled(({ at }) => at === 'read'))('%s opens and does not read', async (name, golden) => {
  const gitdir = unpack(name);
  const vault = await VaultRepository.open(gitdir, await unlockOf(gitdir, golden));
  expect(await outcomeOf(async () => historyOf(vault))).toEqual({ code: golden.expect });
  expect(await verify(vault)).toMatchObject({ ok: false });
});
