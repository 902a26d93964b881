/** Vaults and the plain bare repositories that they are backed up to, in one temporary folder. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TransportOptions } from '../../src/git/transport.ts';
import { cloneVault } from '../../src/sync/clone.ts';
import { VaultRepository } from '../../src/vault/vault-repository.ts';
import { createTmpVault, FIRST_TIME_MS, MINUTE_MS, type TmpVault } from './tmp-vault.ts';

/** A folder for one test file, with everything in it closed and removed when its tests are over. */
export class Bench {
  readonly folder = mkdtempSync(join(tmpdir(), 'memgit-sync-'));
  readonly #open: VaultRepository[] = [];
  #count = 0;

  async close(): Promise<void> {
    for (const vault of this.#open) await vault.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  fresh(name: string): string {
    return join(this.folder, `${name}-${(this.#count += 1)}.git`);
  }

  async vault(userId?: string): Promise<TmpVault> {
    const made = await createTmpVault(this.folder, userId);
    this.#open.push(made.vault);
    return made;
  }

  /** An empty bare repository, as a git host makes it. */
  bare(): string {
    const gitdir = this.fresh('remote');
    gitInit(gitdir);
    return gitdir;
  }

  /** Another copy of a vault, cloned from a remote, with a clock that runs apart from the first one's. */
  async clone(url: string, wrapKey: Uint8Array, options: TransportOptions = {}): Promise<TmpVault> {
    const gitdir = this.fresh('clone');
    await cloneVault({ remote: { name: 'origin', url }, folder: dirname(gitdir), place: () => gitdir, unlock: async () => ({ wrapKey }), ...options });
    let timeMs = FIRST_TIME_MS + MINUTE_MS / 2;
    const clock = () => (timeMs += MINUTE_MS);
    const vault = await VaultRepository.open(gitdir, { wrapKey }, { clock });
    this.#open.push(vault);
    return { vault, gitdir, wrapKey, clock };
  }
}

export function gitInit(gitdir: string): void {
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', gitdir]);
}
