/**
 * Whatever stands where the path list is looked for, a memory has the shape that it has without it: on random histories with moves,
 * now and at every earlier commit, and across a rotation of keys. What is in the list is not opened; contents never come from it.
 * Seen to fail with only the name compared, with only the blob compared, with the list written for every commit, always or never, with a
 * shape that is not carried along, with one more row in eight enough or none, with each who asks finding it by himself, with `verify` looking at a snapshot instead of the entries, and with the list cleared away under the lock.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { systemRandom } from '../../src/crypto/sodium.ts';
import { isMemgitError } from '../../src/errors.ts';
import { nodeFileSystem } from '../../src/git/fs.ts';
import type { Oid } from '../../src/git/objects.ts';
import { log } from '../../src/history/log.ts';
import { verify } from '../../src/history/verify.ts';
import type { EntryInfo } from '../../src/vault/path-index.ts';
import { openPathList, sealPathList, type ListedEntries } from '../../src/vault/path-list.ts';
import { parsePath, ROOT } from '../../src/vault/path.ts';
import type { Snapshot } from '../../src/vault/snapshot.ts';
import { VaultRepository } from '../../src/vault/vault-repository.ts';
import { flipped } from '../support/codes.ts';
import { git, temporaryFolder } from '../support/git-repository.ts';
import { HandMadeVault, makeEpoch, makeKeyring, makeSlot, makeStore, makeStoreSlot } from '../support/hand-made-vault.ts';
import { at, collect, commitChanges, contentsOf, createTmpVault, removePath, renamePath, reopen, writeFile, type TmpVault } from '../support/tmp-vault.ts';

const folder = temporaryFolder();
const numRuns = process.env['SLOW'] === '1' ? 100 : 5;

/** Enough that a list of them is written. */
const FILES = Array.from({ length: 60 }, (_, i) => `${['', 'x/', 'x/y/'][i % 3]!}${i}.md`);

/** Where a vault is, and what opens it. */
type Place = Pick<TmpVault, 'gitdir' | 'wrapKey'>;

const listPath = ({ gitdir }: Pick<Place, 'gitdir'>) => join(gitdir, 'memgit', 'paths');
const listIn = (made: Pick<Place, 'gitdir'>) => (existsSync(listPath(made)) ? readFileSync(listPath(made)) : undefined);

function placeList(made: Place, bytes: Uint8Array | undefined): void {
  mkdirSync(join(made.gitdir, 'memgit'), { recursive: true });
  rmSync(listPath(made), { force: true });
  if (bytes) writeFileSync(listPath(made), bytes);
}

async function makeLarge(home: string): Promise<TmpVault> {
  const made = await createTmpVault(home);
  await commitChanges(made.vault, FILES.map((path) => ({ kind: 'write', path: at(path), content: Buffer.from(`text of ${path}\n`) })));
  return made;
}

/** Every node, folders and their sizes too. */
async function shapeOf(snapshot: Snapshot): Promise<unknown[]> {
  const nodes: unknown[] = [];
  for (const folders = [ROOT]; folders.length > 0; ) {
    for (const node of await snapshot.children(folders.pop()!)) {
      nodes.push(node);
      if (node.kind === 'directory') folders.push(node.path);
    }
  }
  return nodes;
}

/** The shapes of some commits and of the head, as a vault sees them that has seen nothing. */
async function shapesOf(made: Place, oids: readonly Oid[], options: { readOnly?: boolean } = { readOnly: true }): Promise<unknown[]> {
  const vault = await VaultRepository.open(made.gitdir, { wrapKey: made.wrapKey }, options);
  const shapes: unknown[] = [];
  for (const oid of [undefined, ...oids]) shapes.push(await shapeOf(await vault.snapshot(oid)));
  await vault.close();
  return shapes;
}

/** The list that memgit itself leaves for the head; `undefined` when the memory has too few entries for one. */
async function writtenList(made: Place): Promise<Uint8Array | undefined> {
  placeList(made, undefined);
  await shapesOf(made, [], {});
  return listIn(made);
}

