import { Repository } from '../../src/git/repository.ts';
import type { Brief } from '../../src/session/brief-content.ts';
import type { Vault } from '../../src/vault.ts';
import { FEATURES, temporaryStore, type TemporaryStore } from './support.ts';

const LONG = 'This sentence says one thing. '.repeat(60).trim();
const feature = (id: string, description = `Feature ${id}`) => ({ id, description, steps: [`try ${id}`] });

let store: TemporaryStore;
let vault: Vault;

beforeEach(async () => {
  store = await temporaryStore();
  vault = await store.open();
});

afterEach(async () => store.remove());

const json = async (): Promise<Brief> => JSON.parse(await vault.sessions.brief({ format: 'json', maxChars: 100_000 })) as Brief;

test('of an empty memory says that there is nothing yet', async () => {
  expect(await vault.sessions.brief()).toBe('No session has worked in this memory yet, and there is no checklist.');
  expect(await json()).toEqual({});
});

// Seen to fail when gatherGuides named both files whether they are there or not.
test('names only the files that are there', async () => {
  const first = await vault.sessions.start();
  await first.end({ handoff: 'Nothing yet.' });
  expect(await vault.sessions.brief()).toMatch(/\n\nHow this works is in \/memories\/progress\/README\.md\.$/);
  await vault.write('/memories/progress/init.md', 'Run start.sh.');
  await vault.remove('/memories/progress/README.md');
  expect(await vault.sessions.brief()).toMatch(/\n\nHow to start the work is in \/memories\/progress\/init\.md\.$/);
  expect((await json()).guides).toEqual(['/memories/progress/init.md']);
});

// Seen to fail with `stat` in place of `isFile` in brief.ts or in progress-files.ts.
test('opens none of the notes, also where there is no checklist', async () => {
  await vault.sessions.start({ process: false });
  for (let i = 0; i < 40; i += 1) await vault.write(`/memories/notes/${i}`, String(i));
  const reopened = await store.open();
  const reads = jest.spyOn(Repository.prototype, 'read');
  await reopened.sessions.brief();
  await reopened.sessions.list();
  const read = await Promise.all(reads.mock.results.map(async ({ value }) => (await (value as ReturnType<Repository['read']>)).type));
  reads.mockRestore();
  // The table and the log of the session.
  expect(read.filter((type) => type === 'blob').length).toBeLessThan(5);
});

test('tells an initializer what it is there for', async () => {
  const session = await vault.sessions.start({ agent: 'coder', goal: 'Set it up' });
  expect(await session.brief()).toMatch(/^This is session 1 \(coder\)\. Its goal: Set it up\. Its log is \S+\/log\/0001\.md\. There is no checklist yet/);
  await session.features.init([feature('a')]);
  expect(await session.brief()).not.toContain('no checklist');
});

test('tells what the last sessions handed over, where they got to, and what others did since', async () => {
  const first = await vault.sessions.start();
  await first.features.init([feature('a'), feature('b')]);
  await first.features.pass('a', { evidence: 'seen' });
  await first.end({ handoff: 'Take b.' });
  const second = await vault.sessions.start({ agent: 'other' });
  await second.progress.append({ did: 'half of b', next: 'the rest' });
  await second.abandon({ reason: 'No network.' });
  await vault.write('/memories/x', '1');
  await vault.write('/memories/y', '1');
  const parallel = await vault.sessions.start({ agent: 'parallel', goal: 'Docs' });
  await parallel.progress.append({ did: 'docs' });
  const own = await vault.sessions.start();
  await own.progress.append({ did: 'mine' });

  const text = await own.brief();
  expect(text).toContain('1 of 2 features pass.\n\nThe next feature is b: Feature b\n1. try b');
  expect(text).toMatch(/Session 1 ended at \S+\. Passed: a\.\nIts handoff:\nTake b\./);
  expect(text).toMatch(/Session 2 was abandoned \(other\) at \S+\.\nWhy: No network\.\nBefore that:\nDid: half of b\n\nNext: the rest/);
  expect(text).toContain('Session 3 is open too (parallel)');
  expect(text).toContain('Since session 2 ended: 3 commits, 1 by session 3, 2 outside any session.');
  expect(await own.brief()).toBe(text);
});

