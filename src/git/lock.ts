/**
 * One writer at a time: git's own lock file of the branch, so that memgit and git respect each other, made as a hard link to
 * a file that says who holds it. Only a lock whose owner is provably dead is broken. Whoever wants to break one first takes
 * the second lock `break-<id of the dead owner>` and looks again: nobody else may then remove what that owner left, so what is
 * removed is what was judged. A breaker that dies is itself such an owner, and its lock is broken by the same rule.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMemgitError, MemgitError, type ErrorDetails } from '../errors.ts';
import { isTemporary, writeDurably } from './durable.ts';
import type { FileSystem } from './fs.ts';
import type { Layout } from './layout.ts';
import { removeOrphans } from './orphans.ts';
import { describeSelf, encodeOwner, isDead, readOwner, type Owner } from './owner.ts';
import type { Place } from './publish.ts';
import { throwIfAborted } from './queue.ts';

const FIRST_WAIT_MS = 1;
const LONGEST_WAIT_MS = 50;
/** Breakers that died while breaking the lock of another dead one; files that name each other must not make a circle. */
const MAX_BREAK_DEPTH = 8;
const OWNER_FILE = /^lock-[0-9a-f]{16}$/;
const BREAK_FILE = /^break-[0-9a-f]{16}$/;

/** A repository that nobody holds any more was not closed: the file that names it as an owner goes with it. While the lock is held, somebody does. */
const abandoned = new FinalizationRegistry<{ fs: FileSystem; path: string }>(({ fs, path }) => {
  // The next one to take the lock clears it when this process is gone.
  fs.unlink(path).catch(() => undefined);
});

export class BranchLock {
  readonly #place: Place;
  readonly #fs: FileSystem;
  readonly #layout: Layout;
  readonly #timeoutMs: number;
  readonly #self: Owner = describeSelf();
  /** Says who this is. A hard link to it is the lock, and so are those of git's other locks that are taken under it. */
  readonly ownerFile: string;
  #selfWritten = false;
  #givenBack = -Infinity;
  /** True from the start, and again after a lock was broken: the one who held it may have left temporaries behind. */
  #leftovers = true;

  constructor(place: Place, timeoutMs: number) {
    this.#place = place;
    this.#fs = place.fs;
    this.#layout = place.layout;
    this.#timeoutMs = timeoutMs;
    this.ownerFile = join(place.layout.own, `lock-${this.#self.id}`);
  }

