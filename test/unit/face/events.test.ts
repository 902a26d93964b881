/**
 * Every way of asking or changing a vault ends in CLOSED once it is closed, and is told of while it is open. Seen to fail with
 * sessions that read from the repository themselves, and with a log that only looks at its start whether the vault is open.
 */
import { join } from 'node:path';
import { generateKey, openStore, type Session, type Vault, type VaultEvent } from '../../../src/index.ts';
import { temporaryFolder } from '../../support/git-repository.ts';

const folder = temporaryFolder();

async function drain(steps: AsyncIterable<unknown>): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const step of steps) all.push(step);
  return all;
}

/** Each by the name that it is told of. */
const OPERATIONS: readonly (readonly [op: string, run: (vault: Vault, session: Session) => Promise<unknown>])[] = [
  ['log', async (vault) => drain(vault.log())],
  ['grep', async (vault) => drain(vault.grep('one'))],
  ['export', async (vault) => drain(vault.exportTar())],
  ['remotes', async (vault) => vault.remotes()],
  ['status', async (vault) => vault.status()],
  ['session_list', async (vault) => vault.sessions.list()],
  ['session_show', async (vault) => vault.sessions.show(1)],
  ['session_diff', async (vault) => vault.sessions.diff(1)],
  ['session_resume', async (vault) => vault.sessions.resume(1)],
  ['session_brief', async (vault) => vault.sessions.brief()],
  ['session_brief', async (_, session) => session.brief()],
  ['features_list', async (vault) => vault.features.list()],
  ['features_list', async (vault) => vault.features.next()],
  ['features_list', async (vault) => vault.features.summary()],
  ['features_list', async (_, session) => session.features.done()],
  ['progress_read', async (_, session) => session.progress.read()],
  ['progress_append', async (_, session) => session.progress.append({ did: 'more' })],
  ['session_end', async (_, session) => session.end({ handoff: 'done' })],
  ['session_revert', async (vault) => vault.sessions.revert(1)],
  ['session_start', async (vault) => vault.sessions.start()],
];

const events: VaultEvent[] = [];
let vault: Vault;
let session: Session;
let close: () => Promise<void>;

beforeEach(async () => {
  const store = await openStore({ dir: join(folder, String(Math.random())), key: await generateKey(), onEvent: (event) => events.push(event) });
  vault = await store.vault('alice');
  session = await vault.sessions.start({ goal: 'to be told of' });
  await session.execute({ command: 'create', path: '/memories/a', file_text: 'one\n' });
  close = async () => store.close();
  events.length = 0;
});

afterEach(async () => close());

test('what is done is told of once, under its name', async () => {
  for (const [op, run] of OPERATIONS) {
    await run(vault, session);
    expect([op, events.splice(0).map((event) => [event.op, event.code])]).toEqual([op, [[op, undefined]]]);
  }
});

/** Seen to fail with a command that came to nothing told of as `command`. */
test('a command of the memory tool has its name, whatever became of it', async () => {
  await session.execute({ command: 'delete', path: '/memories/none' });
  await session.execute({ command: 'create', path: '/memories/progress/sessions.json', file_text: '[]' }, { overwrite: true });
  await session.execute({ command: 'rename', old_path: '/memories/a', new_path: '/memories/b' });
  expect(events.map(({ op, code }) => [op, code !== undefined])).toEqual([['delete', true], ['create', true], ['rename', false]]);
});

test('a closed vault answers nothing, and there is nothing to tell', async () => {
  await close();
  for (const [op, run] of OPERATIONS) await expect(run(vault, session).then(() => op)).rejects.toMatchObject({ code: 'CLOSED' });
  expect(events).toEqual([]);
});

test('a log ends in CLOSED where the vault is closed under its reader', async () => {
  const entries = vault.log();
  expect((await entries.next()).done).toBe(false);
  await vault.close();
  await expect(entries.next()).rejects.toMatchObject({ code: 'CLOSED' });
  expect(events).toMatchObject([{ op: 'log', code: 'CLOSED' }]);
});

test('a reader that leaves is no failure, and its own time is not the log\'s', async () => {
  let clock = 0;
  const now = jest.spyOn(performance, 'now').mockImplementation(() => clock);
  const entries = vault.log();
  await entries.next();
  clock += 1000;
  await entries.return(undefined);
  now.mockRestore();
  expect(events).toMatchObject([{ op: 'log', code: undefined, ms: 0 }]);
});

test('a failure is told of with its code', async () => {
  await expect(drain(vault.log({ revision: 'nope' }))).rejects.toMatchObject({ code: 'BAD_REVISION' });
  await expect(vault.sessions.diff(9)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(events).toMatchObject([{ op: 'log', code: 'BAD_REVISION' }, { op: 'session_diff', code: 'NOT_FOUND' }]);
});
