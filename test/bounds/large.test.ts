/**
 * Large things through the command line with a small heap: a large file, many lines, one long line, a long history. Nothing overflows,
 * memory stays bounded, and Ctrl-C ends it at once. Seen to fail with the lines of a patch as arguments of one call,
 * and with much held in memory before the first line is told.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { generateKey, openStore } from '../../src/index.ts';
import type { GitObject } from '../../src/git/objects.ts';
import { makeCommit } from '../../src/vault/commit-info.ts';
import { systemRandom } from '../../src/crypto/sodium.ts';
import type { VaultRepository } from '../../src/vault/vault-repository.ts';
import { temporaryFolder } from '../support/git-repository.ts';

jest.setTimeout(process.env['SLOW'] === '1' ? 3_600_000 : 300_000);

const folder = temporaryFolder();
const slow = process.env['SLOW'] === '1';
const commits = slow ? 100_000 : 2_000;
const largeBytes = slow ? 50_000_000 : 5_000_000;
/** Of JavaScript's heap. File contents lie outside of it, and are bounded by the size of one file. */
const HEAP_MIB = slow ? 384 : 96;

let key: string;
const dir = join(folder, 'store');

interface Ended {
  readonly exit: number | null;
  readonly lines: number;
  readonly stderr: string;
}

/** Runs a command of the built program. @param interruptAfter the number of bytes of output after which Ctrl-C is pressed */
async function memgit(args: readonly string[], interruptAfter = Infinity): Promise<Ended> {
  const env = { ...process.env, MEMGIT_STORE: dir, MEMGIT_KEY: key, XDG_CACHE_HOME: folder };
  const child = spawn(process.execPath, [`--max-old-space-size=${HEAP_MIB}`, 'dist/cli.cjs', ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [lines, bytes, stderr] = [0, 0, ''];
  const interrupt = () => {
    interruptAfter = Infinity;
    child.kill('SIGINT');
  };
  child.stdout.on('data', (chunk: Buffer) => {
    for (const byte of chunk) if (byte === 10) lines += 1;
    bytes += chunk.length;
    if (bytes > interruptAfter) interrupt();
  });
  child.stderr.on('data', (chunk: Buffer) => { stderr += chunk.toString(); });
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  // A command that only reads lets the signal end it, which a shell reports as 130.
  const exit = signal === 'SIGINT' ? 130 : code;
  return { exit, lines, stderr };
}

beforeAll(async () => {
  key = await generateKey();
  const store = await openStore({ dir, key });
  const files = await store.vault('files');
  await files.write('/memories/large.txt', `${'0123456789abcdef'.repeat(largeBytes / 16)}\n`.replace(/(.{1000})/g, '$1\n'));
  await files.write('/memories/lines.txt', Array.from({ length: 100_000 }, (_, i) => `${i}\n`).join(''));
  await files.write('/memories/line.txt', 'x'.repeat(10_000_000));
  await files.write('/memories/lines.txt', Array.from({ length: 100_000 }, (_, i) => `${i * 2}\n`).join(''));
  await files.write('/memories/line.txt', 'y'.repeat(10_000_000));
  const history = await store.vault('history');
  await history.write('/memories/a.txt', 'a');
  await lengthen((history as unknown as { repository: VaultRepository }).repository);
  await store.close();
}, 300_000);

/** Adds many commits that change nothing, in one pack: as a history they are as good as others, and quickly made. */
async function lengthen(vault: VaultRepository): Promise<void> {
  let last = await vault.head();
  const objects: GitObject[] = [];
  for (let i = 0; i < commits; i += 1) {
    const record = { op: 'write', paths: [], timeMs: Date.now(), sequence: last.record.sequence + 1, generation: 0, addedBytes: 0, removedBytes: 0 };
    const { object, info } = makeCommit({ tree: last.commit.tree, parents: [last], record }, vault.keys.epoch, systemRandom);
    objects.push(object);
    last = info;
  }
  await vault.repository.update(async () => ({ objects, head: last.oid, result: undefined }));
}

test.each<[string, readonly string[]]>([
  ['ls', ['ls', '--user', 'files']],
  ['cat of a large file', ['cat', '--user', 'files', '/memories/large.txt']],
  ['cat of one long line', ['cat', '--user', 'files', '/memories/line.txt']],
  ['log with counts', ['log', '--user', 'files']],
  ['diff of many lines and of a long one', ['diff', '--user', 'files', 'HEAD~2', 'HEAD']],
  ['blame of many lines', ['blame', '--user', 'files', '/memories/lines.txt']],
  ['grep', ['grep', '--user', 'files', 'abcdef0']],
  ['verify', ['verify', '--user', 'files']],
  ['log of a long history', ['log', '--user', 'history', '--oneline']],
  ['log of one file in it', ['log', '--user', 'history', '--path', '/memories/a.txt']],
  ['verify of a long history', ['verify', '--user', 'history']],
])('%s', async (_, args) => {
  expect(await memgit(args)).toMatchObject({ exit: 0, stderr: expect.not.stringMatching(/heap|stack|RangeError/) as string });
});

test('a log tells all of a long history', async () => {
  expect((await memgit(['log', '--user', 'history', '--oneline'])).lines).toBe(commits + 2);
});

test('Ctrl-C ends a command in the middle', async () => {
  const { exit, lines } = await memgit(['log', '--user', 'history', '--json'], 1000);
  expect(exit).toBe(130);
  expect(lines).toBeLessThan(commits);
});

test('view cuts what is too long for Claude', async () => {
  const store = await openStore({ dir, key, readOnly: true });
  const vault = await store.vault('files');
  for (const path of ['/memories/large.txt', '/memories/lines.txt', '/memories/line.txt']) {
    const { content, is_error } = await vault.execute({ command: 'view', path });
    expect(is_error).toBe(false);
    expect((content as string).length).toBeLessThan(40_000);
  }
  await store.close();
});
