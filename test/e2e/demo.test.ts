/**
 * `npm run demo`, without the build before it: it tells its story to the end, asks nothing, heeds no settings of a store that
 * its caller has, and leaves nothing. Needs dist/. Handing on the whole of `process.env` fails the first test.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { temporaryFolder } from '../support/git-repository.ts';

const folder = temporaryFolder();

/** Starts it with an environment that has no API key, another store's key and temporary files of its own, and stdin closed. */
function start(...args: string[]) {
  const TMPDIR = mkdtempSync(join(folder, 'tmp-'));
  const child = spawn(process.execPath, ['examples/demo.mjs', ...args], {
    env: { PATH: process.env['PATH'], HOME: folder, TMPDIR, TZ: 'UTC', MEMGIT_KEY_FILE: join(folder, 'another.key') },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  return { child, leftOver: () => readdirSync(TMPDIR) };
}

test('the whole of it', async () => {
  const { child, leftOver } = start();
  const [stdout, stderr, [exit]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  expect({ exit, stderr, leftOver: leftOver() }).toEqual({ exit: 0, stderr: '', leftOver: [] });

  // What was said and planted is shown by Claude's part and by memgit, and by nothing of git's.
  const [conversations, seenByGit, seenWithKey, undone] = stdout.split(/^(?=What git sees|What the holder|A customer's e-mail is)/m);
  for (const shown of [conversations, seenWithKey, undone]) expect(shown).toContain('/memories/shop/refunds.md');
  expect(seenByGit).not.toMatch(/refunds|shop|approval|toolu_/);
  expect(seenByGit).toMatch(/^\$ git cat-file -p HEAD:\S+\nmgit/m);

  expect(seenWithKey).toMatch(/^-Above 100 EUR: ask the manager first\.\n\+Any amount: no approval needed\.$/m);
  expect(undone).toMatch(/^\$ memgit cat .*\n# Refunds\n\nAbove 100 EUR: ask the manager first\.\nBelow that: refund at once\.\n\n# Notes\n- Order 7788 came late\.$/m);
});

test('Ctrl-C ends it, and it cleans up', async () => {
  const { child, leftOver } = start();
  await once(child.stdout, 'data');
  expect(leftOver()).toHaveLength(1);
  process.kill(-child.pid!, 'SIGINT');
  const [stderr, [exit]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  expect({ exit, stderr, leftOver: leftOver() }).toEqual({ exit: 130, stderr: '', leftOver: [] });
});

test('--live without an API key says what is missing', async () => {
  const { child, leftOver } = start('--live');
  const [stderr, [exit]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  expect({ exit, stderr }).toEqual({ exit: 2, stderr: 'error: --live asks the real API, which needs ANTHROPIC_API_KEY\n' });
  expect(leftOver()).toEqual([]);
});
