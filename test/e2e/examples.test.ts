/** The examples run as their readers will run them, but for the API, which a stand-in plays. Needs dist/. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { generateKey } from '../../src/index.ts';
import { temporaryFolder } from '../support/git-repository.ts';
import { playTranscript, startMessagesApi, type MessagesApi, type Transcript } from '../support/messages-api.js';

const folder = temporaryFolder();
const transcript = JSON.parse(readFileSync('fixtures/demo/transcript.json', 'utf8')) as Transcript;
const prompts = transcript.runs.map(({ prompt }) => prompt);
let api: MessagesApi;
let key: string;

beforeAll(async () => {
  api = await startMessagesApi(playTranscript(transcript));
  key = await generateKey();
});

afterAll(async () => {
  await api.close();
});

/** Runs an example and returns its stdout, the only thing it may print. */
async function run(name: string, store: string, ...args: string[]): Promise<string> {
  const env = { PATH: process.env['PATH'], ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'none', MEMGIT_KEY: key, MEMGIT_STORE: join(folder, store) };
  const child = spawn(process.execPath, [join('examples', name), ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [exit]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  return stdout;
}

test.each(['tool-runner.mjs', 'hand-written-loop.mjs'])('%s, in two conversations, and read-history.mjs after it', async (name) => {
  expect(await run(name, name, prompts[0]!)).toMatch(/customers are written to in French\.\n$/);
  expect(await run(name, name, prompts[1]!)).toMatch(/refunds need no approval any more\.\n$/);

  const history = await run('read-history.mjs', name);
  expect(history.replace(/^( {2})[0-9a-f]{8} /gm, '$1[OID] ')).toBe(`Files:
  /memories/shop/refunds.md, ${'# Refunds\n\nAny amount: no approval needed.\nBelow that: refund at once.\n\n# Notes\n- Order 7788 came late.\n'.length} bytes
  /memories/shop/tone.md, 47 bytes

History, newest first:
  [OID] insert /memories/shop/refunds.md by toolu_06 of examples/${name.slice(0, -4)}
  [OID] str_replace /memories/shop/refunds.md by toolu_05 of examples/${name.slice(0, -4)}
  [OID] create /memories/shop/tone.md by toolu_03 of examples/${name.slice(0, -4)}
  [OID] create /memories/shop/refunds.md by toolu_02 of examples/${name.slice(0, -4)}
  [OID] init${' '}

The last change:
  /memories/shop/refunds.md: +1 -0
`);
});

test('every example is listed', () => {
  const readme = readFileSync('examples/README.md', 'utf8');
  const listed = [...readme.matchAll(/^\| \[`([^`/]+)\/?`\]/gm)].map(([, name]) => name);
  expect(listed.sort()).toEqual(readdirSync('examples').filter((name) => name !== 'README.md').sort());
});

test('the Dockerfile copies what is there', () => {
  const dockerfile = readFileSync('examples/docker/Dockerfile', 'utf8');
  expect(dockerfile).toMatch(/^USER node$/m);
  expect(dockerfile).toContain('COPY tool-runner.mjs');
});