test('tells of regressions until they pass again, and when nothing is left to do', async () => {
  const first = await vault.sessions.start();
  await first.features.init([feature('a'), feature('b')]);
  for (const id of ['a', 'b']) await first.features.pass(id, { evidence: 'seen' });
  await first.end({ handoff: 'Both pass.' });
  expect(await vault.sessions.brief()).toContain('All 2 features pass. Nothing is left to do');
  const second = await vault.sessions.start();
  await second.features.fail('b', { reason: 'The server moved.' });
  await second.end({ handoff: 'b broke.' });
  const third = await vault.sessions.start();
  expect(await third.brief()).toContain('These passed once and do not now:\n- b: Feature b (The server moved.)');
  await third.features.pass('b', { evidence: 'seen again' });
  expect(await third.brief()).not.toContain('These passed once');
});

test('tells of what broke in a session that is still open, or outside any', async () => {
  const first = await vault.sessions.start();
  await first.features.init([feature('a'), feature('b'), feature('c')]);
  for (const id of ['a', 'b', 'c']) await first.features.pass(id, { evidence: 'seen' });
  await first.end({ handoff: 'All pass.' });
  const open = await vault.sessions.start();
  await open.features.fail('a', { reason: 'It broke.' });
  await vault.features.fail('c', { reason: 'A person saw it.' });
  expect((await json()).features?.regressions?.map(({ id }) => id)).toEqual(['a', 'c']);
});

test('never counts a broken checklist as an empty one', async () => {
  await vault.sessions.start({ policy: 'off' });
  const open = await store.open({ policy: 'off' });
  await open.write(FEATURES, '[{]');
  expect(await vault.sessions.brief()).toMatch(/cannot be read: it is not valid JSON.*Mend it/);
  expect((await json()).features?.fault).toContain('not valid JSON');
});

test('stays inside its bound, cut at sentences, and its JSON is always whole', async () => {
  for (let i = 0; i < 5; i += 1) {
    const session = await vault.sessions.start({ agent: `agent ${i}`, goal: LONG.slice(0, 900) });
    if (i === 0) await session.features.init(Array.from({ length: 30 }, (_, n) => feature(`feature-${n}`, LONG)));
    for (let n = 0; n < 10; n += 1) await session.features.pass(`feature-${n}`, { evidence: LONG });
    for (let n = 0; n < 10; n += 1) await session.features.fail(`feature-${n}`, { reason: LONG });
    await session.end({ handoff: LONG });
  }
  const own = await vault.sessions.start({ goal: LONG.slice(0, 900) });
  for (const maxChars of [200, 250, 300, 500, 700, 1000, 1500, 2000, 3000, 4000, 10_000, 50_000]) {
    const text = await own.brief({ maxChars });
    expect(text.length).toBeLessThanOrEqual(maxChars);
    // What was cut, was cut after a sentence.
    for (const [before] of text.matchAll(/\S* \[…\]/g)) expect(before).toMatch(/[.\d] \[…\]$/);
    const object = await own.brief({ maxChars, format: 'json' });
    expect(object.length).toBeLessThanOrEqual(maxChars);
    expect((JSON.parse(object) as Brief).features).toMatchObject({ total: 30, passing: 0, done: false });
    // Shortening comes before leaving out.
    if (maxChars >= 1500) expect(text).toMatch(/The next feature is feature-0[\s\S]*Session 5 ended[\s\S]*Its handoff:\nThis sentence says one thing\./);
  }
  expect((await own.brief()).length).toBeGreaterThan(2000);
  for (const maxChars of [199, 0, 2.5, NaN]) await expect(own.brief({ maxChars })).rejects.toThrow(RangeError);
});
