/**
 * Five sessions of one piece of work, as agents live them: the SDK's tool runner against a stand-in of the Messages API, one
 * of them killed in the middle, and one that tries everything it should not.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { BetaContentBlockParam, BetaMessageParam } from '@anthropic-ai/sdk/resources/beta/messages';
import { startMessagesApi, toolResultsOf } from '../support/messages-api.js';
import { runSession } from './session-agent.ts';
import { FEATURES, PROGRESS, temporaryStore } from './support.ts';

type Turn = readonly object[] | string;

const feature = (id: string) => ({ id, description: `The ${id} works`, steps: [`open the ${id}`, 'use it'], passes: false, evidence: '', notes: '' });
const replace = (path: string, from: string, to: string) => ({ command: 'str_replace', path, old_str: from, new_str: to });
const create = (path: string, text: string) => ({ command: 'create', path, file_text: text });
const unproven = (id: string) => `    "id": "${id}",\n    "description": "The ${id} works",\n    "steps": [\n      "open the ${id}",\n      "use it"\n    ],\n    "passes": false,\n    "evidence": ""`;
const proven = (id: string, evidence: string) => unproven(id).replace('"passes": false', '"passes": true').replace('"evidence": ""', `"evidence": "${evidence}"`);
const LIST = `${JSON.stringify(['login', 'search', 'export'].map(feature), undefined, 2)}\n`;

/** What Claude does in each session, turn by turn; a text is its last word. */
const SCRIPTS: Readonly<Record<number, readonly Turn[]>> = {
  1: [
    [{ command: 'view', path: PROGRESS }],
    [create(FEATURES, LIST), create(`${PROGRESS}/init.md`, 'Run ./start.sh.\n'), create('/memories/plan.md', 'one\ntwo\nthree\nfour\nfive\n')],
    'The list is made. Start with the login.',
  ],
  2: [
    [{ command: 'view', path: `${PROGRESS}/log/0001.md` }, { command: 'view', path: FEATURES }],
    [create('/memories/work/login.md', 'how the login works\n')],
    [replace(FEATURES, unproven('login'), proven('login', 'logged in with a browser'))],
    'The login passes. Next is the search.',
  ],
  3: [[create('/memories/work/search.md', 'first\n')], [replace('/memories/work/search.md', 'first', 'second')], [create('/memories/work/half.md', 'half of it')], 'Never said.'],
  4: [
    [replace(FEATURES, 'The export works', 'The export is optional')],
    [{ command: 'delete', path: FEATURES }],
    [replace(FEATURES, unproven('search'), unproven('search').replace('"passes": false', '"passes": true'))],
    [replace(FEATURES, '"id": "search",', '"id": "search"')],
    [replace(`${PROGRESS}/log/0002.md`, 'The login passes.', 'Everything passes.')],
    [create('/memories/work/four.md', 'the fourth was here\n'), replace('/memories/plan.md', 'two', 'TWO')],
    'I could not cheat.',
  ],
  5: [
    [replace('/memories/plan.md', 'five', 'FIVE'), create('/memories/work/five.md', 'the fifth was here\n')],
    [replace(FEATURES, unproven('search'), proven('search', 'searched and found'))],
    [replace(FEATURES, unproven('export'), proven('export', 'exported and opened'))],
    'All of it passes.',
  ],
};

function numberOf(messages: readonly BetaMessageParam[]): number {
  return Number(/This is session (\d+)/.exec(messages[0]!.content as string)?.[1]);
}

