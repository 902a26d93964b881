/**
 * The memory tool's cases as they stand on the wire: the built package under the SDK's tool runner, as ES module and as
 * CommonJS, with a client passed and without, as memgit's own tool and under the SDK's. What a loopback API receives counts.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { temporaryFolder } from '../support/git-repository.ts';
import { startMessagesApi, toolResultsOf } from '../support/messages-api.js';
import { memoryCases } from './memory-suite.ts';

const folder = temporaryFolder();

/** How a program gets at the packages, and the ways in which it may make its tool. */
const modules = {
  'ES module': {
    type: 'module',
    imports: `
      import Anthropic from '@anthropic-ai/sdk';
      import { betaMemoryTool } from '@anthropic-ai/sdk/helpers/beta/memory';
      import { generateKey, openStore } from 'memgit';
    `,
  },
  CommonJS: {
    type: 'commonjs',
    imports: `
      const Anthropic = require('@anthropic-ai/sdk');
      const { betaMemoryTool } = require('@anthropic-ai/sdk/helpers/beta/memory');
      const { generateKey, openStore } = require('memgit');
    `,
  },
} as const;

const tools = {
  'memoryTool with a client': 'vault.memoryTool({ client })',
  'memoryTool without': 'vault.memoryTool()',
  'handlers with a client': 'betaMemoryTool(vault.handlers({ client }))',
  'handlers without': 'betaMemoryTool(vault.handlers())',
} as const;

/** One conversation a case, each with a user and so a memory of its own, a few at a time. */
function program(imports: string, tool: string): string {
  return `${imports}
    void (async () => {
      const client = new Anthropic({ maxRetries: 0 });
      const store = await openStore({ dir: process.env.STORE, key: await generateKey() });
      const prompts = JSON.parse(process.env.PROMPTS);
      const converse = async () => {
        for (let prompt = prompts.pop(); prompt !== undefined; prompt = prompts.pop()) {
          const vault = await store.vault(prompt);
          const messages = [{ role: 'user', content: prompt }];
          await client.beta.messages.toolRunner({ model: 'claude-opus-5-5', max_tokens: 64, messages, tools: [${tool}] });
        }
      };
      await Promise.all(Array.from({ length: 8 }, converse));
      await store.close();
    })();
  `;
}

const ways = Object.entries(modules).flatMap(([module, { type, imports }]) =>
  Object.entries(tools).map(([tool, code]) => ({ way: `${module}, ${tool}`, type, code: program(imports, code) })),
);

test.each(ways)('$way', async ({ way, type, code }) => {
  const answered = new Map<string, unknown[]>(memoryCases.map(({ id }) => [id, []]));
  const api = await startMessagesApi(({ messages }) => {
    const { id, commands } = memoryCases.find((one) => one.id === messages[0]?.content)!;
    const results = answered.get(id)!;
    for (const [, result] of toolResultsOf(messages)) results.push(result);
    const input = commands[results.length];
    return input ? [{ type: 'tool_use', id: `toolu_${results.length}`, name: 'memory', input }] : [{ type: 'text', text: 'That is all.' }];
  });
  const env = {
    ...process.env,
    ANTHROPIC_BASE_URL: api.url,
    ANTHROPIC_API_KEY: 'none',
    STORE: join(folder, way),
    PROMPTS: JSON.stringify([...answered.keys()]),
  };
  try {
    const child = spawn(process.execPath, [`--input-type=${type}`, '--eval', code], { env, stdio: ['ignore', 'inherit', 'pipe'] });
    const [stderr, [exit]] = await Promise.all([text(child.stderr), once(child, 'close')]);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  } finally {
    await api.close();
  }
  expect(Object.fromEntries(answered)).toEqual(Object.fromEntries(memoryCases.map(({ id, expected }) => [id, expected])));
});
