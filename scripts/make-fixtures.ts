/**
 * Writes the golden data of format 1 into fixtures/v1: `node scripts/run-ts.mjs scripts/make-fixtures.ts`. Once a version is
 * released its data is never made again, only added to: it stands for what is out in the world. Clock and randomness are fixed,
 * but for the ephemeral keys of sealed boxes, so what holds one is another each time.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fromHex } from '../src/bytes.ts';
import { parseKey } from '../src/crypto/key-text.ts';
import { ready } from '../src/crypto/sodium.ts';
import { readClaimedKeyring } from '../src/vault/identify.ts';
import { openStoreSlots, vaultWrapKey } from '../src/vault/store-file.ts';
import { VaultRepository } from '../src/vault/vault-repository.ts';
import { fixedRandom } from '../test/support/fixed-random.ts';
import { historyOf, repositories, type GoldenRepository } from './fixtures/repositories.ts';
import { vectors } from './fixtures/vectors.ts';

const target = 'fixtures/v1';

async function main(): Promise<void> {
  await ready;
  rmSync(target, { recursive: true, force: true });
  for (const folder of ['vectors', 'repositories']) mkdirSync(join(target, folder), { recursive: true });
  for (const [name, make] of Object.entries(vectors)) writeJson(join('vectors', `${name}.json`), await make(fixedRandom(name)));

  const work = mkdtempSync(join(tmpdir(), 'memgit-fixtures-'));
  const made: GoldenRepository[] = [];
  for (const [name, make] of Object.entries(repositories)) {
    const gitdir = join(work, `${name}.git`);
    const golden = await make(gitdir, fixedRandom(name));
    made.push({ name, ...golden, ...(golden.expect === 'success' && { history: await readHistory(gitdir, golden) }) });
    pack(work, name);
  }
  writeJson('repositories.json', made);
  rmSync(work, { recursive: true });
}

async function readHistory(gitdir: string, { storeKey, privateKey }: Pick<GoldenRepository, 'storeKey' | 'privateKey'>) {
  const claimed = await readClaimedKeyring(gitdir);
  const secret = await openStoreSlots(claimed.store, { key: parseKey(storeKey) });
  const unlock = privateKey === undefined ? { wrapKey: vaultWrapKey(secret, claimed.vaultId) } : { privateKey: fromHex(privateKey)! };
  const vault = await VaultRepository.open(gitdir, unlock, { readOnly: true });
  const history = await historyOf(vault);
  await vault.close();
  return history;
}

/** Owner, order and time are fixed, so that only what changed differs. */
function pack(folder: string, name: string): void {
  const fixed = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner', '--mode=u=rwX,go='];
  const tar = execFileSync('tar', ['-C', folder, ...fixed, '-cf', '-', `${name}.git`], { maxBuffer: 2 ** 26 });
  writeFileSync(join(target, 'repositories', `${name}.tar.gz`), execFileSync('gzip', ['-n9'], { input: tar, maxBuffer: 2 ** 26 }));
}

function writeJson(path: string, value: unknown): void {
  writeFileSync(join(target, path), `${JSON.stringify(value, undefined, 1)}\n`);
}

await main();
