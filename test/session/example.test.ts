/** examples/long-running-agent.mjs as its readers run it, but for the API; killed in the middle, and started again. Needs dist/. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { BetaContentBlockParam } from '@anthropic-ai/sdk/resources/beta/messages';
import { startMessagesApi } from '../support/messages-api.js';
import { FEATURES, PROGRESS, temporaryStore } from './support.ts';

const LIST = ['a', 'b'].map((id) => ({ id, description: `Feature ${id}`, steps: [], passes: false, evidence: '', notes: '' }));
const checked = (passing: number) => `${JSON.stringify(LIST.map((feature, index) => (index < passing ? { ...feature, passes: true, evidence: 'tried' } : feature)), undefined, 2)}\n`;

test('the long-running agent goes on after it was killed, with context editing and compaction switched on', async () => {
  const store = await temporaryStore('alice');
  let killed: ChildProcess | undefined;
  const api = await startMessagesApi(async ({ messages }): Promise<BetaContentBlockParam[]> => {
    const prompt = messages[0]!.content as string;
    const number = Number(/This is session (\d+)/.exec(prompt)![1]);
    const turn = messages.filter(({ role }) => role === 'assistant').length;
    const call = (input: object): BetaContentBlockParam[] => [{ type: 'tool_use', id: `toolu_${number}_${turn}`, name: 'memory', input }];
    if (number === 1) return turn === 0 ? call({ command: 'create', path: FEATURES, file_text: checked(0) }) : [{ type: 'text', text: 'Made the list.' }];
    if (number === 2 && turn === 1) {
      killed?.kill('SIGKILL');
      await new Promise(() => {});
    }
    if (number === 2) return call({ command: 'create', path: '/memories/half.md', file_text: 'half' });
    const passing = number - 2;
    const [before, after] = [checked(passing - 1), checked(passing)].map((list) => list.slice(list.indexOf(`"id": "${LIST[passing - 1]!.id}"`)));
    return turn === 0 ? call({ command: 'str_replace', path: FEATURES, old_str: before!, new_str: after! }) : [{ type: 'text', text: `Session ${number} did it.` }];
  });
  const env = { PATH: process.env['PATH'], ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'none', MEMGIT_KEY: store.key, MEMGIT_STORE: store.dir };
  const start = () => spawn(process.execPath, ['examples/long-running-agent.mjs', 'Build it.'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const run = async (child: ChildProcess): Promise<string> => {
    const [stdout] = await Promise.all([text(child.stdout!), once(child, 'close')]);
    return stdout;
  };
  try {
    killed = start();
    expect(await run(killed)).toBe('session 1\nsession 2\n');
    expect(await run(start())).toBe('session 3\nsession 4\n2 of 2 features pass\n');
    expect(await run(start())).toBe('2 of 2 features pass\n');

    const vault = await store.open();
    expect((await vault.sessions.list()).map(({ status }) => status)).toEqual(['ended', 'interrupted', 'ended', 'ended']);
    const briefed = api.requests.map(({ messages }) => messages[0]!.content as string).find((prompt) => prompt.includes('This is session 3'));
    expect(briefed).toMatch(/Session 2 stopped without a handoff \(examples\/long-running-agent\): 1 write, last at \S+, in \/memories\/half\.md\./);
    for (const { context_management: management } of api.requests) {
      expect(management?.edits?.map(({ type }) => type)).toEqual(['clear_tool_uses_20250919', 'compact_20260112']);
    }
    expect(await vault.readText(`${PROGRESS}/log/0004.md`)).toContain('Session 4 did it.');
  } finally {
    await api.close();
    await store.remove();
  }
});