  /**
   * Waits for the lock, and removes what dead owners left in the repository. The timeout counts from when it was asked for, or from
   * when this repository last gave the lock back: those who wait in a row wait for a stuck holder together, not one after another.
   * @param asked `performance.now()` of then
   * @throws LOCKED after the timeout, naming the holder when it is known; ABORTED when the signal fires first
   */
  async acquire(signal: AbortSignal | undefined, asked: number): Promise<void> {
    await this.#writeSelf();
    const deadline = Math.max(asked, this.#givenBack) + this.#timeoutMs;
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
      throwIfAborted(signal);
      if (await this.#fs.link(this.ownerFile, this.#layout.mainLock)) break;
      const holder = await readOwner(this.#fs, this.#layout.mainLock);
      // Callers of one repository take turns, so a lock of its own is one that it could not remove.
      if (holder?.id === this.#self.id) break;
      if (holder !== undefined && isDead(holder)) {
        if (await this.#break(this.#layout.mainLock, holder)) {
          this.#leftovers = true;
          continue;
        }
      }
      if (performance.now() >= deadline) throw this.#locked(holder);
      // An abort only ends the sleep early; the top of the loop reports it.
      await sleep(waitMs * (0.5 + Math.random()), undefined, signal && { signal }).catch(() => undefined);
    }
    if (this.#leftovers) await this.#clearLeftovers();
  }

  /** @throws IO with `outcome: 'unknown'` in its details: whatever was done under the lock stays done; the next `acquire` gets it back */
  async release(): Promise<void> {
    try {
      await this.#fs.unlink(this.#layout.mainLock);
      this.#givenBack = performance.now();
    } catch (cause) {
      const message = 'expected to remove the lock, but that failed; the change before it may have been made: look before doing it again';
      throw new MemgitError('IO', message, { details: { outcome: 'unknown' }, cause });
    }
  }

  /** Removes this owner's file. The lock must not be held. */
  async close(): Promise<void> {
    abandoned.unregister(this);
    if (this.#selfWritten) await this.#fs.unlink(this.ownerFile);
  }

  /** Synced, so that a power cut cannot leave a lock behind whose owner is not written in it. */
  async #writeSelf(): Promise<void> {
    // It is gone where a copy of the repository was put in the place of this one.
    if (this.#selfWritten && (await this.#fs.lstat(this.ownerFile)) !== undefined) return;
    await this.#fs.mkdir(this.#layout.own);
    await writeDurably(this.#fs, [{ path: this.ownerFile, bytes: encodeOwner(this.#self) }]);
    this.#selfWritten = true;
    abandoned.register(this, { fs: this.#fs, path: this.ownerFile }, this);
  }

  /** Temporaries are written under the lock, so those that its holder finds belong to nobody; a side file, which is not, can do without. */
  async #clearLeftovers(): Promise<void> {
    try {
      for (const folder of [this.#layout.packs, this.#layout.own]) {
        for (const name of (await this.#fs.readdir(folder)) ?? []) {
          if (isTemporary(name)) await this.#fs.unlink(join(folder, name));
          else if (folder === this.#layout.own) await this.#clearIfDead(name);
        }
      }
      await this.#clearPackedRefsLock();
      await removeOrphans(this.#place);
      this.#leftovers = false;
    } catch (error) {
      await this.release();
      throw error;
    }
  }

  /** One of memgit's is only ever held under this lock, so that whoever finds it here knows that its maker is gone. */
  async #clearPackedRefsLock(): Promise<void> {
    const path = this.#layout.packedRefsLock;
    const owner = await readOwner(this.#fs, path).catch((error: unknown) => {
      // Git's own is as large as what it writes.
      if (!isMemgitError(error, 'CORRUPT')) throw error;
    });
    if (owner) await this.#fs.unlink(path);
  }

  async #clearIfDead(name: string): Promise<void> {
    if (!OWNER_FILE.test(name) && !BREAK_FILE.test(name)) return;
    const path = join(this.#layout.own, name);
    const owner = await readOwner(this.#fs, path);
    if (owner === undefined || !isDead(owner)) return;
    if (BREAK_FILE.test(name)) await this.#break(path, owner);
    else await this.#fs.unlink(path);
  }

  /** Removes the lock file at `path` if it is still the one of `dead`; `false` when somebody else is about to, or did. */
  async #break(path: string, dead: Owner, depth = 0): Promise<boolean> {
    const breakPath = join(this.#layout.own, `break-${dead.id}`);
    if (!(await this.#fs.link(this.ownerFile, breakPath))) {
      const breaker = await readOwner(this.#fs, breakPath);
      if (breaker !== undefined && isDead(breaker) && depth < MAX_BREAK_DEPTH) await this.#break(breakPath, breaker, depth + 1);
      return false;
    }
    try {
      if ((await readOwner(this.#fs, path))?.id !== dead.id) return false;
      await this.#fs.unlink(path);
      return true;
    } finally {
      await this.#fs.unlink(breakPath);
    }
  }

  /** The file is named as git names it: a lock whose owner is gone without proof, as git's own are, is only ever removed by a person. */
  #locked(holder: Owner | undefined): MemgitError {
    const who = holder === undefined ? 'another program, such as git,' : `process ${holder.pid} on host ${holder.host}`;
    const details: ErrorDetails = holder === undefined ? {} : { host: holder.host, pid: holder.pid };
    const message = `expected the lock within ${this.#timeoutMs} ms, but ${who} holds it; wait for it, or, when you know that it does not run any more, remove ${this.#layout.mainLock}`;
    return new MemgitError('LOCKED', message, { details });
  }
}
