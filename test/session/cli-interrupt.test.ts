/**
 * A `revert` of either kind that is interrupted while it waits for the lock writes nothing when the lock is free again. Seen to
 * fail with a `session revert` that does not pass the signal on.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { runCli } from '../support/fake-io.ts';
import { temporaryStore } from './support.ts';

test.each([['session', 'revert', '1'], ['revert', '--session', 'one']])('%s %s', async (...typed) => {
  const store = await temporaryStore();
  const vault = await store.open();
  const session = await vault.sessions.start({ id: 'one' });
  await session.execute({ command: 'create', path: '/memories/a', file_text: 'x' });
  await session.end({ handoff: 'Done.' });

  // A policy is asked under the lock, and takes its time.
  let release!: () => void;
  const held = new Promise<undefined>((resolve) => (release = () => resolve(undefined)));
  let other!: Promise<string | undefined>;
  await new Promise<void>((asked) => {
    const policy = () => {
      asked();
      return held;
    };
    other = store.open({ policy }).then((slow) => slow.write('/memories/b', 'x'));
  });

  const env = { MEMGIT_STORE: store.dir, MEMGIT_KEY: store.key, MEMGIT_USER: 'someone' };
  const interruption = new AbortController();
  const interrupted = runCli(typed, { env, signal: interruption.signal });
  await pause(500);
  interruption.abort();
  await pause(100);
  release();
  const written = await other;
  expect(await interrupted).toMatchObject({ exit: 130, stdout: '', stderr: 'error: interrupted; what was begun may have been done: look before doing it again\n' });
  expect(await vault.resolve('HEAD')).toBe(written);
  expect(await runCli(typed, { env })).toMatchObject({ exit: 0 });
  await store.remove();
});
