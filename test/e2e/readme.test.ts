/** The snippets of the README do what it says they do: its programs run, its terminal shows what a terminal shows. Needs dist/. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { generateKey } from '../../src/index.ts';
import { temporaryFolder } from '../support/git-repository.ts';
import { playTranscript, startMessagesApi, type MessagesApi, type Reply, type Transcript } from '../support/messages-api.js';
import { parseTranscript, runTranscript } from './transcript.ts';

const folder = temporaryFolder();
const readme = readFileSync('README.md', 'utf8');
const transcript = JSON.parse(readFileSync('fixtures/demo/transcript.json', 'utf8')) as Transcript;
const blocks = (language: string) => [...readme.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, 'gm'))].map(([, block]) => block!);
let api: MessagesApi;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  const play = playTranscript(transcript);
  const otherwise: Reply = () => [{ type: 'text', text: 'They need approval above 100 EUR.' }];
  api = await startMessagesApi((request) => (transcript.runs.some(({ prompt }) => prompt === request.messages[0]?.content) ? play(request) : otherwise(request)));
  for (const name of ['@anthropic-ai', 'bin']) mkdirSync(join(folder, 'node_modules', name), { recursive: true });
  symlinkSync(resolve('.'), join(folder, 'node_modules/memgit'));
  symlinkSync(resolve('node_modules/@anthropic-ai/sdk'), join(folder, 'node_modules/@anthropic-ai/sdk'));
  symlinkSync(resolve('dist/cli.cjs'), join(folder, 'node_modules/bin/memgit'));
  env = {
    HOME: folder,
    PATH: `${join(folder, 'node_modules/bin')}:${process.env['PATH'] ?? ''}`,
    TZ: 'UTC',
    ANTHROPIC_BASE_URL: api.url,
    ANTHROPIC_API_KEY: 'none',
    MEMGIT_STORE: './memory',
    MEMGIT_USER: 'alice',
    MEMGIT_KEY: await generateKey(),
  };
});

afterAll(async () => {
  await api.close();
});

/** Runs a program in the folder and returns its stdout, the only thing it may print. */
async function run(file: string, ...args: string[]): Promise<string> {
  const child = spawn(process.execPath, [file, ...args], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [exit]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  return stdout;
}

test('what the terminal shows, after the conversations of the demo', async () => {
  for (const { prompt } of transcript.runs) await run(resolve('examples/tool-runner.mjs'), prompt);
  const [session, ...others] = blocks('console');
  expect(others).toEqual([]);
  const expected = session!.replace(/\b[0-9a-f]{10}\b/g, '[OID]').replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0000/g, '[TIME]');
  const steps = parseTranscript(expected);
  expect(steps.steps.length).toBeGreaterThan(2);
  expect(runTranscript(steps, folder, env)).toEqual([]);
});

test('its programs run, and print what it says', async () => {
  const programs = blocks('js');
  expect(programs).toHaveLength(2);
  const printed = await Promise.all(
    programs.map(async (program, index) => {
      const file = join(folder, `${index}.mjs`);
      writeFileSync(file, program);
      return run(file);
    }),
  );
  expect(printed).toEqual(['', ...blocks('text')]);
  expect(api.requests.at(-1)).toMatchObject({ model: 'claude-opus-5-5', tools: [{ type: 'memory_20250818', name: 'memory' }] });
});

test('its session is played from start to end', async () => {
  const [session, ...others] = blocks('ts');
  expect(others).toEqual([]);
  const file = join(folder, 'session.mjs');
  writeFileSync(
    file,
    `import Anthropic from '@anthropic-ai/sdk';
import { openStore } from 'memgit';
const [client, model] = [new Anthropic(), 'claude-opus-5-5'];
const store = await openStore({ dir: './sessions', key: process.env.MEMGIT_KEY });
const vault = await store.vault('alice');
${session!}console.log((await vault.sessions.list()).map(({ number, status }) => number + ' ' + status).join());\nawait store.close();\n`,
  );
  expect(await run(file)).toBe('1 ended\n');
});
