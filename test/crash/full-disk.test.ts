/**
 * A real disk that is full: a small one in memory that somebody fills and frees at random moments while Claude writes. A command is
 * done, or refused and nothing has changed; everything goes on when there is room again. Needs the right to mount. Seen to fail with
 * a failed mutation acknowledged, and with the ref written in place.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateKey, openStore, type Vault } from '../../src/index.ts';
import { isMemgitError } from '../../src/errors.ts';
import { git, temporaryFolder } from '../support/git-repository.ts';
import { pick, randomFrom, seed } from '../support/random.ts';

// Before the folder that it stands in is removed.
afterAll(() => spawnSync('umount', [disk]));
const folder = temporaryFolder();
const disk = join(folder, 'disk');
mkdirSync(disk);
const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=3m,mode=700', 'tmpfs', disk]).status === 0;

const steps = process.env['SLOW'] === '1' ? 3_000 : 300;

(mounted ? test : test.skip)(`a disk that fills up loses nothing (SEED=${seed})`, async () => { // skipped where mounting is not allowed
  const random = randomFrom(seed);
  const key = await generateKey();
  const dir = join(disk, 'store');
  const errors: unknown[] = [];
  const options = { dir, key, onError: (error: unknown) => errors.push(error) };
  let store = await openStore(options);
  let vault = await store.vault('alice');
  const files = new Map<string, string>();
  let [done, refused] = [0, 0];

  for (let step = 0; step < steps; step += 1) {
    const free = statfsSync(disk).bfree * statfsSync(disk).bsize;
    if (random() < 0.3) writeFileSync(join(disk, 'filler'), Buffer.alloc(Math.max(0, free - Math.floor(random() * 20_000))));
    else if (random() < 0.5) rmSync(join(disk, 'filler'), { force: true });
    const path = `/memories/${pick(random, ['a', 'b', 'c/d', 'c/e'])}.txt`;
    const text = String(random()).repeat(Math.floor(random() * 300));
    errors.length = 0;
    const { is_error } = await vault.execute({ command: 'create', path, file_text: text }, { overwrite: true });
    if (!is_error) {
      files.set(path, text);
      done += 1;
    } else {
      refused += 1;
      expect(isMemgitError(errors[0], 'IO') && errors[0].details['errno']).toBe('ENOSPC');
    }
    if (step % 20 === 0 || is_error) {
      const found = await Promise.all((await vault.list()).map(async (each) => [each.path, await vault.readText(each.path)] as const));
      expect(Object.fromEntries(found)).toEqual(Object.fromEntries(files));
    }
    if (step % 50 === 49) {
      rmSync(join(disk, 'filler'), { force: true });
      await expectWholeOnDisk(vault);
      // The history itself would fill so small a disk: another one is begun.
      await store.close();
      rmSync(dir, { recursive: true });
      files.clear();
      store = await openStore(options);
      vault = await store.vault('alice');
    }
  }

  await store.close();
  process.stderr.write(`full disk: ${done} commands done, ${refused} refused, lost: 0\n`);
  expect(done).toBeGreaterThan(0);
  expect(refused).toBeGreaterThan(0);
});

async function expectWholeOnDisk(vault: Vault): Promise<void> {
  const { steps: found } = await vault.verify();
  expect(found.flatMap(({ problems }) => problems)).toEqual([]);
  expect(git(vault.gitdir, ['fsck', '--strict', '--full', '--no-dangling'])).toBe('');
}
