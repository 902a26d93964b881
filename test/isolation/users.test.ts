/**
 * Every way that one user could come to another's memory: ids that look alike, folders, blobs, commits and keyrings put in another's
 * place, links planted in a store, the shared cache, temporary files, the text of errors. Seen to fail with user ids normalised, with
 * one part of the cache for all vaults, with its bytes given away, with the check for links left out, and with files that others may read.
 */
import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { MemgitError } from '../../src/errors.ts';
import type { Oid } from '../../src/git/objects.ts';
import { clone, generateKey, isMemgitError, openStore, type Store, type UserEntry, type Vault } from '../../src/index.ts';
import { SharedCache } from '../../src/vault/cache.ts';
import type { FileInfo } from '../../src/vault/snapshot.ts';
import { VaultRepository } from '../../src/vault/vault-repository.ts';
import { git, temporaryFolder } from '../support/git-repository.ts';
import { at, collect, createTmpVault, textOf, writeFile } from '../support/tmp-vault.ts';

const folder = temporaryFolder();
let count = 0;
const SECRET = 'the word is xylophone';

interface TwoUsers {
  readonly dir: string;
  readonly alice: string;
  readonly bob: string;
  readonly key: string;
  /** Opens the store anew, so that nothing is remembered. */
  reopen(): Promise<Store>;
}

/** Alice has a secret; Bob has a file of the same name. */
async function twoUsers(): Promise<TwoUsers> {
  const [dir, key] = [join(folder, `store-${(count += 1)}`), await generateKey()];
  const reopen = () => openStore({ dir, key, lockTimeoutMs: 200 });
  const store = await reopen();
  const gitdirs = [];
  for (const [user, text] of [['alice', SECRET], ['bob', 'nothing']] as const) {
    const vault = await store.vault(user);
    await vault.write('/memories/note.md', text);
    gitdirs.push(vault.gitdir);
  }
  await store.close();
  return { dir, alice: gitdirs[0]!, bob: gitdirs[1]!, key, reopen };
}

/** What Bob gets when he looks for it: never Alice's. Returns how it ended. */
async function asBob(reopen: () => Promise<Store>): Promise<string> {
  const store = await reopen();
  try {
    const vault = await store.vault('bob');
    const { content } = await vault.execute({ command: 'view', path: '/memories/note.md' });
    expect(JSON.stringify(content)).not.toContain('xylophone');
    for await (const { oid } of vault.log()) expect(JSON.stringify(await vault.show(oid))).not.toContain('xylophone');
    return 'read his own';
  } catch (error) {
    if (!isMemgitError(error)) throw error;
    expect(`${error.message} ${JSON.stringify(error.details)}`).not.toMatch(/xylophone|alice|note\.md/);
    return error.code;
  } finally {
    await store.close();
  }
}

test('ids that look alike are different users', async () => {
  const alike = ['user', 'User', ' user', 'user ', 'user\u0000', 'us\u200ber', '\u00fcser', 'u\u0308ser', 'ⓤser', '../user', 'user/..', 'user.git', 'x'.repeat(512), 'x'.repeat(511)];
  const [dir, key] = [join(folder, 'alike'), await generateKey()];
  const store = await openStore({ dir, key });
  for (const id of alike) await (await store.vault(id)).write('/memories/id', id);
  for (const id of alike) expect(await (await store.vault(id)).readText('/memories/id')).toBe(id);
  const listed = [];
  for await (const { userId } of store.users()) listed.push(userId);
  expect(listed.sort()).toEqual([...alike].sort());
  await store.close();
  for (const name of readdirSync(dir, { recursive: true, encoding: 'utf8' })) expect(name).not.toContain('user.');
});

test.each([['\ud800', TypeError], ['', RangeError], ['x'.repeat(513), RangeError], [undefined, TypeError], [['alice'], TypeError]])('%j is no user id', async (id, error) => {
  const store = await openStore({ dir: join(folder, `none-${(count += 1)}`), key: await generateKey() });
  await expect(store.vault(id as string)).rejects.toThrow(error);
  await store.close();
});

test("Alice's folder in Bob's place is refused", async () => {
  const { alice, bob, reopen } = await twoUsers();
  rmSync(bob, { recursive: true });
  cpSync(alice, bob, { recursive: true });
  expect(await asBob(reopen)).toMatch(/^(WRONG_KEY|ALTERED)$/);
});

test("Alice's objects and her ref in Bob's repository are refused", async () => {
  const { alice, bob, reopen } = await twoUsers();
  cpSync(join(alice, 'objects'), join(bob, 'objects'), { recursive: true });
  writeFileSync(join(bob, 'refs/heads/main'), readFileSync(join(alice, 'refs/heads/main')));
  expect(await asBob(reopen)).toMatch(/^(WRONG_KEY|ALTERED)$/);
});

