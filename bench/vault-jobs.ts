/** The jobs of the memory tool on a vault, as tool calls. */
import type { Vault } from '../src/vault.ts';
import { Replacements } from './notes.ts';

export interface VaultJobs {
  readonly viewFile: (path: string) => Promise<void>;
  readonly viewFolder: (path: string) => Promise<void>;
  readonly replace: (path: string) => Promise<void>;
}

/** @param replacements those made so far, when the vault has been worked on before */
export function vaultJobs(vault: Vault, replacements = new Replacements()): VaultJobs {
  const call = async (input: Record<string, unknown>): Promise<void> => {
    const { is_error, content } = await vault.execute(input, { model: 'claude-opus-4-5', actor: 'coder', toolUseId: 'toolu_01A09q90qw90lq917835lq9' });
    if (is_error) throw new Error(`expected the command to succeed, got: ${content}`);
  };
  const view = async (path: string): Promise<void> => call({ command: 'view', path: `/memories/${path}` });
  return {
    viewFile: view,
    viewFolder: view,
    replace: async (path) => {
      const { before, after } = replacements.next(path);
      await call({ command: 'str_replace', path: `/memories/${path}`, old_str: before, new_str: after });
    },
  };
}