/** Counts the entries that are read while `action` runs. */
async function opened(vault: VaultRepository, action: () => Promise<unknown>): Promise<number> {
  const read = jest.spyOn(vault.repository, 'read');
  await action();
  const objects = await Promise.all(read.mock.results.map(({ value }) => value as ReturnType<typeof vault.repository.read>));
  read.mockRestore();
  return objects.filter(({ type }) => type === 'blob').length;
}

interface Step {
  readonly do: 'write' | 'remove' | 'rename';
  readonly number: number;
}
const step: fc.Arbitrary<Step> = fc.record({ do: fc.constantFrom('write', 'write', 'remove', 'rename'), number: fc.nat(999) });

async function take(vault: VaultRepository, { do: what, number }: Step): Promise<void> {
  const paths = Object.keys(await contentsOf(await vault.snapshot())).filter((path) => !path.endsWith('/'));
  const chosen = paths[number % paths.length]!;
  if (what === 'write') await writeFile(vault, number % 2 === 0 ? chosen : `new-${number}.md`, `text ${number}\n`).catch(() => undefined);
  else if (what === 'remove') await removePath(vault, number % 5 === 0 ? chosen.split('/')[0]! : chosen);
  else await renamePath(vault, number % 3 === 0 ? chosen.split('/')[0]! : chosen, `moved-${number}`).catch(() => undefined);
}

test('a memory has the same shape whatever stands in the place of the list', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), fc.nat(9999), async (steps, choice) => {
      const home = mkdtempSync(join(folder, 'run-'));
      const made = await makeLarge(home);
      const early = (await writtenList(made))!;
      const middle = steps.length >> 1;
      for (const each of steps.slice(0, middle)) await take(made.vault, each);
      const half = (await writtenList(made)) ?? early;
      for (const each of steps.slice(middle)) await take(made.vault, each);
      const late = (await writtenList(made)) ?? half;
      const other = await makeLarge(home);
      // Names are of one vault, so no row of a foreign list would be met; it does not open either.
      expect(await openPathList((await writtenList(other))!, made.vault.keys.epoch)).toBeUndefined();

      const oids = (await collect(log(made.vault))).map(({ oid }) => oid as Oid);
      placeList(made, undefined);
      const expected = await shapesOf(made, oids);
      const places: Record<string, Uint8Array> = {
        early, half, late,
        foreign: (await writtenList(other))!,
        'cut short': late.subarray(0, choice % late.length),
        'a flipped bit': flipped(late, choice % late.length, 1 << choice % 8),
      };
      for (const [what, bytes] of Object.entries(places)) {
        placeList(made, bytes);
        expect({ what, shapes: await shapesOf(made, oids) }).toEqual({ what, shapes: expected });
      }
      await Promise.all([made.vault.close(), other.vault.close()]);
      rmSync(home, { recursive: true });
    }),
    { numRuns },
  );
});