test.each(['the keyring', 'an entry'])("a commit of Bob's with %s of Alice's is refused", async (what) => {
  const { alice, bob, reopen } = await twoUsers();
  cpSync(join(alice, 'objects'), join(bob, 'objects'), { recursive: true });
  const list = (gitdir: string) => git(gitdir, ['ls-tree', '-r', 'main']).trim().split('\n').map((line) => line.split(/[\t ]/));
  const isKeyring = ([, , , name]: readonly string[]) => name === 'memgit.json';
  const hers = list(alice).find((line) => isKeyring(line) === (what === 'the keyring'))!;
  const lines = list(bob).map((line) => (isKeyring(line) === (what === 'the keyring') ? [line[0], line[1], hers[2], line[3]] : line));
  const tree = treeOf(bob, lines as string[][]);
  const raw = git(bob, ['cat-file', 'commit', 'main']).replace(/^tree .*/, `tree ${tree}`);
  const commit = git(bob, ['hash-object', '-t', 'commit', '-w', '--stdin'], Buffer.from(raw, 'latin1')).trim();
  git(bob, ['update-ref', 'refs/heads/main', commit]);
  expect(await asBob(reopen)).toMatch(/^(WRONG_KEY|ALTERED|CORRUPT)$/);
});

/** Writes the tree of `mode type oid path` lines, one folder deep, and returns its oid. */
function treeOf(gitdir: string, lines: readonly string[][]): string {
  const folders = new Map<string, string[]>();
  const top: string[] = [];
  for (const [mode, type, oid, path] of lines) {
    const [first, rest] = path!.split('/');
    if (rest === undefined) top.push(`${mode} ${type} ${oid}\t${first}`);
    else folders.set(first!, [...(folders.get(first!) ?? []), `${mode} ${type} ${oid}\t${rest}`]);
  }
  for (const [name, entries] of folders) top.push(`040000 tree ${git(gitdir, ['mktree'], `${entries.join('\n')}\n`).trim()}\t${name}`);
  return git(gitdir, ['mktree'], `${top.join('\n')}\n`).trim();
}

describe('a link planted in a store is not followed', () => {
  test.each<[string, (users: TwoUsers) => string]>([
    ["Bob's repository", ({ bob }) => bob],
    ['the folder above it', ({ bob }) => dirname(bob)],
    ['the folder above that', ({ bob }) => dirname(dirname(bob))],
    ['the folder of all users', ({ bob }) => dirname(dirname(dirname(bob)))],
    ['his objects', ({ bob }) => join(bob, 'objects')],
    ['his packs', ({ bob }) => join(bob, 'objects/pack')],
    ['his refs', ({ bob }) => join(bob, 'refs')],
    ['his branches', ({ bob }) => join(bob, 'refs/heads')],
    ['his branch', ({ bob }) => join(bob, 'refs/heads/main')],
    ['his configuration', ({ bob }) => join(bob, 'config')],
    ['his HEAD', ({ bob }) => join(bob, 'HEAD')],
    ["memgit's own folder in it", ({ bob }) => join(bob, 'memgit')],
    ['store.json', ({ dir }) => join(dir, 'store.json')],
  ])('%s', async (_, placeOf) => {
    const users = await twoUsers();
    const place = placeOf(users);
    const elsewhere = join(folder, `elsewhere-${count}`);
    if (existsSync(place)) renameSync(place, elsewhere);
    else mkdirSync(elsewhere);
    symlinkSync(elsewhere, place);
    const before = listOf(elsewhere);
    const ended = await (async () => {
      const store = await users.reopen();
      const vault = await store.vault('bob');
      await vault.write('/memories/through.md', 'through the link');
      await store.close();
      return 'written';
    })().catch((error: unknown) => (isMemgitError(error) ? error.code : Promise.reject(error as Error)));
    expect(ended).not.toBe('written');
    expect(listOf(elsewhere)).toEqual(before);
  });
});

// Seen to fail when only a store that is open refused links.
test('nor by a clone into the store', async () => {
  const users = await twoUsers();
  const moved = join(folder, `backup-${count}.git`);
  renameSync(users.bob, moved);
  const [above, elsewhere] = [dirname(dirname(dirname(users.bob))), join(folder, `clone-elsewhere-${count}`)];
  renameSync(above, elsewhere);
  symlinkSync(elsewhere, above);
  const before = listOf(elsewhere);
  await expect(clone({ url: moved, store: users.dir, key: users.key })).rejects.toMatchObject({ code: 'STORE_INVALID' });
  expect(listOf(elsewhere)).toEqual(before);
});

