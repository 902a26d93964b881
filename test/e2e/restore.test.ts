/** What is left when the machine is lost: a copy and the key restore everything; a copy without the key restores nothing. */
import { cpSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { generateKey, openRepository, openStore, type Vault } from '../../src/index.ts';
import { git, temporaryFolder } from '../support/git-repository.ts';

const folder = temporaryFolder();
const copy = join(folder, 'elsewhere', 'copy');
const users = ['alice', 'bob'];
const key = generateKey();
let before: Record<string, unknown>;
let clone: string;

beforeAll(async () => {
  const dir = join(folder, 'store');
  const store = await openStore({ dir, key: await key });
  for (const user of users) {
    const vault = await store.vault(user);
    for (let i = 0; i < 5; i += 1) await vault.write(`/memories/${user}/${i}.txt`, `line of ${user}\n`.repeat(10 * i));
    await vault.remove(`/memories/${user}/3.txt`);
  }
  const alice = await store.vault('alice');
  clone = join(folder, 'clone.git');
  git(alice.gitdir, ['clone', '--quiet', '--bare', alice.gitdir, clone]);
  before = Object.fromEntries(await Promise.all(users.map(async (user) => [user, await contentsOf(await store.vault(user))] as const)));
  await store.close();
  cpSync(dir, copy, { recursive: true });
  renameSync(dir, join(folder, 'lost'));
});

async function contentsOf(vault: Vault): Promise<Record<string, string | undefined>> {
  const files = (await vault.list()).filter(({ kind }) => kind === 'file');
  return Object.fromEntries(await Promise.all(files.map(async ({ path }) => [path, await vault.readText(path)] as const)));
}

test('a copy of the store on another path and the key', async () => {
  const store = await openStore({ dir: copy, key: await key, create: false });
  const found: Record<string, unknown> = {};
  for await (const { userId } of store.users()) found[userId!] = await contentsOf(await store.vault(userId!, { create: false }));
  expect(found).toEqual(before);
  const alice = await store.vault('alice');
  await alice.write('/memories/after.txt', 'and it goes on');
  expect(git(alice.gitdir, ['fsck', '--strict', '--no-dangling'])).toBe('');
  await store.close();
});

test("git's own clone of one vault and the key of its store", async () => {
  const vault = await openRepository({ gitdir: clone, key: await key, readOnly: true });
  expect(vault.userId).toBe('alice');
  expect(await contentsOf(vault)).toEqual(before['alice']);
  await vault.close();
});

test('a copy with the key lost says what can be done', async () => {
  await expect(openStore({ dir: copy, key: undefined })).rejects.toMatchObject({
    code: 'KEY_MISSING',
    message: expect.stringMatching(/without its key, or a copy of it, a store cannot be read by anyone/) as string,
  });
  await expect(openStore({ dir: copy, key: await generateKey() })).rejects.toMatchObject({
    code: 'WRONG_KEY',
    message: expect.stringMatching(/does not open this store/) as string,
  });
  await expect(openRepository({ gitdir: clone, key: await generateKey() })).rejects.toMatchObject({ code: 'WRONG_KEY' });
});
