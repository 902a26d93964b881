/** The library in the hands of a host program that makes mistakes: wrong types, options that do not exist, closing too early. */
import { join } from 'node:path';
import { clone, generateKey, openRepository, openStore, type Store, type Vault } from '../../src/index.ts';
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

const odd = (value?: unknown) => value as never;

// All were seen to fail: most with what the engine says of a property of undefined, some by being taken for something else.
test.each<[told: string, wrong: () => unknown]>([
  ['options: expected an object', () => openStore(odd())],
  ['options: expected an object', () => openRepository(odd())],
  ['location: expected an object', () => clone(odd())],
  ['url: expected text', () => clone(odd({ gitdir: 'x', key }))],
  ['key: expected text, 32 bytes, or a provider', () => openStore({ dir, key: odd(null) })],
  ['key: expected text, 32 bytes, or a provider', () => openStore({ dir, key: odd({}) })],
  ['key: expected text, 32 bytes, or a provider', () => openStore({ dir, key: { getKey: async () => odd('text') } })],
  ['passphrase: expected text', () => openStore({ dir, passphrase: odd(5) })],
  ['template: expected text', () => store.setBackup(odd(5))],
  ['revision: expected text, got undefined', () => vault.resolve(odd())],
  ['revision: expected text', () => vault.show(odd(5))],
  ['from: expected text', () => vault.diff(odd())],
  ['to: expected text', () => vault.diff('HEAD', odd(5))],
  ['revision: expected text', () => vault.list('/memories', { revision: odd(5) })],
  ['revision: expected text', () => vault.blame('/memories/a', { revision: odd(5) })],
  ['revision: expected text', () => vault.log({ revision: odd(5) })],
  ['since: expected text or a Date', () => vault.log({ since: odd(5) })],
  ['grep: expected text or a RegExp', () => vault.log({ grep: odd(5) })],
  ['pattern: expected text or a RegExp', () => vault.grep(odd())],
  ['what: expected an object', () => vault.revert(odd())],
  ['revisions: expected a list of texts, got string', () => vault.revert({ revisions: odd('HEAD') })],
  ['paths: expected a list of texts, got string', () => vault.restore('HEAD', odd('/memories/a'))],
  ['folder: expected the path of a folder', () => vault.importFiles(odd())],
  ['folder: expected the path of a folder', () => vault.exportFiles(odd())],
  ['name: expected text', () => vault.addRemote(odd(), odd())],
  ['url: expected text', () => vault.addRemote('origin', odd())],
  ['timeoutMs: expected a whole number', () => vault.push('origin', { timeoutMs: 0 })],
  ['timeoutMs: expected a whole number', () => vault.fetch('origin', { timeoutMs: 2 ** 31 })],
  ['retries: expected a whole number', () => vault.pull('origin', { retries: NaN })],
  ['concurrency: expected a whole number', () => store.sync({ concurrency: 0 }).next()],
  ["format: expected 'text' or 'json'", () => vault.sessions.brief({ format: odd('yaml') })],
  ['process: expected a whole number', () => vault.sessions.start({ process: odd('me') })],
  ['leaseMs: expected a whole number', () => vault.sessions.start({ leaseMs: Infinity })],
  ['leaseMs: expected a whole number', () => vault.sessions.start({ leaseMs: odd('60000') })],
  ['features: expected a list', () => vault.features.init(odd())],
  ['feature: expected an object', () => vault.features.init([odd(5)])],
  ['steps: expected a list of texts', () => vault.features.init([{ id: 'a', description: 'b', steps: odd('c') }])],
  ['what proves it: expected an object', () => vault.features.pass('a', odd())],
  ['why: expected an object', () => vault.features.fail('a', odd())],
  ['entry: expected an object', async () => (await vault.sessions.start()).progress.append(odd('done'))],
  ['did: expected a list of texts', async () => (await vault.sessions.start()).progress.append({ did: odd(5) })],
  ['why: expected an object', async () => (await vault.sessions.start()).abandon(odd())],
])('wrong use is told as what was expected: %s', async (told, wrong) => {
  const failure: unknown = await (async () => wrong())().catch((error: unknown) => error);
  expect(failure).toMatchObject({ message: expect.stringContaining(told) });
  expect(failure instanceof TypeError || failure instanceof RangeError).toBe(true);
});