function listOf(place: string): string[] {
  return lstatSync(place).isDirectory() ? readdirSync(place, { recursive: true, encoding: 'utf8' }).sort() : [readFileSync(place, 'latin1')];
}

test('two vaults that share a cache do not share what is in it', async () => {
  const [hers, his] = [await createTmpVault(folder), await createTmpVault(folder, 'bob')];
  await writeFile(hers.vault, 'note.md', SECRET);
  // Bob's repository holds Alice's objects, and the cache has them opened for her.
  cpSync(join(hers.gitdir, 'objects'), join(his.gitdir, 'objects'), { recursive: true });
  const cache = new SharedCache();
  const alice = await VaultRepository.open(hers.gitdir, hers, { cache, readOnly: true });
  const head = await alice.head();
  expect(await textOf(alice, 'note.md')).toBe(SECRET);
  const blob = (await (await alice.snapshot()).stat(at('note.md'))) as FileInfo;
  const bob = await VaultRepository.open(his.gitdir, his, { cache, readOnly: true });
  await expect(bob.commit(head.oid)).rejects.toMatchObject({ code: 'ALTERED' });
  await expect(bob.snapshot(head.oid)).rejects.toMatchObject({ code: 'ALTERED' });
  const [change] = await alice.changesOf(head);
  await expect(bob.entries.content(change!.name, blob.blob as Oid)).rejects.toMatchObject({ code: 'ALTERED' });
});

test('bytes that a caller got from the cache are its own', async () => {
  const { reopen } = await twoUsers();
  const store = await reopen();
  const vault = await store.vault('alice');
  (await vault.read('/memories/note.md'))!.fill(0);
  expect(await vault.readText('/memories/note.md')).toBe(SECRET);
  await store.close();
});

test('nothing in a store, temporaries included, can be read by other users of the machine', async () => {
  const before = process.umask(0);
  try {
    const { dir } = await twoUsers();
    for (const name of readdirSync(dir, { recursive: true, encoding: 'utf8' })) {
      const stat = lstatSync(join(dir, name));
      expect([name, stat.mode & 0o777]).toEqual([name, stat.isDirectory() ? 0o700 : 0o600]);
    }
  } finally {
    process.umask(before);
  }
});

// Seen to fail when only `vault` refused links, and when sync opened vaults outside what it catches.
test('vaults behind a planted link are named with their error, and keep no other vault from its backup', async () => {
  const { alice, reopen } = await twoUsers();
  const above = dirname(alice);
  renameSync(above, join(folder, `moved-${count}`));
  symlinkSync(join(folder, `moved-${count}`), above);
  const store = await reopen();
  const codes = (entries: readonly UserEntry[]) => new Map(entries.map(({ userId, error }) => [userId, (error as { code?: string } | undefined)?.code]));
  expect(codes(await collect(store.users()))).toEqual(new Map([['bob', undefined], [undefined, 'STORE_INVALID']]));
  const open = store.vault.bind(store);
  jest.spyOn(store, 'vault').mockImplementation(async (...args) => {
    // A link that is planted between the listing and the opening.
    if (args[0] === 'bob') throw new MemgitError('STORE_INVALID', 'a link');
    return open(...args);
  });
  expect(codes(await collect(store.sync()))).toEqual(new Map([['bob', 'STORE_INVALID'], [undefined, 'STORE_INVALID']]));
  await store.close();
});

async function writeTwice(store: Store): Promise<{ vault: Vault; old: string }> {
  const vault = await store.vault('alice');
  const old = await vault.write('/memories/note.md', 'old');
  await vault.write('/memories/note.md', 'new');
  return { vault, old: old! };
}

// Seen to read the old text when a vault was opened anew as if it had never been met. Collected by the garbage collector, it is opened anew too.
test('a rollback is noticed by a store that has closed the vault meanwhile', async () => {
  const { alice, reopen } = await twoUsers();
  const store = await reopen();
  const { vault, old } = await writeTwice(store);
  await vault.close();
  await (await store.vault('alice')).close();
  writeFileSync(join(alice, 'refs/heads/main'), `${old}\n`);
  await expect(store.vault('alice')).rejects.toMatchObject({ code: 'ROLLBACK_DETECTED' });
  rmSync(alice, { recursive: true });
  await expect((await store.vault('alice')).list()).resolves.toEqual([]);
  await store.close();
});

test('a rollback is noticed by a store that lists its users', async () => {
  const { alice, reopen } = await twoUsers();
  const store = await reopen();
  const { old } = await writeTwice(store);
  writeFileSync(join(alice, 'refs/heads/main'), `${old}\n`);
  expect(await collect(store.users())).toContainEqual(expect.objectContaining({ error: expect.objectContaining({ code: 'ROLLBACK_DETECTED' }) as unknown }));
  await store.close();
});
