/** The backups of a whole store, and a store made again from them. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clone, generateKey, openStore, type Store } from '../../src/index.ts';
import { inParallel } from '../../src/store-sync.ts';
import * as storeFolder from '../../src/vault/store-folder.ts';
import { collect } from '../support/tmp-vault.ts';

const folder = mkdtempSync(join(tmpdir(), 'memgit-store-'));
const USERS = ['alice', 'bob', 'carol'];
let key: string;
let count = 0;

beforeAll(async () => {
  key = await generateKey();
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

async function storeWithBackup(): Promise<{ store: Store; dir: string; template: string }> {
  count += 1;
  const dir = join(folder, `store-${count}`);
  const template = join(folder, `backups-${count}`, '{vault}.git');
  const first = await openStore({ dir, key });
  await first.setBackup(template);
  await first.close();
  // As the next process finds it.
  const store = await openStore({ dir, key });
  for (const user of USERS) {
    const vault = await store.vault(user);
    await vault.write('/memories/note.md', `${user}'s\n`);
    execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', template.replace('{vault}', vault.vaultId)]);
  }
  return { store, dir, template };
}

/** Seen to fail with whatever stood there believed to be what was written: the vault lay in a store that cannot open it. */
test('a clone does not go into another store that was made there meanwhile', async () => {
  const { store, template } = await storeWithBackup();
  for await (const { error } of store.sync({ pull: false })) expect(error).toBeUndefined();
  const { vaultId } = await store.vault('alice');
  await store.close();
  const place = join(folder, 'taken');
  const other = await openStore({ dir: place, key: await generateKey() });
  await other.close();
  // As it was a moment before.
  const looked = jest.spyOn(storeFolder, 'readStoreFile').mockResolvedValueOnce(undefined);
  await expect(clone({ url: template.replace('{vault}', vaultId), store: place, key })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  expect(looked).toHaveBeenCalled();
  looked.mockRestore();
  expect(readdirSync(place)).toEqual(['store.json']);
});

test('every vault is pushed, and a store comes back from its backups and the key', async () => {
  const { store, template } = await storeWithBackup();
  const synced = await collect(store.sync({ concurrency: 2 }));
  expect(synced.map(({ userId, pushed }) => [userId, pushed?.commits]).sort()).toEqual(USERS.map((user) => [user, 2]));
  const ids = synced.map(({ vaultId }) => vaultId);
  const id = store.id;
  await store.close();

  const dir = join(folder, 'again');
  for (const vaultId of ids) await clone({ url: template.replace('{vault}', vaultId), store: dir, key });
  const again = await openStore({ dir, key, create: false });
  expect(again.id).toBe(id);
  for (const user of USERS) expect(await (await again.vault(user, { create: false })).readText('/memories/note.md')).toBe(`${user}'s\n`);
  expect((await collect(again.users())).map(({ userId }) => userId).sort()).toEqual(USERS);
  await again.close();
});

test('one failure does not stop the others, and what others pushed is merged', async () => {
  const { store, template } = await storeWithBackup();
  const [alice, bob] = [await store.vault('alice'), await store.vault('bob')];
  await alice.push('backup');
  const elsewhere = join(folder, 'elsewhere');
  await clone({ url: template.replace('{vault}', alice.vaultId), store: elsewhere, key, userId: 'alice' });
  const other = await openStore({ dir: elsewhere, key });
  await (await other.vault('alice')).write('/memories/from-elsewhere.md', 'hello\n');
  await (await other.vault('alice')).push();
  await other.close();
  await alice.write('/memories/from-here.md', 'hello\n');
  rmSync(template.replace('{vault}', bob.vaultId), { recursive: true });

  const synced = await collect(store.sync({ retries: 0 }));
  const of = (user: string) => synced.find(({ userId }) => userId === user);
  expect(of('bob')).toMatchObject({ error: { code: 'REMOTE_UNREACHABLE' } });
  expect(of('carol')?.pushed).toMatchObject({ commits: 2 });
  expect(of('alice')).toMatchObject({ conflicts: [], pushed: { commits: 2 } });
  expect((await alice.list()).map(({ path }) => path)).toEqual(['/memories/from-elsewhere.md', '/memories/from-here.md', '/memories/note.md']);
  await store.close();
});

test('a template is kept under the keyed hash of store.json, and can go again', async () => {
  const { store, dir, template } = await storeWithBackup();
  const path = join(dir, 'store.json');
  expect(readFileSync(path, 'utf8')).toContain(JSON.stringify(template));
  expect(store.backup).toBe(template);
  await expect(store.setBackup('https://host/all.git')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  await expect(store.setBackup('https://me:secret@host/{vault}.git')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  await store.setBackup(undefined);
  expect(readFileSync(path, 'utf8')).not.toContain('backup');
  await store.close();
  const reopened = await openStore({ dir, key });
  expect(reopened.backup).toBeUndefined();
  await reopened.close();
});

// Seen to push to the planted repositories when the configuration went before the template.
test('whoever writes the disk does not say where the backups go', async () => {
  const { store, template } = await storeWithBackup();
  const alice = await store.vault('alice');
  const planted = join(folder, 'planted.git');
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', planted]);
  appendFileSync(join(alice.gitdir, 'config'), `[remote "backup"]\n\turl = ${planted}\n[remote "origin"]\n\turl = ${planted}\n`);

  const backup = { name: 'backup', url: template.replace('{vault}', alice.vaultId) };
  expect(await alice.remotes()).toEqual([{ name: 'origin', url: planted }, backup]);
  expect(await alice.push()).toMatchObject({ remote: 'backup' });
  for (const { error } of await collect(store.sync())) expect(error).toBeUndefined();
  expect(readdirSync(join(planted, 'objects/pack'))).toEqual([]);
  // Nor does anyone believe to have named another place.
  await alice.removeRemote('backup');
  await expect(alice.addRemote('backup', planted)).rejects.toMatchObject({ code: 'ALREADY_EXISTS' });
  expect(await alice.remotes()).toContainEqual(backup);
  await store.close();
});

test('no more are worked on at once than was asked for', async () => {
  let running = 0;
  let most = 0;
  const numbers = async function* () {
    for (let i = 0; i < 20; i += 1) yield i;
  };
  const results = await collect(
    inParallel(numbers(), 3, async (i) => {
      most = Math.max(most, (running += 1));
      await new Promise((resolve) => setTimeout(resolve, i % 3));
      running -= 1;
      return i;
    }),
  );
  expect(most).toBe(3);
  expect(results.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i));
});
