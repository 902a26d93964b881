/** A store in a temporary folder with one vault, and what tests of sessions ask of it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateKey } from '../../src/key.ts';
import { openStore } from '../../src/store.ts';
import type { StoreOptions } from '../../src/store-options.ts';
import type { Vault } from '../../src/vault.ts';

export const PROGRESS = '/memories/progress';
export const FEATURES = `${PROGRESS}/features.json`;
export const TABLE = `${PROGRESS}/sessions.json`;

export interface TemporaryStore {
  readonly dir: string;
  readonly key: string;
  /** Each call opens the store anew, as another process would. */
  open(options?: Partial<StoreOptions>): Promise<Vault>;
  remove(): Promise<void>;
}

export async function temporaryStore(userId = 'someone'): Promise<TemporaryStore> {
  const folder = await mkdtemp(join(tmpdir(), 'memgit-session-'));
  const dir = join(folder, 'store');
  const key = await generateKey();
  const opened: { close(): Promise<void> }[] = [];
  return {
    dir,
    key,
    open: async (options = {}) => {
      const store = await openStore({ dir, key, ...options });
      opened.push(store);
      return store.vault(userId);
    },
    remove: async () => {
      for (const store of opened) await store.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** What Claude reads when the tool says no; fails when it says yes. */
export async function refusalOf(call: Promise<{ content: unknown; is_error: boolean }>): Promise<string> {
  const { content, is_error: refused } = await call;
  expect({ content, refused }).toMatchObject({ refused: true });
  return content as string;
}
