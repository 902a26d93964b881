/**
 * Keeps the files of packs open between reads that follow one another: to open a file, look at it and close it again takes longer
 * than to read a small object out of it. They are closed a moment after the first was opened, so nobody holds on for long to what
 * was folded away, and waiting for that does not keep the process alive.
 */
import type { ReadHandle } from './fs.ts';

/** Time for a few hundred objects. */
const OPEN_MS = 50;
/** Of all repositories of the process together, since a server may have thousands. Above it, packs are closed as soon as nobody reads. */
const MOST_OPEN = 64;

let openInProcess = 0;

export class OpenPacks {
  readonly #open: (name: string) => Promise<ReadHandle | undefined>;
  readonly #kept = new Map<string, ReadHandle>();
  /** Lent no more, but perhaps still read. */
  #discarded: ReadHandle[] = [];
  /** How many reads are going on. */
  #reading = 0;
  /** Without it, what is open is closed as soon as nobody reads. */
  #closing: NodeJS.Timeout | undefined;

  constructor(open: (name: string) => Promise<ReadHandle | undefined>) {
    this.#open = open;
  }

  /** Lends the file of a pack for one read; `undefined` when there is no such file. */
  async lend<T>(name: string, read: (pack: ReadHandle) => Promise<T>): Promise<T | undefined> {
    this.#reading += 1;
    try {
      const pack = this.#kept.get(name) ?? (await this.#openAndKeep(name));
      return pack && (await read(pack));
    } finally {
      this.#reading -= 1;
      if (this.#closing === undefined) await this.close();
    }
  }

  /** Lends none of these files again, and closes them; while there are reads going on, the last of them does. */
  async close(): Promise<void> {
    clearTimeout(this.#closing);
    this.#closing = undefined;
    this.#discarded.push(...this.#kept.values());
    this.#kept.clear();
    if (this.#reading > 0) return;
    const packs = this.#discarded;
    this.#discarded = [];
    openInProcess -= packs.length;
    // Nothing was written to them, so nothing can go wrong here that anyone must know.
    await Promise.allSettled(packs.map(async (pack) => pack.close()));
  }

  async #openAndKeep(name: string): Promise<ReadHandle | undefined> {
    const pack = await this.#open(name);
    const kept = this.#kept.get(name);
    if (pack === undefined || kept !== undefined) {
      // Another read has opened it meanwhile.
      await pack?.close();
      return kept;
    }
    this.#kept.set(name, pack);
    openInProcess += 1;
    if (openInProcess <= MOST_OPEN) this.#closing ??= setTimeout(() => void this.close(), OPEN_MS).unref();
    else {
      clearTimeout(this.#closing);
      this.#closing = undefined;
    }
    return pack;
  }
}
