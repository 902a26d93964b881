/** A vault that was pushed, and its remote: made once and copied for each use, which costs less than a tenth of making it. */
import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pushRemote } from '../../src/sync/push.ts';
import type { VaultRepository } from '../../src/vault/vault-repository.ts';
import { Forge } from './forge.ts';
import { Bench } from './remote-vault.ts';
import { reopen, writeFile, type TmpVault } from './tmp-vault.ts';

export interface PushedVault extends TmpVault {
  readonly forge: Forge;
}

export class PushedVaults {
  readonly bench = new Bench();
  readonly #copies: PushedVault[] = [];
  #original: { made: TmpVault; remote: string } | undefined;

  /** A vault of five commits and three files whose remote `origin` was seen as it stands. */
  async copy(): Promise<PushedVault> {
    const { made, remote } = (this.#original ??= await this.#make());
    const [gitdir, forge] = [this.bench.fresh('copy'), new Forge(this.bench.fresh('remote'))];
    cpSync(made.gitdir, gitdir, { recursive: true });
    cpSync(remote, forge.gitdir, { recursive: true });
    const copy = { ...made, gitdir, forge, vault: await reopen({ ...made, gitdir }) };
    this.#copies.push(copy);
    return copy;
  }

  /** Gives the disk back what the copies took. */
  async clear(): Promise<void> {
    for (const { vault, gitdir, forge } of this.#copies.splice(0)) {
      await vault.close();
      for (const path of [gitdir, forge.gitdir]) rmSync(path, { recursive: true, force: true });
    }
  }

  async close(): Promise<void> {
    await this.clear();
    await this.bench.close();
  }

  async #make(): Promise<{ made: TmpVault; remote: string }> {
    const made = await this.bench.vault();
    for (const name of ['a', 'b', 'c']) await writeFile(made.vault, `${name}.txt`, `${name}\n`);
    await writeFile(made.vault, 'a.txt', 'a, again\n');
    const remote = this.bench.bare();
    await pushRemote(made.vault, { name: 'origin', url: remote });
    unpack(remote);
    return { made, remote };
  }
}

/** Everything about a vault that a remote could change. */
export async function stateOf(vault: VaultRepository): Promise<unknown> {
  const { gitdir } = vault.repository;
  const files = readdirSync(gitdir, { recursive: true, encoding: 'utf8' }).filter((name) => !/memgit\/lock-|memgit$/.test(name));
  return { head: await vault.repository.head(), seen: await vault.repository.seenAt('origin'), files: files.sort() };
}

/** Makes all objects of a repository loose, as `Forge` wants them. */
export function unpack(gitdir: string): void {
  const folder = join(gitdir, 'objects', 'pack');
  const packs = readdirSync(folder).filter((name) => name.endsWith('.pack')).map((name) => readFileSync(join(folder, name)));
  // git does not unpack what is there already.
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { force: true });
  for (const input of packs) execFileSync('git', [`--git-dir=${gitdir}`, 'unpack-objects', '-q'], { input });
}
