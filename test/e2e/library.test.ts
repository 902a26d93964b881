/** The library in the hands of a host program that makes mistakes: wrong types, options that do not exist, closing too early. */
import { join } from 'node:path';
import { generateKey, openStore, type Store, type Vault } from '../../src/index.ts';
import { temporaryFolder } from '../support/git-repository.ts';

const folder = temporaryFolder();
const dir = join(folder, 'store');
let key: string;
let store: Store;
let vault: Vault;

beforeAll(async () => {
  key = await generateKey();
  store = await openStore({ dir, key });
  vault = await store.vault('alice');
});

afterAll(async () => {
  await store.close();
});

test.each<[what: string, content: unknown]>([
  ['a number', 5],
  ['null', null],
  ['nothing', undefined],
  ['an ArrayBuffer', new ArrayBuffer(4)],
  ['a view of other numbers', new Uint16Array(4)],
  ['a list', ['a', 'b']],
  ['a promise', Promise.resolve('text')],
  ['an object', { text: 'text' }],
])('%s is no content of a file, and nothing is written', async (_, content) => {
  await expect(vault.write('/memories/wrong', content as string)).rejects.toThrow(/^content: expected text or a Uint8Array, got/);
  expect(await vault.read('/memories/wrong')).toBeUndefined();
});

test('a Buffer and any other Uint8Array are bytes', async () => {
  await vault.write('/memories/bytes', Buffer.from([1, 2, 3]));
  expect(await vault.read('/memories/bytes')).toEqual(Uint8Array.of(1, 2, 3));
});

test('a compression that does not exist is refused, not taken for the default', async () => {
  await expect(openStore({ dir, key, compression: 'None' as 'none' })).rejects.toThrow(TypeError);
});

test('closing waits for every mutation that was asked for before', async () => {
  const other = await openStore({ dir, key });
  const closing = await other.vault('bob');
  const written = Array.from({ length: 5 }, async (_, index) => closing.write(`/memories/${index}`, 'text'));
  await other.close();
  expect(await Promise.all(written)).toHaveLength(5);
  await expect(closing.write('/memories/late', 'text')).rejects.toMatchObject({ code: 'CLOSED' });
  expect(await (await store.vault('bob')).list()).toHaveLength(5);
});

test('an unfilled buffer is no key, and a wait without end is no timeout', async () => {
  await expect(openStore({ dir, key: new Uint8Array(32) })).rejects.toMatchObject({ code: 'KEY_MALFORMED' });
  await expect(openStore({ dir, key, lockTimeoutMs: NaN })).rejects.toThrow(RangeError);
});

test('what a record cannot hold is refused when the tool is made, not at each of its calls', () => {
  expect(() => vault.memoryTool({ model: 5 as unknown as string })).toThrow(TypeError);
  expect(() => vault.handlers({ actor: 'a'.repeat(257) })).toThrow(expect.objectContaining({ code: 'TOO_LARGE' }));
});