describe('a vault of many files', () => {
  let made: TmpVault;
  beforeEach(async () => {
    made = await makeLarge(mkdtempSync(join(folder, 'vault-')));
  });
  afterEach(() => made.vault.close());

  test('what is in the list is not opened; what is new is', async () => {
    const fresh = await reopen(made);
    expect(await opened(fresh, async () => shapeOf(await fresh.snapshot()))).toBe(FILES.length);
    await fresh.close();
    const list = listIn(made);

    for (const path of ['0.md', 'x/1.md', 'new.md']) await writeFile(made.vault, path, 'new\n');
    const next = await reopen(made);
    expect(await opened(next, async () => shapeOf(await next.snapshot()))).toBe(3);
    expect(await opened(next, async () => contentsOf(await next.snapshot()))).toBe(FILES.length - 2);
    await next.close();
    expect(listIn(made)).toEqual(list);
  });

  test('it is written anew when much is not in it, and only for the head', async () => {
    const before = (await made.vault.head()).oid;
    const first = await writtenList(made);
    await commitChanges(made.vault, [{ kind: 'remove', path: at('x') }]);
    await commitChanges(made.vault, FILES.map((path) => ({ kind: 'write', path: at(`again/${path}`), content: Buffer.from(path) })));
    placeList(made, undefined);
    const old = await reopen(made);
    await shapeOf(await old.snapshot(before));
    await old.close();
    expect(listIn(made)).toBeUndefined();

    placeList(made, first);
    await shapesOf(made, [before], {});
    const { epoch } = made.vault.keys;
    expect([...(await openPathList(listIn(made)!, epoch))!.values()].map(({ path }) => path)).toContain('again/x/1.md');
  });

  test('of many, an eighth has to be new before it is written anew', async () => {
    const files = (count: number, under: string) => Array.from({ length: count }, (_, i) => ({ kind: 'write' as const, path: at(`${under}/${i}.md`), content: Buffer.from('x') }));
    await commitChanges(made.vault, files(600, 'many'));
    const list = await writtenList(made);
    await commitChanges(made.vault, files(80, 'more'));
    await shapesOf(made, [], {});
    expect(listIn(made)).toEqual(list);
    await commitChanges(made.vault, files(40, 'still-more'));
    await shapesOf(made, [], {});
    expect(listIn(made)).not.toEqual(list);
  });

  test('all who ask at once wait for one answer', async () => {
    const vault = await reopen(made);
    const snapshot = await vault.snapshot();
    expect(await opened(vault, async () => Promise.all([shapeOf(snapshot), shapeOf(snapshot), snapshot.stat(at('absent'))]))).toBe(FILES.length);
    await vault.close();
  });

  test('a process that has the shape neither reads nor writes the list', async () => {
    const vault = await reopen(made);
    await shapeOf(await vault.snapshot());
    const calls = [jest.spyOn(vault.repository, 'readSideFile'), jest.spyOn(vault.repository, 'writeSideFile')];
    for (let i = 0; i < 60; i += 1) await writeFile(vault, `more/${i}.md`, 'more\n');
    await writeFile(made.vault, 'by-another.md', 'text\n');
    await shapeOf(await vault.snapshot());
    for (const call of calls) expect(call).not.toHaveBeenCalled();
    await vault.close();
  });

  test('where nothing can be written nothing is, and the answer is there', async () => {
    const expected = await shapesOf(made, []);
    expect(listIn(made)).toBeUndefined();
    const fs = { ...nodeFileSystem, create: async () => Promise.reject(new Error('planted')) };
    const vault = await VaultRepository.open(made.gitdir, { wrapKey: made.wrapKey }, { fs });
    expect([await shapeOf(await vault.snapshot())]).toEqual(expected);
    expect(listIn(made)).toBeUndefined();
    await vault.close();
  });

  test('neither gc nor a mutation takes it away, and git does not take it along', async () => {
    const list = await writtenList(made);
    const fresh = await reopen(made);
    await fresh.repository.gc();
    await writeFile(fresh, 'new.md', 'new\n');
    await fresh.close();
    expect(listIn(made)).toEqual(list);
    git(folder, ['clone', '-q', '--bare', made.gitdir, `${made.gitdir}-clone`]);
    expect(listIn({ gitdir: `${made.gitdir}-clone` })).toBeUndefined();
  });

  test('contents and what verify finds do not come from it', async () => {
    const { epoch } = made.vault.keys;
    const list = (await openPathList((await writtenList(made))!, epoch))!;
    // Nobody without the keys can make such a list.
    const wrong: ListedEntries = new Map([...list].map(([name, entry]): [string, EntryInfo] => [name, { ...entry, sizeBytes: 1, path: at(`wrong/${entry.path}`) }]));
    placeList(made, sealPathList(wrong, epoch, systemRandom));
    const vault = await reopen(made);
    expect(Buffer.from(await (await vault.snapshot()).read(at('x/1.md'))).toString()).toBe('text of x/1.md\n');
    expect((await (await vault.snapshot()).stat(at('wrong/x/1.md')))?.sizeBytes).toBe(1);
    let report: unknown;
    const count = await opened(vault, async () => (report = await verify(vault)));
    expect(count).toBeGreaterThanOrEqual(FILES.length);
    expect(report).toMatchObject({ ok: true });
    await vault.close();
  });
});

