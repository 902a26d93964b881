/**
 * One pack of everything in a repository, made by the git that is installed: it finds what commits and trees share, which
 * memgit's own packs do not. The pack is made in a folder of its own and without the lock, so nobody waits for it; under the
 * lock it is only renamed into place, and the packs that it holds wholly are taken away. Nothing is dropped: what no ref leads
 * to is packed too. Killed at any moment it leaves at most its folder, which the next one clears away.
 */
import { chmod, open, rm } from 'node:fs/promises';
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
/** A large repository has git think for minutes without a word. */
const SILENCE_MS = 30 * 60_000;

export class FullPack {
  readonly #place: Place;
  readonly #folder: string;
  /** Of the pack, as its checksum gives it; `undefined` when there was nothing to pack. */
  #name: string | undefined;

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
    const name = this.#name;
    if (name === undefined) return;
    const bytes = await fs.readFile(this.#made('idx'), MAX_INDEX_BYTES);
    if (bytes === undefined) throw failed('its index is missing');
    const index = new PackIndex(bytes);
    await store.rescan();
    // One of this name that is there already has the same bytes, unless it has rotted since: this one was read a moment ago.
    await store.close();
    await fs.rename(this.#made('pack'), store.pathOf(name, 'pack'));
    await fs.rename(this.#made('idx'), store.pathOf(name, 'idx'));
    await fs.syncDirectory(layout.packs);
    store.add(name, index);
    const replaced = [...store.packs].filter(([other, pack]) => other !== name && holdsAll(index, pack));
    await removePacks(this.#place, replaced.map(([other]) => other));
  }

  /** Removes what is left in the folder. */
  async discard(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }

  #made(extension: 'pack' | 'idx'): string {
    return join(this.#folder, `made.${extension}`);
  }

  async #pack(git: string, signal: AbortSignal | undefined): Promise<void> {
    const run = async (stdoutTo: number | undefined, ...args: string[]): Promise<GitResult> => {
      const settings = ['-c', 'pack.writeReverseIndex=false', `--git-dir=${this.#place.layout.gitdir}`];
      return runGit(git, { args: [...settings, ...args], silenceMs: SILENCE_MS, signal, ...(stdoutTo === undefined ? {} : { stdoutTo }) });
    };
    let result = await this.#packInto(run);
    // Others may have merged packs while git was reading them.
    if (result.code !== 0 && !isFull(result)) result = await this.#packInto(run);
    if (result.code === 0 && (await this.#place.fs.lstat(this.#made('pack')))?.sizeBytes === 0) return;
    // What is taken away in favour of this pack was whole; this pack must be too, and git reads all of it for its index.
    if (result.code === 0) result = await run(undefined, 'index-pack', '-o', this.#made('idx'), this.#made('pack'));
    if (result.code !== 0) throw isFull(result) ? noRoom(result) : failed('it failed', new Error(result.stderr));
    // git gives what it was handed to everybody.
    for (const extension of ['pack', 'idx'] as const) await chmod(this.#made(extension), 0o400);
    this.#name = /^[0-9a-f]{40}$/.exec(result.stdout.trim())?.[0];
    if (this.#name === undefined) throw failed('it gave the pack no name');
  }

  /** git would write the pack beside the others first, under a name of its own, and leave it there when it is killed. */
  async #packInto(run: (stdoutTo: number, ...args: string[]) => Promise<GitResult>): Promise<GitResult> {
    // git does not look for deltas among objects that one pack holds whole, such as those that memgit has folded, unless told to.
    const how = ['--no-reuse-delta', '--delta-base-offset', '--window=50', '--depth=50'];
    // With a bitmap git would take only what refs lead to.
    const what = ['--no-use-bitmap-index', '--all', '--keep-unreachable', '--pack-loose-unreachable', '--honor-pack-keep', '--non-empty'];
    const file = await open(this.#made('pack'), 'w', 0o600);
    try {
      const result = await run(file.fd, 'pack-objects', '-q', '--stdout', ...what, ...how);
      if (result.code === 0) await file.sync();
      return result;
    } finally {
      await file.close();
    }
  }
}

function isFull({ stderr }: GitResult): boolean {
  return /No space left on device|Disk quota exceeded/.test(stderr);
}

function noRoom({ stderr }: GitResult): MemgitError {
  return new MemgitError('IO', 'expected room on the disk for another pack of everything, got none; nothing was changed', { cause: new Error(stderr) });
}

function holdsAll(index: PackIndex, pack: PackIndex): boolean {
  for (const { oid } of pack.entries()) if (index.offsetOf(oid) === undefined) return false;
  return true;
}

function failed(reason: string, cause?: Error): MemgitError {
  return new MemgitError('CORRUPT', `expected git to pack the repository, but ${reason}; nothing was changed; run \`memgit verify\` to see what is damaged`, { cause });
}
