/**
 * The open vaults of a store: one object a vault for as long as anyone holds it, and the last few used kept open for the next
 * call. A vault that falls out of them is not closed, since its holder may still use it; it is only forgotten.
 */
import { isMemgitError } from './errors.ts';
import type { Vault } from './vault.ts';

export class OpenVaults {
  readonly #keep: number;
  /** Every vault that is still in memory, held by someone or not. */
  readonly #known = new Map<string, WeakRef<Vault>>();
  /** The last used, oldest first. */
  readonly #recent = new Map<string, Vault>();
  readonly #opening = new Map<string, Promise<Vault>>();
  #sweepAt: number;

  constructor(keep: number) {
    this.#keep = Math.max(1, keep);
    this.#sweepAt = 2 * this.#keep;
  }

  /** The vault of that id; opens it if it is not in memory, once for any number of callers. */
  async get(id: string, open: () => Promise<Vault>): Promise<Vault> {
    const known = this.#known.get(id)?.deref();
    if (known && !known.closed) return this.#touch(id, known);
    const opening = this.#opening.get(id);
    if (!opening) return this.#open(id, open);
    return opening.catch(async (error: unknown) => {
      // Whose opening it was may not have been allowed to make what this caller may.
      if (isMemgitError(error, 'VAULT_NOT_FOUND')) return this.get(id, open);
      throw error;
    });
  }

  async close(): Promise<void> {
    // Who waited for an opening that failed may begin one of his own.
    while (this.#opening.size > 0) await Promise.allSettled([...this.#opening.values()]);
    await Promise.all([...this.#known.values()].map(async (reference) => reference.deref()?.close()));
    this.#known.clear();
    this.#recent.clear();
  }

  async #open(id: string, open: () => Promise<Vault>): Promise<Vault> {
    const opening = open();
    this.#opening.set(id, opening);
    try {
      const vault = await opening;
      this.#known.set(id, new WeakRef(vault));
      this.#sweep();
      return this.#touch(id, vault);
    } finally {
      this.#opening.delete(id);
    }
  }

  #touch(id: string, vault: Vault): Vault {
    this.#recent.delete(id);
    this.#recent.set(id, vault);
    for (const oldest of this.#recent.keys()) {
      if (this.#recent.size <= this.#keep) break;
      this.#recent.delete(oldest);
    }
    return vault;
  }

  /** Drops references to vaults that the garbage collector took, each time their number has doubled. */
  #sweep(): void {
    if (this.#known.size < this.#sweepAt) return;
    for (const [id, reference] of this.#known) if (!reference.deref()) this.#known.delete(id);
    this.#sweepAt = 2 * Math.max(this.#keep, this.#known.size);
  }
}
