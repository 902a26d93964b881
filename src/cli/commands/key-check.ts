/** `memgit key check`: whether the key that would be used opens the store, and where that key came from. */
import { OK, OPENING } from '../exits.ts';
import { defineCommand } from '../command.ts';
import { withStore, withVault } from '../open.ts';
import { oneObject, string } from '../shape.ts';

export const keyCheck = defineCommand({
  name: 'key check',
  group: 'Check',
  summary: 'Say which key is used and whether it opens the store',
  details:
    'The first of these that is given is the one that is used: --key-file, --key-command, MEMGIT_KEY_FILE, MEMGIT_KEY_COMMAND, MEMGIT_KEY, ' +
    'MEMGIT_PASSPHRASE_FILE, MEMGIT_PASSPHRASE_COMMAND, $XDG_CONFIG_HOME/memgit/<store id>.key, a prompt on the terminal. A secret is never an argument. ' +
    'A mistyped key, a wrong key and a damaged store are told apart.',
  args: {},
  options: {},
  json: oneObject({ source: string('Where the key came from'), opens: string('What it opens', 'store', 'vault'), id: string('Id of the store, or of the vault') }),
  examples: [
    ['memgit key check --store ./memory', 'check the key of a store'],
    ['memgit key check -C backup.git --key-file old.key', 'check whether a key opens a backup'],
  ],
  exits: OPENING,
  run: async (context) => {
    const report = async (source: string, opens: 'store' | 'vault', id: string) => {
      if (context.json) await context.out.json({ source, opens, id });
      else await context.out.line(`the key from ${source} opens ${opens} ${id}`);
      return OK;
    };
    if (context.globals.repo !== undefined) return withVault(context, async (vault, source) => report(source, 'vault', vault.vaultId));
    return withStore(context, async (store, source) => report(source, 'store', store.id));
  },
});
