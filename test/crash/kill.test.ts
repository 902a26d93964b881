/**
 * Two agents under load on one vault, each killed at a random moment, again and again: everything that either was told is there,
 * in one order that explains every answer, and whoever comes next goes on at once. Seen to fail with the acknowledgement given
 * before the ref moves, with the lock ignored, and with a lock never broken.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { generateKey, openStore } from '../../src/index.ts';
import { git, temporaryFolder } from '../support/git-repository.ts';
import { startAgent } from '../support/processes.ts';
import { randomFrom, seed } from '../support/random.ts';
import { contentsOfModel, contentsOfVault, judge, type Call } from '../support/replay.ts';
import { collect } from '../support/tmp-vault.ts';

jest.setTimeout(process.env['SLOW'] === '1' ? 3_600_000 : 300_000);

const folder = temporaryFolder();
const kills = process.env['SLOW'] === '1' ? 300 : 20;
/** A vault is judged and another begun after so many: a log is replayed as a whole. */
const KILLS_OF_ONE = 20;

test(`${kills} kills lose nothing that was acknowledged (SEED=${seed})`, async () => {
  const random = randomFrom(seed);
  let [acknowledged, unacknowledged] = [0, 0];
  for (let round = 0; round < kills / KILLS_OF_ONE; round += 1) {
    const dir = join(folder, `${round}`);
    const key = await generateKey();
    const store = await openStore({ dir, key });
    const vault = await store.vault('alice');
    const agents: Call[][] = [[], []];
    for (let kill = 0; kill < KILLS_OF_ONE; kill += 2) {
      await Promise.all(agents.map(async (calls, index) => {
        const agent = startAgent({ dir, key, who: `${'ab'[index]!}${kill}`, seed: Math.floor(random() * 2 ** 31), count: 1_000_000 });
        const waitMs = random() * 300;
        agent.process.stdout!.once('data', () => void sleep(waitMs).then(() => agent.process.kill('SIGKILL')));
        const ended = await agent.calls;
        expect(ended).toMatchObject({ stderr: '', exit: null });
        calls.push(...ended.calls);
      }));
    }
    const judgement = await judge(agents, await collect(vault.log({ reverse: true })));
    expect(await contentsOfVault(vault)).toEqual(await contentsOfModel(judgement.model));
    expect((await vault.verify()).ok).toBe(true);
    expect(git(vault.gitdir, ['fsck', '--strict', '--full', '--no-dangling'])).toBe('');
    await vault.write('/memories/last.txt', 'last');
    await store.close();
    acknowledged += judgement.acknowledged;
    unacknowledged += judgement.unacknowledged;
  }
  process.stderr.write(`kills: ${kills}, acknowledged: ${acknowledged}, lost: 0, made but not acknowledged: ${unacknowledged}\n`);
});
