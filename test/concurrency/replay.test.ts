/**
 * Several agents on one vault, with someone who reads, someone who packs and plain git beside them: nobody meets a fault, nothing is
 * lost, and every answer is one that some order of the commands explains: that of the log. Seen to fail with the lock ignored, with
 * a command run on the snapshot from before the lock, and with a reader that does not look again when packs were folded.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { generateKey, openStore, type Store, type Vault } from '../../src/index.ts';
import { git, temporaryFolder } from '../support/git-repository.ts';
import { startAgent } from '../support/processes.ts';
import { randomFrom, seed } from '../support/random.ts';
import { contentsOfModel, contentsOfVault, judge, type Call } from '../support/replay.ts';
import { gitInit } from '../support/remote-vault.ts';
import { collect } from '../support/tmp-vault.ts';

jest.setTimeout(process.env['SLOW'] === '1' ? 3_600_000 : 300_000);

const folder = temporaryFolder();
const slow = process.env['SLOW'] === '1';
const [processes, each, rounds] = slow ? [4, 500, 3] : [2, 100, 1];

async function expectOneOrder(vault: Vault, agents: readonly (readonly Call[])[]): Promise<number> {
  const { acknowledged, unacknowledged, model } = await judge(agents, await collect(vault.log({ reverse: true })));
  expect(unacknowledged).toBe(0);
  expect(await contentsOfVault(vault)).toEqual(await contentsOfModel(model));
  expect((await vault.verify()).ok).toBe(true);
  expect(git(vault.gitdir, ['fsck', '--strict', '--full', '--no-dangling'])).toBe('');
  return acknowledged;
}

test(`${processes} processes with ${each} commands each, ${rounds} times (SEED=${seed})`, async () => {
  const random = randomFrom(seed);
  let [acknowledged, beside] = [0, 0];
  for (let round = 0; round < rounds; round += 1) {
    const [dir, key] = [join(folder, `${round}`), await generateKey()];
    const store = await openStore({ dir, key, lockTimeoutMs: 60_000 });
    const vault = await store.vault('alice');
    const agents = Array.from({ length: processes }, (_, i) => startAgent({ dir, key, who: `p${i}`, seed: Math.floor(random() * 2 ** 31), count: each }));
    const running = { yes: true };
    const over = Promise.all(agents.map(({ calls }) => calls)).finally(() => { running.yes = false; });
    const besides = besidesOf(dir, key, vault.gitdir).map(async (once) => {
      for (; running.yes; beside += 1) {
        await once();
        await sleep(20);
        // Looks that each take longer than their pause would have node go from timer to timer, and never see that the agents are done.
        await setImmediate();
      }
    });
    const [ended] = await Promise.all([over, ...besides]).finally(() => {
      for (const agent of agents) agent.process.kill();
    });
    expect(ended.map(({ stderr, exit }) => ({ stderr, exit }))).toEqual(Array(processes).fill({ stderr: '', exit: 0 }));
    acknowledged += await expectOneOrder(vault, ended.map(({ calls }) => calls));
    await store.close();
  }
  expect(acknowledged).toBe(processes * each * rounds);
  process.stderr.write(`acknowledged: ${acknowledged}, lost: 0; looks, packings and git commands meanwhile: ${beside}\n`);
});

/** What goes on beside the agents, each again and again until they are done. */
function besidesOf(dir: string, key: string, gitdir: string): (() => Promise<unknown>)[] {
  const remote = join(folder, `remote-${dir.slice(-1)}.git`);
  gitInit(remote);
  const withStore = async (readOnly: boolean, action: (vault: Vault, store: Store) => Promise<unknown>) => {
    const store = await openStore({ dir, key, readOnly, lockTimeoutMs: 60_000 });
    await action(await store.vault('alice'), store);
    await store.close();
  };
  const read = async (vault: Vault) => {
    await contentsOfVault(vault).catch((error: unknown) => {
      // Between the listing and the reading another agent may have removed the file.
      if (!(error instanceof TypeError)) throw error;
    });
    expect((await vault.verify({ quick: true })).steps.flatMap(({ problems }) => problems)).toEqual([]);
    await collect(vault.log({ limit: 10 }));
    for (const { path } of await vault.list('/memories', { revision: 'HEAD' })) await vault.read(path).catch(refusedAsDirectory);
  };
  return [
    () => withStore(true, read),
    () => withStore(false, (vault) => vault.gc()),
    async () => {
      execFileSync('git', ['--git-dir', gitdir, 'push', '--quiet', remote, 'main'], { stdio: 'pipe' });
      git(remote, ['fsck', '--strict']);
    },
    async () => {
      for (const args of [['gc', '--quiet'], ['pack-refs', '--all']]) {
        // git gives up at once where somebody holds the lock of the branch, or has moved it meanwhile.
        try {
          git(gitdir, args);
        } catch (error) {
          expect(String(error)).toMatch(/cannot lock ref/);
        }
      }
    },
  ];
}

function refusedAsDirectory(error: unknown): void {
  if ((error as { code?: string }).code !== 'NOT_A_FILE') throw error;
}

test('20 tool calls at once in one process, again and again', async () => {
  const store = await openStore({ dir: join(folder, 'turns'), key: await generateKey() });
  const vault = await store.vault('alice');
  const random = randomFrom(seed);
  const path = () => `/memories/${Math.floor(random() * 3)}.md`;
  const calls: Call[][] = Array.from({ length: 20 }, () => []);
  for (let turn = 0; turn < (slow ? 50 : 5); turn += 1) {
    await Promise.all(calls.map(async (own, i) => {
      const inputs = [
        { command: 'create', path: path(), file_text: `one\n${turn} ${i}\n` },
        { command: 'insert', path: path(), insert_line: 0, insert_text: `${turn} ${i}` },
        { command: 'str_replace', path: path(), old_str: 'one', new_str: `${turn} ${i}` },
        { command: 'rename', old_path: path(), new_path: path() },
        { command: 'view', path: path() },
      ];
      const input = inputs[Math.floor(random() * inputs.length)]!;
      const id = `${turn}-${i}`;
      own.push({ id, input, result: await vault.execute(input, { toolUseId: id }) });
    }));
  }
  await expectOneOrder(vault, calls);
  await store.close();
});