describe('a vault made by hand', () => {
  const files = Object.fromEntries(FILES.map((path) => [`/memories/${path}`, path]));
  const gitdirOf = (name: string) => join(folder, `${name}.git`);

  async function handMade() {
    const store = await makeStore('alice', systemRandom);
    const first = makeEpoch(1, systemRandom);
    const second = makeEpoch(2, systemRandom, first.epoch.facts.repositoryId);
    const slot = makeStoreSlot(first.epoch.facts.repositoryId, store.wrapKey, systemRandom);
    const made = new HandMadeVault(systemRandom);
    const tree = async (counter: number, epochs: (typeof first)[], texts: typeof files) =>
      made.tree(makeKeyring({ store, counter, slots: [slot], epochs }, systemRandom), await made.entries(epochs.at(-1)!.epoch, texts));
    return { store, first, second, made, tree };
  }

  test('a list of the epoch before a rotation is no list; the next one is of the new epoch', async () => {
    const { store, first, second, made, tree } = await handMade();
    const before = made.commit({ tree: await tree(1, [first], files), sealIn: first.epoch, signWith: first.signingKey });
    await made.save(gitdirOf('before'), before);
    const record = { op: 'rotate', sequence: 1 };
    const after = made.commit({ tree: await tree(2, [first, second], files), parents: [before], record, sealIn: second.epoch, signWith: first.signingKey });
    await made.save(gitdirOf('after'), after);

    const here = { ...store, gitdir: gitdirOf('after') };
    const expected = await shapesOf(here, [before]);
    const old = (await writtenList({ ...here, gitdir: gitdirOf('before') }))!;
    expect((await openPathList(old, first.epoch))?.size).toBe(FILES.length);
    expect(await openPathList(old, second.epoch)).toBeUndefined();
    placeList(here, old);
    expect(await shapesOf(here, [before])).toEqual(expected);
    await shapesOf(here, [before], {});
    expect((await openPathList(listIn(here)!, second.epoch))?.size).toBe(FILES.length);
    expect(await shapesOf(here, [before])).toEqual(expected);
  });

  test('a reader has no use for one, and leaves it alone', async () => {
    const { store, first, made } = await handMade();
    const reader = makeSlot('recipient', 'reader', systemRandom);
    const slots = [makeStoreSlot(first.epoch.facts.repositoryId, store.wrapKey, systemRandom), reader];
    const keyring = makeKeyring({ store, counter: 1, slots, epochs: [first] }, systemRandom);
    const head = made.commit({ tree: made.tree(keyring, await made.entries(first.epoch, files)), sealIn: first.epoch, signWith: first.signingKey });
    await made.save(gitdirOf('reader'), head);
    const here = { ...store, gitdir: gitdirOf('reader') };
    const list = (await writtenList(here))!;
    for (const there of [list, undefined]) {
      placeList(here, there);
      const vault = await VaultRepository.open(here.gitdir, reader.pair);
      expect(vault.keys.role).toBe('reader');
      expect(await opened(vault, async () => shapeOf(await vault.snapshot()))).toBe(FILES.length);
      await vault.close();
      expect(listIn(here)?.toString('hex')).toBe(there && Buffer.from(there).toString('hex'));
    }
  });

  test('an entry under a name that is not its own is refused, with a list of both as without', async () => {
    const { store, first, made } = await handMade();
    const keyring = makeKeyring({ store, counter: 1, slots: [makeStoreSlot(first.epoch.facts.repositoryId, store.wrapKey, systemRandom)], epochs: [first] }, systemRandom);
    const entries = await made.entries(first.epoch, files);
    const by = { sealIn: first.epoch, signWith: first.signingKey };
    const good = made.commit({ tree: made.tree(keyring, entries), ...by });
    await made.save(gitdirOf('good'), good);
    const [one, two] = ['0.md', '3.md'].map((path) => first.epoch.nameOf(parsePath(`/memories/${path}`)));
    const swapped = { ...entries, [one!]: entries[two!]!, [two!]: entries[one!]! };
    await made.save(gitdirOf('swapped'), made.commit({ tree: made.tree(keyring, swapped), parents: [good], record: { sequence: 1 }, ...by }));

    const here = { ...store, gitdir: gitdirOf('swapped') };
    for (const list of [undefined, await writtenList({ ...here, gitdir: gitdirOf('good') })]) {
      placeList(here, list);
      const code = await shapesOf(here, []).catch((error: unknown) => (isMemgitError(error) ? error.code : error));
      expect(code).toBe('ALTERED');
    }
  });
});
