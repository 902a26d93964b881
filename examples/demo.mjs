/**
 * The main job from end to end: `npm run demo`. Two conversations, each in a process of its own, run examples/tool-runner.mjs
 * with the SDK's real tool runner; then plain git and the `memgit` command look at what they left behind.
 *
 * Claude's part is read from a transcript by a stand-in on loopback, so nothing is needed but node and git. With `--live` the
 * real API answers, paid with ANTHROPIC_API_KEY. Works in a temporary folder that is removed at the end.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { generateKey } from 'memgit';
import { playTranscript, startMessagesApi } from '../test/support/messages-api.js';

const root = join(import.meta.dirname, '..');
const live = process.argv.includes('--live');
if (live && !process.env.ANTHROPIC_API_KEY) {
  console.error('error: --live asks the real API, which needs ANTHROPIC_API_KEY');
  process.exit(2);
}

/** @type {import('../test/support/messages-api.js').Transcript} */
const transcript = JSON.parse(await readFile(join(root, 'fixtures/demo/transcript.json'), 'utf8'));
const folder = await mkdtemp(join(tmpdir(), 'memgit-demo-'));
const api = live ? undefined : await startMessagesApi(playTranscript(transcript));
// What the caller exports for a store of their own would go before what is set here.
const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('MEMGIT_'));
const env = {
  ...Object.fromEntries(inherited),
  PAGER: 'cat',
  XDG_CACHE_HOME: folder,
  ...(api && { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'the stand-in asks for none' }),
  MEMGIT_STORE: join(folder, 'memory'),
  MEMGIT_USER: 'alice',
  MEMGIT_KEY: await generateKey(),
};
// Ctrl-C reaches the running child too; when that has ended, this cleans up and ends as well.
const interruption = new AbortController();
process.on('SIGINT', () => interruption.abort());

try {
  for (const [index, { prompt }] of transcript.runs.entries()) {
    title(`Conversation ${index + 1}: ${live ? 'Claude' : 'the SDK, and a transcript in the part of Claude'}`);
    console.log(`> ${prompt}\n`);
    await show(process.execPath, [join(root, 'examples/tool-runner.mjs'), prompt]);
  }

  const gitdir = await findRepository(env.MEMGIT_STORE);
  title('What git sees: a signed commit for every change, and ciphertext');
  await git(gitdir, ['log', '--oneline', '--name-status']);
  const names = (await read('git', ['--git-dir', gitdir, 'ls-tree', '-r', '--name-only', 'HEAD'])).toString().split('\n');
  const entry = names.find((name) => name !== 'memgit.json');
  await git(gitdir, ['cat-file', '-p', `HEAD:${entry}`], dump);
  await git(gitdir, ['fsck', '--strict']);

  title('What the holder of the key sees');
  await memgit(['log']);
  // In the transcript the last but one: the rule that an e-mail changed.
  const [before, wrong] = live ? ['HEAD~1', 'HEAD'] : ['HEAD~2', 'HEAD~1'];
  await memgit(['diff', before, wrong]);

  title(live ? 'The last change undone' : "A customer's e-mail is no authority on refunds: undone, and the later note stays");
  await memgit(['revert', wrong]);
  await memgit(live ? ['show', 'HEAD'] : ['cat', '/memories/shop/refunds.md']);
  await memgit(['verify']);
} catch (error) {
  if (!interruption.signal.aborted) throw error;
  process.exitCode = 130;
} finally {
  await api?.close();
  await rm(folder, { recursive: true, force: true });
}

/** @param {string} text */
function title(text) {
  console.log(`\n${process.stdout.isTTY ? `\u001b[1m${text}\u001b[0m` : text}\n${'-'.repeat(text.length)}`);
}

/** @param {string[]} args */
async function memgit(args) {
  console.log(`\n$ memgit ${args.join(' ')}`);
  await show(process.execPath, [join(root, 'dist/cli.cjs'), ...args]);
}

/** @param {string} gitdir @param {string[]} args @param {(output: Buffer) => string} format */
async function git(gitdir, args, format = String) {
  console.log(`\n$ git ${args.map((arg) => (arg.includes(' ') ? `'${arg}'` : arg)).join(' ')}`);
  process.stdout.write(format(await read('git', ['--no-pager', '--git-dir', gitdir, ...args])) || '(no output: nothing wrong)\n');
}

/** The start of some bytes as a terminal can show them. @param {Buffer} bytes */
function dump(bytes) {
  const text = bytes.subarray(0, 192).toString('latin1').replace(/[^\x20-\x7e]/g, '.');
  return `${text.match(/.{1,64}/g)?.join('\n')}\n… ${bytes.length} bytes\n`;
}

/** The only repository of the store. @param {string} store */
async function findRepository(store) {
  const found = (await readdir(store, { recursive: true })).find((path) => path.endsWith('.git'));
  if (found === undefined) throw new Error('expected a vault in the store, found none');
  return join(store, found);
}

/** Runs a program that prints for itself. @param {string} program @param {string[]} args */
async function show(program, args) {
  await ended(program, spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'], env }));
}

/** Runs a program and returns what it printed. @param {string} program @param {string[]} args */
async function read(program, args) {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'], env });
  const [output] = await Promise.all([buffer(child.stdout), ended(program, child)]);
  return output;
}

/** @param {string} program @param {import('node:child_process').ChildProcess} child */
async function ended(program, child) {
  const [code, signal] = await once(child, 'close');
  if (signal === 'SIGINT' || code === 130) interruption.abort();
  interruption.signal.throwIfAborted();
  if (code !== 0) throw new Error(`${program} ended with ${signal ?? `exit code ${code}`}`);
}
