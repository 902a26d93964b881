import { FEATURES, PROGRESS, refusalOf, TABLE, temporaryStore, type TemporaryStore } from './support.ts';
import { progressRules } from '../../src/session/rules.ts';
import { systemWorld } from '../../src/session/world.ts';
import type { Proposal } from '../../src/session/proposal.ts';
import type { Session } from '../../src/session/session.ts';
import type { Vault } from '../../src/vault.ts';

const LIST = [
  { id: 'login', description: 'Users log in', steps: ['open /login'] },
  { id: 'search', description: 'Users search', steps: [] },
];

let store: TemporaryStore;
let vault: Vault;

beforeEach(async () => {
  store = await temporaryStore();
  vault = await store.open();
});

afterEach(async () => {
  jest.restoreAllMocks();
  await store.remove();
});

/** Session 1 makes the list and ends; the session given back is the second. */
async function secondSession(): Promise<Session> {
  const first = await vault.sessions.start();
  await first.features.init(LIST);
  await first.end({ handoff: 'The list is made.' });
  return vault.sessions.start();
}

const replace = (path: string, from: string, to: string) => ({ command: 'str_replace', path, old_str: from, new_str: to });

describe('after the initializer session', () => {
  const listEdits: [string, object][] = [
    ['rewording a feature', replace(FEATURES, 'Users log in', 'Nobody logs in')],
    ['removing steps', replace(FEATURES, '"open /login"', '')],
    ['deleting the list', { command: 'delete', path: FEATURES }],
    ['moving the list', { command: 'rename', old_path: FEATURES, new_path: '/memories/old.json' }],
    ['deleting the whole directory', { command: 'delete', path: PROGRESS }],
    ['moving the whole directory', { command: 'rename', old_path: PROGRESS, new_path: '/memories/old' }],
  ];

  test.each(listEdits)('%s is refused, with what may be done instead', async (_, input) => {
    const session = await secondSession();
    const before = await vault.list();
    expect(await refusalOf(session.execute(input))).toMatch(/^Error: .*features\.json.*\. Nothing was changed\. You may change passes, evidence and notes of a feature/);
    expect(await vault.list()).toEqual(before);
  });

  test('the host program is bound by the same rules', async () => {
    const session = await secondSession();
    const refused = { code: 'REFUSED' };
    await expect(vault.write(FEATURES, '[]')).rejects.toMatchObject(refused);
    await expect(vault.remove(PROGRESS)).rejects.toMatchObject(refused);
    await expect(vault.features.init(LIST.slice(1))).rejects.toMatchObject(refused);
    await expect(session.features.init(LIST.slice(1))).rejects.toMatchObject(refused);
    await expect(session.features.pass('login', { evidence: ' ' })).rejects.toMatchObject(refused);
    expect((await vault.features.list()).map(({ id }) => id)).toEqual(['login', 'search']);
  });

  test('a feature passes with evidence, and back to false is always allowed', async () => {
    const session = await secondSession();
    const first = (text: string, to: string) => session.execute({ command: 'create', path: FEATURES, file_text: text.replace(text.includes('"passes": true') ? '"passes": true' : '"passes": false', to) }, { overwrite: true });
    const now = async () => (await vault.readText(FEATURES))!;
    expect(await refusalOf(first(await now(), '"passes": true'))).toContain('"login" cannot pass without evidence');
    expect(await session.execute({ command: 'create', path: FEATURES, file_text: (await now()).replace('"evidence": ""', '"evidence": "logged in"') }, { overwrite: true })).toMatchObject({ is_error: false });
    expect(await first(await now(), '"passes": true')).toMatchObject({ is_error: false });
    expect(await refusalOf(session.execute(replace(FEATURES, 'logged in', '')))).toContain('cannot pass without evidence');
    expect(await refusalOf(session.execute(replace(FEATURES, 'logged in', '\u200b')))).toContain('cannot pass without evidence');
    expect(await first(await now(), '"passes": false')).toMatchObject({ is_error: false });
  });

  test('JSON that does not parse is refused, and so is JSON that is no checklist', async () => {
    const session = await secondSession();
    expect(await refusalOf(session.execute(replace(FEATURES, '"id": "login",', '"id": "login"')))).toMatch(/would not be valid JSON.*send an edit after which it parses/);
    expect(await refusalOf(session.execute({ command: 'create', path: FEATURES, file_text: '{}' }, { overwrite: true }))).toContain('it is not a JSON list');
    expect(await refusalOf(session.execute({ command: 'create', path: `${PROGRESS}/ideas.json`, file_text: '[1,' }))).toContain('ideas.json would not be valid JSON');
    await expect(vault.write(`${PROGRESS}/ideas.json`, new Uint8Array([0xff]))).rejects.toMatchObject({ code: 'REFUSED' });
    expect(await session.execute({ command: 'create', path: `${PROGRESS}/ideas.json`, file_text: '[1]' })).toMatchObject({ is_error: false });
    expect(await session.execute({ command: 'create', path: '/memories/ideas.json', file_text: '[1,' })).toMatchObject({ is_error: false });
    expect(await refusalOf(session.execute({ command: 'create', path: `${PROGRESS}/more.JSON`, file_text: '[1,' }))).toContain('more.JSON would not be valid JSON');
    // A parser keeps the last: a feature would pass, and read as if it did not.
    expect(await refusalOf(session.execute(replace(FEATURES, '"id": "login",', '"passes": true,\n"id": "login",')))).toMatch(/a field stands twice in the same object, at line \d+\. Nothing was changed/);
  });

  test('the log of a session that is over only grows', async () => {
    const session = await secondSession();
    const log = `${PROGRESS}/log/0001.md`;
    const own = 'your own log /memories/progress/log/0002.md';
    expect(await refusalOf(session.execute(replace(log, 'The list is made.', 'All is done.')))).toContain(own);
    expect(await refusalOf(session.execute({ command: 'insert', path: log, insert_line: 0, insert_text: 'x' }))).toContain('only be added to at its end');
    expect(await refusalOf(session.execute({ command: 'delete', path: log }))).toContain(own);
    expect(await refusalOf(session.execute({ command: 'rename', old_path: log, new_path: `${PROGRESS}/log/0009.md` }))).toMatch(/Nothing was changed/);
    const lines = (await vault.readText(log))!.split('\n').length - 1;
    expect(await session.execute({ command: 'insert', path: log, insert_line: lines, insert_text: 'Later remark.' })).toMatchObject({ is_error: false });
  });

  test('the own log may be edited but not taken away, and no other is made by hand', async () => {
    const session = await secondSession();
    const log = `${PROGRESS}/log/0002.md`;
    expect(await session.execute({ command: 'insert', path: log, insert_line: 1, insert_text: 'By hand.' })).toMatchObject({ is_error: false });
    expect(await refusalOf(session.execute({ command: 'delete', path: log }))).toContain('is the log of session 2');
    expect(await refusalOf(session.execute({ command: 'create', path: `${PROGRESS}/log/0042.md`, file_text: '' }))).toContain(log);
    expect(await session.execute({ command: 'create', path: `${PROGRESS}/log/notes.md`, file_text: '' })).toMatchObject({ is_error: false });
  });

  test('the table is nobody\'s to write', async () => {
    const session = await secondSession();
    expect(await refusalOf(session.execute(replace(TABLE, '"number":1', '"number":9')))).toContain('kept by memgit');
    expect(await refusalOf(session.execute({ command: 'delete', path: TABLE }))).toContain('kept by memgit');
    await expect(vault.write(TABLE, '[]')).rejects.toMatchObject({ code: 'REFUSED' });
  });
});

