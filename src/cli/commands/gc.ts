/** `memgit gc`: make a vault's repository as small as it gets. */
import { defineCommand } from '../command.ts';
import { CHANGING, OK } from '../exits.ts';
import { formatBytes, plural } from '../format.ts';
import { withVault } from '../open.ts';
import { integer, object, oneObject } from '../shape.ts';

const STATS = {
  packs: integer('Packs in the repository'),
  looseObjects: integer('Objects outside packs'),
  bytesOnDisk: integer('Bytes of all objects'),
};

export const gc = defineCommand({
  name: 'gc',
  group: 'Check',
  summary: 'Make the repository of a memory as small as it gets',
  details:
    'Packs all objects anew: with git, where it is installed, else by merging packs, which saves less. Nothing of the memory or its history is dropped, and others may read and write meanwhile. ' +
    'memgit keeps the number of files small by itself; this is for the size.',
  args: {},
  options: {},
  json: oneObject({ before: object('How the repository was', STATS), after: object('How it is now', STATS) }),
  examples: [['memgit gc', 'after many changes, or before a backup is copied']],
  exits: CHANGING,
  run: async (context) =>
    withVault(
      context,
      async (vault) => {
        const { before, after } = await vault.gc({ signal: context.io.signal });
        if (context.json) await context.out.json({ before, after });
        else await context.out.line(`${formatBytes(before.bytesOnDisk)} in ${plural(before.packs, 'pack')} became ${formatBytes(after.bytesOnDisk)} in ${plural(after.packs, 'pack')}`);
        return OK;
      },
      { readOnly: false },
    ),
});
