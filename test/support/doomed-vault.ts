/** A vault that something happens to, and the judgement of what is left: one state or the other, whole, and open for more. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMemgitError } from '../../src/errors.ts';
import { decodeOwner, encodeOwner } from '../../src/git/owner.ts';
import { verify } from '../../src/history/verify.ts';
import { Vault } from '../../src/vault.ts';
import type { VaultOptions } from '../../src/vault/vault-options.ts';
import { VaultRepository } from '../../src/vault/vault-repository.ts';
import { FaultyDisk, type Call, type FaultName } from './fault-fs.ts';
import { git } from './git-repository.ts';
import { contentsOf, createTmpVault, type TmpVault } from './tmp-vault.ts';
import { removeBusy, VolatileDisk } from './volatile-disk.ts';

/** One vault, opened, in a folder that holds nothing but what the test has put there. */
export interface Doomed {
  readonly home: string;
  readonly wrapKey: Uint8Array;
  readonly repository: VaultRepository;
  readonly vault: Vault;
}

/** Something that a vault can do, and what it finds when it starts. */
export interface Operation {
  readonly name: string;
  prepare?(doomed: Doomed): Promise<void>;
  run(doomed: Doomed): Promise<unknown>;
  /** Whether it can be asked for again, after it has failed, and then does what it was to do. */
  readonly repeats?: boolean;
  /** Takes out of a memory what differs each time. */
  readonly comparable?: (contents: Record<string, string>) => unknown;
}

/** How an operation ended: with its result, with an error after which the vault went on, or with the process. */
export type Ending = 'acknowledged' | 'failed' | 'unknown' | 'stopped';

/** A folder with `vault.git` ready for an operation, copied for each trial of it. */
export class Template {
  readonly operation: Operation;
  /** The file system calls that the operation makes when nothing goes wrong. */
  calls: readonly Call[] = [];
  readonly #home: string;
  readonly #original: TmpVault;
  #before: unknown;
  #after: unknown;

  private constructor(operation: Operation, home: string, original: TmpVault) {
    this.operation = operation;
    this.#home = home;
    this.#original = original;
  }

  /** @param folder an existing one that the caller removes */
  static async make(folder: string, operation: Operation): Promise<Template> {
    const home = mkdtempSync(join(folder, 'template-'));
    const original = await createTmpVault(home);
    await original.vault.close();
    renameSync(original.gitdir, join(home, 'vault.git'));
    const template = new Template(operation, home, original);
    const first = await template.#open(home);
    await operation.prepare?.(first);
    template.#before = await template.#stateOf(first.repository);
    await first.vault.close();

    const trial = template.copy();
    const disk = new FaultyDisk('kill', () => 0);
    const doomed = await template.#open(trial, { fs: disk.fs });
    disk.arm(Infinity);
    await operation.run(doomed);
    disk.disarm();
    template.calls = disk.calls;
    template.#after = await template.#stateOf(doomed.repository);
    await doomed.vault.close();
    rmSync(trial, { recursive: true });
    return template;
  }

  /** Runs the operation on a copy, with a fault at the n-th call, and judges what is left. Whether the fault was met. */
  async try(fault: FaultName, n: number, random: () => number): Promise<boolean> {
    const trial = this.copy();
    try {
      const disk = new FaultyDisk(fault, random);
      const doomed = await this.#open(trial, { fs: disk.fs });
      disk.arm(n);
      const ending = await Promise.race([endingOf(() => this.operation.run(doomed)), disk.stopped]);
      const met = disk.disarm();
      // The fault is over: the same vault must go on, and what it says it did must stay.
      const again = this.operation.repeats === true && ending === 'failed';
      if (again) await this.operation.run(doomed);
      else if (ending !== 'stopped') await doomed.vault.write('/memories/next.txt', 'next');
      await disk.settle();
      buryOwners(trial);
      await this.#judge(trial, again ? 'acknowledged' : ending, !again && ending !== 'stopped');
      return met;
    } finally {
      removeBusy(trial);
    }
  }

  copy(): string {
    const trial = mkdtempSync(`${this.#home}-`);
    cpSync(this.#home, trial, { recursive: true });
    return trial;
  }

  async #judge(trial: string, ending: Ending, wentOn: boolean): Promise<void> {
    const { repository, vault } = await this.#open(trial, { lockTimeoutMs: 1000 });
    const contents = await contentsOf(await repository.snapshot());
    if (wentOn) {
      expect(contents['next.txt']).toBe('next');
      delete contents['next.txt'];
    }
    const state = this.#comparable(contents);
    if (ending === 'acknowledged') expect(state).toEqual(this.#after);
    else if (ending === 'failed') expect(state).toEqual(this.#before);
    else expect([this.#before, this.#after]).toContainEqual(state);
    await expectWhole(repository);
    await vault.write('/memories/last.txt', 'last');
    await vault.close();
    expect(leftIn(vault.gitdir)).toEqual([]);
  }

  async #open(home: string, options: VaultOptions = {}): Promise<Doomed> {
    const { wrapKey, clock } = this.#original;
    const gitdir = join(home, 'vault.git');
    const repository = await VaultRepository.open(gitdir, { wrapKey }, { clock, fs: new VolatileDisk(), ...options });
    return { home, wrapKey, repository, vault: new Vault(gitdir, repository, {}) };
  }

  async #stateOf(repository: VaultRepository): Promise<unknown> {
    return this.#comparable(await contentsOf(await repository.snapshot()));
  }

  #comparable(contents: Record<string, string>): unknown {
    return this.operation.comparable?.(contents) ?? contents;
  }
}

async function endingOf(run: () => Promise<unknown>): Promise<Ending> {
  try {
    await run();
    return 'acknowledged';
  } catch (error) {
    if (!isMemgitError(error)) throw error;
    return error.details['outcome'] === 'unknown' ? 'unknown' : 'failed';
  }
}

/** Every object, name and signature is in order, for memgit and for git. */
export async function expectWhole(repository: VaultRepository): Promise<void> {
  const { steps } = await verify(repository);
  expect(steps.flatMap(({ problems }) => problems)).toEqual([]);
  expect(git(repository.repository.gitdir, ['fsck', '--strict', '--full', '--no-dangling'])).toBe('');
}

/**
 * Temporaries and locks that the next writer should have cleared away. It cannot know of an owner file that was never finished
 * whether its owner is still at it, so that stays, and holds nothing up. What a remote sent is cleared by the next fetch.
 */
function leftIn(gitdir: string): string[] {
  return readdirSync(gitdir, { recursive: true, encoding: 'utf8' }).filter((name) => {
    if (/^memgit\/(?:lock|break)-/.test(name)) return decodeOwner(readFileSync(join(gitdir, name))) !== undefined;
    return /tmp_memgit_|\.lock$/.test(name) && !name.startsWith('memgit/incoming-');
  });
}

/** Has this process taken for dead by those who find its locks: as after a reboot, its pid is another's. */
export function buryOwners(folder: string): void {
  const { pid } = spawnSync('true');
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!/\/(?:(?:lock|break)-[0-9a-f]{16}|main\.lock|owner|tmp_memgit_maker)$/.test(path)) continue;
    const owner = decodeOwner(readFileSync(join(folder, path)));
    if (owner) writeFileSync(join(folder, path), encodeOwner({ ...owner, pid, started: '1' }));
  }
}