test('the initializer may change its list until it ends', async () => {
  const first = await vault.sessions.start();
  const other = await vault.sessions.start();
  await first.features.init(LIST);
  expect(await first.execute(replace(FEATURES, 'Users log in', 'People log in'))).toMatchObject({ is_error: false });
  await first.features.init(LIST.slice(1));
  await expect(vault.features.init(LIST)).rejects.toMatchObject({ code: 'REFUSED' });
  expect(await first.execute({ command: 'delete', path: FEATURES })).toMatchObject({ is_error: false });
  await other.features.init(LIST);
  await first.end({ handoff: 'Done.' });
  await expect(first.features.init(LIST.slice(1))).rejects.toMatchObject({ code: 'REFUSED' });
});

/** Seen to fail with every open initializer free to rewrite the list. */
test('of two initializers at once the first to make the list keeps it', async () => {
  const [slow, quick] = [await vault.sessions.start(), await vault.sessions.start()];
  expect([slow.isFirst, quick.isFirst]).toEqual([true, true]);
  const outcomes = await Promise.allSettled([quick.features.init(LIST), slow.features.init([{ id: 'other', description: 'Another plan' }])]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  const told = /were listed by session 2, which was first.*Nothing was changed\. You may change passes, evidence and notes of a feature; put an idea for new work into your own log \S+0001\.md/;
  for (const input of [replace(FEATURES, 'Users log in', 'Nobody logs in'), { command: 'delete', path: FEATURES }, { command: 'delete', path: PROGRESS }]) {
    expect(await refusalOf(slow.execute(input))).toMatch(told);
  }
  await slow.features.pass('login', { evidence: 'logged in' });
  await quick.features.init(LIST.slice(1));
  await quick.end({ handoff: 'Listed.' });
  // What it made stays its own when it is over, and an empty list is nobody's.
  expect(await refusalOf(slow.execute(replace(FEATURES, 'Users search', 'Nobody searches')))).toMatch(told);
  expect((await vault.features.list()).map(({ id }) => id)).toEqual(['search']);
});

test('a list that stood before, or that the host made outside any session, is the initializer\'s to change', async () => {
  await vault.features.init(LIST);
  const first = await vault.sessions.start();
  expect(await first.execute(replace(FEATURES, 'Users log in', 'People log in'))).toMatchObject({ is_error: false });
  expect(await first.execute({ command: 'delete', path: FEATURES })).toMatchObject({ is_error: false });
  await vault.features.init(LIST);
  expect(await first.execute(replace(FEATURES, 'Users log in', 'People log in'))).toMatchObject({ is_error: false });
});

/** Seen to fail with rules that take an interrupted session for one that is over. */
test('an initializer that was taken for dead goes on as before', async () => {
  jest.spyOn(systemWorld, 'isDead').mockReturnValue(true);
  const first = await vault.sessions.start();
  await first.features.init(LIST);
  await vault.sessions.start();
  expect((await vault.sessions.list())[0]).toMatchObject({ status: 'interrupted' });
  const log = `${PROGRESS}/log/0001.md`;
  expect(await first.execute(replace(log, '# Session 1', '# The first session'))).toMatchObject({ is_error: false });
  await first.features.init(LIST.slice(1));
  expect(await refusalOf(vault.execute(replace(log, '# The first session', '#')))).toContain('is over');
});

test('a list that an initializer left unmade, or broken, is made by the next', async () => {
  const first = await vault.sessions.start({ policy: 'off' });
  await first.execute({ command: 'create', path: FEATURES, file_text: 'not a list' });
  await first.abandon({ reason: 'lost' });
  await expect(vault.features.summary()).rejects.toMatchObject({ code: 'CORRUPT' });
  await expect(vault.features.done()).rejects.toMatchObject({ code: 'CORRUPT' });
  const second = await vault.sessions.start();
  expect(second.isFirst).toBe(true);
  expect(await second.brief()).toContain('cannot be read: it is not valid JSON');
  await second.features.init(LIST);
  expect((await vault.sessions.start()).isFirst).toBe(false);
});

/** Seen to fail with options that default only where they are `undefined`: the call rejected. */
test('options that are null are as good as none', async () => {
  const session = await vault.sessions.start();
  for (const writer of [vault, session]) {
    expect(await writer.execute({ command: 'view', path: '/memories' }, null)).toMatchObject({ is_error: false });
    expect(await writer.execute({ command: 'nonsense' }, null)).toMatchObject({ is_error: true });
  }
});

test('without any session nothing but JSON and the table is guarded', async () => {
  expect(await vault.execute({ command: 'create', path: FEATURES, file_text: '{"my": "own form"}' })).toMatchObject({ is_error: false });
  expect(await vault.execute({ command: 'create', path: `${PROGRESS}/log/0001.md`, file_text: 'mine' })).toMatchObject({ is_error: false });
  expect(await refusalOf(vault.execute({ command: 'create', path: `${PROGRESS}/x.json`, file_text: '{' }))).toContain('valid JSON');
  expect(await refusalOf(vault.execute({ command: 'create', path: TABLE, file_text: '[]' }))).toContain('kept by memgit');
  const session = await vault.sessions.start();
  expect([session.number, session.isFirst]).toEqual([2, true]);
  expect(await vault.readText(`${PROGRESS}/log/0001.md`)).toBe('mine');
});

describe('a policy of one\'s own', () => {
  test('judges the tool and the host program, sees files before and after, and its sentence reaches Claude', async () => {
    const seen: unknown[] = [];
    const guarded = await store.open({
      policy: async (proposal) => {
        for (const { path, before, after } of await proposal.changes()) {
          seen.push([proposal.op, proposal.session, path, before && Buffer.from(before).toString(), after && Buffer.from(after).toString()]);
          if (after && Buffer.from(after).includes('secret')) return 'Error: No secrets here. Write down where it is kept instead';
        }
        return proposal.touches(PROGRESS) ? progressRules(proposal) : undefined;
      },
    });
    expect(await guarded.execute({ command: 'create', path: '/memories/a', file_text: 'one' }, { session: 's' })).toMatchObject({ is_error: false });
    expect(await refusalOf(guarded.execute(replace('/memories/a', 'one', 'secret')))).toBe('Error: No secrets here. Write down where it is kept instead');
    await expect(guarded.write('/memories/b', 'secret')).rejects.toMatchObject({ code: 'REFUSED', sentence: 'Error: No secrets here. Write down where it is kept instead' });
    await guarded.execute({ command: 'rename', old_path: '/memories/a', new_path: '/memories/c' });
    expect(await refusalOf(guarded.execute({ command: 'create', path: TABLE, file_text: '[]' }))).toContain('kept by memgit');
    expect(seen).toEqual([
      ['create', 's', '/memories/a', undefined, 'one'],
      ['str_replace', undefined, '/memories/a', 'one', 'secret'],
      ['write', undefined, '/memories/b', undefined, 'secret'],
      ['rename', undefined, '/memories/a', 'one', undefined],
      ['rename', undefined, '/memories/c', undefined, 'one'],
      ['create', undefined, TABLE, undefined, '[]'],
    ]);
  });

  test('can be a session\'s, or off', async () => {
    await secondSession();
    await expect(vault.sessions.start({ policy: 'loose' as 'off' })).rejects.toThrow(TypeError);
    expect(await vault.sessions.list()).toHaveLength(2);
    const loose = await vault.sessions.start({ policy: 'off' });
    expect(await loose.execute({ command: 'delete', path: FEATURES })).toMatchObject({ is_error: false });
    const strict = await vault.sessions.start({ policy: ({ op }) => (op === 'delete' ? 'Error: Nothing is deleted here' : undefined) });
    expect(await refusalOf(strict.execute({ command: 'delete', path: PROGRESS }))).toBe('Error: Nothing is deleted here');
    const open = await store.open({ policy: 'off' });
    expect(await open.execute({ command: 'delete', path: PROGRESS })).toMatchObject({ is_error: false });
  });

  test('costs a write elsewhere nothing: the rules ask for no files', async () => {
    const proposal: Proposal = {
      op: 'create', session: undefined, touches: () => false,
      changes: () => { throw new Error('asked'); },
      checklistMaker: () => { throw new Error('asked'); },
      readText: () => { throw new Error('asked'); },
    };
    expect(await progressRules(proposal)).toBeUndefined();
  });
});
