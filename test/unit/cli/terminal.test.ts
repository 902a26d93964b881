/** What only a person at a terminal sees. Seen to fail with bars of one width, and with lists of nothing that say nothing. */
import { join } from 'node:path';
import { generateKey, openStore } from '../../../src/index.ts';
import { runCli } from '../../support/fake-io.ts';
import { temporaryFolder } from '../../support/git-repository.ts';

const dir = join(temporaryFolder(), 'store');
let env: Record<string, string>;

beforeAll(async () => {
  const key = await generateKey();
  env = { MEMGIT_STORE: dir, MEMGIT_USER: 'alice', MEMGIT_KEY: key, NO_COLOR: '1' };
  const store = await openStore({ dir, key });
  await store.vault('alice');
  const bob = await store.vault('bob');
  await bob.write('/memories/a-file.md', 'line\n'.repeat(500));
  await bob.write('/memories/a-file.md', 'other\n'.repeat(300));
  await store.close();
});

test.each([['ls', 'the memory is empty'], ['session list', 'there is no session yet'], ['remote list', 'there is no remote'], ['features', 'there is no checklist, or nothing is on it']])(
  '%s of nothing says so, and only there',
  async (command, said) => {
    const typed = command.split(' ');
    expect(await runCli(typed, { env, terminal: true })).toEqual({ exit: 0, stdout: '', stderr: `${said}\n`, questions: [] });
    expect(await runCli(typed, { env })).toMatchObject({ exit: 0, stdout: '', stderr: '' });
    expect(await runCli([...typed, '--json'], { env, terminal: true })).toMatchObject({ exit: 0, stdout: '', stderr: '' });
  },
);

test('the bars of --stat fit a narrow terminal', async () => {
  const widest = async (columns: number, terminal = true) => {
    const { stdout } = await runCli(['diff', '--user', 'bob', '--stat', '--no-pager'], { env, terminal, columns });
    return Math.max(...stdout.split('\n').filter((line) => line.includes('|')).map((line) => line.length));
  };
  const whole = await widest(200);
  expect(await widest(10, false)).toBe(whole);
  expect(whole).toBeGreaterThan(60);
  for (const columns of [45, 50, 55, 60]) expect(await widest(columns)).toBeLessThanOrEqual(columns);
});
