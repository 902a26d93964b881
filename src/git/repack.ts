/**
 * One pack of everything in a repository, made by the git that is installed: it finds what commits and trees share, which
 * memgit's own packs do not. The pack is made in a folder of its own and without the lock, so nobody waits for it; under the
 * lock it is only renamed into place, and the packs that it holds wholly are taken away. Nothing is dropped: what no ref leads
 * to is packed too. Killed at any moment it leaves at most its folder, which the next one clears away.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { MemgitError } from '../errors.ts';
import { writeDurably } from './durable.ts';
import { MAX_INDEX_BYTES } from './object-store.ts';
import { describeSelf, encodeOwner } from './owner.ts';
import { PackIndex } from './pack-index.ts';
import type { Place } from './publish.ts';
import { runGit, type GitResult } from './system-git.ts';
import { clearDead } from './unfinished.ts';
import { removePacks } from './whole-packs.ts';

const FOLDER = /^repack-[0-9a-f]{16}$/;
const OWNER_FILE = 'owner';
const PACK_FILE = /^pack-([0-9a-f]{40})\.pack$/;
/** A large repository has git think for minutes without a word. */
const SILENCE_MS = 30 * 60_000;

export class FullPack {
  readonly #place: Place;
  readonly #folder: string;

  private constructor(place: Place, folder: string) {
    this.#place = place;
    this.#folder = folder;
  }

  /** Makes the pack, without the lock. The caller discards it in the end. @throws CORRUPT when git cannot read the repository */
  static async make(place: Place, git: string, signal?: AbortSignal): Promise<FullPack> {
    const { fs, layout } = place;
    await fs.mkdir(layout.own);
    await clearDead(fs, layout.own, FOLDER, (path) => join(path, OWNER_FILE));
    const owner = describeSelf();
    const full = new FullPack(place, join(layout.own, `repack-${owner.id}`));
    await fs.mkdir(full.#folder);
    try {
      await writeDurably(fs, [{ path: join(full.#folder, OWNER_FILE), bytes: encodeOwner(owner) }]);
      await full.#pack(git, signal);
      return full;
    } catch (error) {
      await full.discard();
      throw error;
    }
  }

  /** Puts the pack in place of those that it holds wholly. To be called under the lock. */
  async adopt(): Promise<void> {
    const { fs, layout, store } = this.#place;
    const name = await this.#name();
    if (name === undefined) return;
    const made = (extension: string): string => join(this.#folder, `pack-${name}.${extension}`);
    const bytes = await fs.readFile(made('idx'), MAX_INDEX_BYTES);
    if (bytes === undefined) throw failed('its index is missing');
    const index = new PackIndex(bytes);
    await store.rescan();
    if (!store.packs.has(name)) {
      await fs.rename(made('pack'), store.pathOf(name, 'pack'));
      await fs.rename(made('idx'), store.pathOf(name, 'idx'));
      await fs.syncDirectory(layout.packs);
      store.add(name, index);
    }
    const replaced = [...store.packs].filter(([other, pack]) => other !== name && holdsAll(index, pack));
    await removePacks(this.#place, replaced.map(([other]) => other));
  }

  /** Removes what is left in the folder. */
  async discard(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #pack(git: string, signal: AbortSignal | undefined): Promise<void> {
    const run = async (...args: string[]): Promise<GitResult> =>
      runGit(git, { args: ['-c', 'pack.writeReverseIndex=false', `--git-dir=${this.#place.layout.gitdir}`, ...args], silenceMs: SILENCE_MS, signal });
    // git does not look for deltas among objects that one pack holds whole, such as those that memgit has folded, unless told to.
    const how = ['--no-reuse-delta', '--delta-base-offset', '--window=50', '--depth=50'];
    const what = ['--all', '--keep-unreachable', '--pack-loose-unreachable', '--honor-pack-keep', '--non-empty'];
    const pack = async (): Promise<GitResult> => run('pack-objects', '-q', ...what, ...how, join(this.#folder, 'pack'));
    let result = await pack();
    // Others may have merged packs while git was reading them.
    if (result.code !== 0) result = await pack();
    const name = await this.#name();
    // What is taken away in favour of this pack was whole; this pack must be too.
    if (result.code === 0 && name !== undefined) result = await run('verify-pack', '--', join(this.#folder, `pack-${name}.idx`));
    if (result.code !== 0) throw failed('it failed', new Error(result.stderr));
  }

  /** `undefined` when there was nothing to pack. */
  async #name(): Promise<string | undefined> {
    return ((await this.#place.fs.readdir(this.#folder)) ?? []).flatMap((file) => PACK_FILE.exec(file)?.[1] ?? [])[0];
  }
}

function holdsAll(index: PackIndex, pack: PackIndex): boolean {
  for (const { oid } of pack.entries()) if (index.offsetOf(oid) === undefined) return false;
  return true;
}

function failed(reason: string, cause?: Error): MemgitError {
  return new MemgitError('CORRUPT', `expected git to pack the repository, but ${reason}; nothing was changed; run \`memgit verify\` to see what is damaged`, { cause });
}
