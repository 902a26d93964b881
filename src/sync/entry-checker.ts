/**
 * Checks entries that a remote sent: each opens, says the path that its name is made from, belongs to the epoch of its tree, and
 * builds on a version that is there. An entry is opened once, however many trees hold it.
 */
import { MemgitError } from '../errors.ts';
import type { Oid } from '../git/objects.ts';
import { giveWay } from '../git/turns.ts';
import type { EntryReader } from '../vault/entry-reader.ts';
import type { Epoch } from '../vault/epoch.ts';

interface Checked {
  readonly name: string;
  readonly depth: number;
}

export class EntryChecker {
  readonly #entries: EntryReader;
  readonly #isNew: (oid: Oid) => boolean;
  readonly #checked = new Map<Oid, Checked>();
  /** Bases of deltas that have not been met in a tree yet: of each, what its delta says. */
  readonly #bases: (Checked & { readonly base: Oid })[] = [];

  constructor(entries: EntryReader, isNew: (oid: Oid) => boolean) {
    this.#entries = entries;
    this.#isNew = isNew;
  }

  /** @throws ALTERED, CORRUPT */
  async check(epoch: Epoch, name: string, blob: Oid): Promise<void> {
    // The name is keyed by the epoch, so an entry that is right under its name is of the right epoch as well.
    if (this.#checked.get(blob)?.name === name) return;
    const { header: { base } } = await this.#entries.openIn(epoch, name, blob);
    this.#checked.set(blob, { name, depth: base?.depth ?? 0 });
    if (base) this.#bases.push({ name, base: base.blob as Oid, depth: base.depth - 1 });
  }

  /** Looks after the bases when every tree has been seen. @throws ALTERED, CORRUPT */
  async finish(signal: AbortSignal | undefined): Promise<void> {
    for (const { base, name, depth } of this.#bases) {
      await giveWay(signal);
      const found = this.#checked.get(base) ?? (this.#isNew(base) ? undefined : await this.#trusted(name, base));
      if (found?.name !== name || found.depth !== depth) throw new MemgitError('CORRUPT', 'a delta does not follow from its base', { details: { oid: base } });
    }
  }

  async #trusted(name: string, blob: Oid): Promise<Checked> {
    return { name, depth: (await this.#entries.open(name, blob)).header.base?.depth ?? 0 };
  }
}
