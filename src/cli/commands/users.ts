/** `memgit users`: who has a memory in the store. */
import { DAMAGE, OK, OPENING } from '../exits.ts';
import { isMemgitError } from '../../errors.ts';
import { defineCommand } from '../command.ts';
import { withStore } from '../open.ts';
import { objectPerLine, string } from '../shape.ts';
import { visibleLine } from '../visible.ts';

export const users = defineCommand({
  name: 'users',
  group: 'Look',
  summary: 'List the users of a store',
  details: 'Opens every vault to read the user id that is sealed in it: the folders of a store tell no names. A vault that does not open, for whatever reason, is named on stderr, and the command ends with 3.',
  args: {},
  options: {},
  json: objectPerLine({ userId: string('User id, as it was given when the vault was made'), vaultId: string('Opaque id of the vault; names its folder') }),
  examples: [['memgit users --store ./memory', 'list the users of a store']],
  exits: [...OPENING, 3],
  run: async (context) =>
    withStore(context, async (store) => {
      let exit: number = OK;
      for await (const { userId, vaultId, error } of store.users()) {
        if (userId === undefined) {
          exit = DAMAGE;
          context.warn(`vault ${vaultId} does not open: ${isMemgitError(error) ? error.message : 'unexpected error'}`);
        } else if (context.json) await context.out.json({ userId, vaultId });
        else await context.out.line(visibleLine(userId));
      }
      return exit;
    }),
});