test('five sessions', async () => {
  const store = await temporaryStore();
  const results = new Map<string, { content: unknown; is_error: boolean }>();
  let noteThirdWrite = () => {};
  const thirdWrite = new Promise<void>((resolve) => {
    noteThirdWrite = resolve;
  });
  const api = await startMessagesApi(async ({ messages }) => {
    const number = numberOf(messages);
    for (const [id, result] of toolResultsOf(messages)) results.set(id, result);
    const turn = messages.filter(({ role }) => role === 'assistant').length;
    if (number === 3 && turn === 3) {
      noteThirdWrite();
      await new Promise(() => {});
    }
    const says = SCRIPTS[number]![turn]!;
    if (typeof says === 'string') return [{ type: 'text', text: says }];
    return says.map((input, index): BetaContentBlockParam => ({ type: 'tool_use', id: `toolu_${number}_${turn}_${index}`, name: 'memory', input }));
  });
  const run = { dir: store.dir, key: store.key, url: api.url };
  const briefOf = (number: number) => api.requests.map(({ messages }) => messages).find((messages) => numberOf(messages) === number)![0]!.content as string;
  try {
    await runSession({ ...run, goal: 'Set up' });
    await runSession({ ...run, goal: 'The login' });

    const child = spawn(process.execPath, ['scripts/run-ts.mjs', 'test/session/session-agent.ts', run.dir, run.key, run.url, 'The search'], { stdio: ['ignore', 'ignore', 'inherit'] });
    const ended = once(child, 'exit');
    await Promise.race([thirdWrite, ended]);
    child.kill('SIGKILL');
    expect((await ended)[1]).toBe('SIGKILL');

    await runSession({ ...run, goal: 'Cheat' });
    await runSession({ ...run, goal: 'Finish' });

    const vault = await store.open();
    expect(await vault.features.done()).toBe(true);
    expect((await vault.features.list()).map(({ id, description }) => [id, description])).toEqual([['login', 'The login works'], ['search', 'The search works'], ['export', 'The export works']]);

    expect(briefOf(1)).toContain('There is no checklist yet');
    expect(briefOf(2)).toContain('0 of 3 features pass.\n\nThe next feature is login: The login works\n1. open the login\n2. use it');
    expect(briefOf(2)).toContain('Its handoff:\nThe list is made. Start with the login.');
    expect(briefOf(4)).toMatch(/Session 3 stopped without a handoff \(coder\): 3 writes, last at \S+, in \/memories\/work\/search\.md, \/memories\/work\/half\.md\. Its goal: The search\./);
    expect(briefOf(4)).toContain('Since session 2 ended: 3 commits, 3 by session 3.');
    expect(await vault.sessions.list()).toMatchObject(['ended', 'ended', 'interrupted', 'ended', 'ended'].map((status, index) => ({ number: index + 1, status })));

    const told = (turn: number) => {
      expect(results.get(`toolu_4_${turn}_0`)).toMatchObject({ is_error: true });
      return results.get(`toolu_4_${turn}_0`)!.content;
    };
    expect(told(0)).toMatch(/are fixed: none can be added, removed, reordered or reworded\. Nothing was changed\. You may change passes, evidence and notes/);
    expect(told(1)).toMatch(/cannot be deleted, moved or replaced\. Nothing was changed\. You may change/);
    expect(told(2)).toMatch(/"search" cannot pass without evidence\. Nothing was changed\. Try the feature end to end first/);
    expect(told(3)).toMatch(/would not be valid JSON.*Nothing was changed\. View the file/);
    expect(told(4)).toMatch(/Session 2 is over, so its log can only be added to at its end\. Nothing was changed\. Write into your own log \/memories\/progress\/log\/0004\.md/);
    const fine = [...results].filter(([id]) => !/^toolu_4_[0-4]_/.test(id));
    for (const [id, { is_error: refused }] of fine) expect([id, refused]).toEqual([id, false]);

    const { commits } = (await vault.sessions.show(4))!;
    expect(commits.map(({ op, toolUseId, model }) => [op, toolUseId, model])).toEqual([
      ['session_end', undefined, 'a-model'],
      ['str_replace', 'toolu_4_5_1', 'a-model'],
      ['create', 'toolu_4_5_0', 'a-model'],
      ['session_start', undefined, 'a-model'],
    ]);

    await vault.sessions.revert(4);
    expect(await vault.read('/memories/work/four.md')).toBeUndefined();
    expect(await vault.readText('/memories/plan.md')).toBe('one\ntwo\nthree\nfour\nFIVE\n');
    expect(await vault.readText('/memories/work/five.md')).toBe('the fifth was here\n');
    expect(await vault.features.done()).toBe(true);
  } finally {
    await api.close();
    await store.remove();
  }
});
