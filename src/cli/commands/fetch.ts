/** `memgit fetch`: looks at a remote without changing the memory. */
import { defineCommand } from '../command.ts';
import { OK } from '../exits.ts';
import { plural, shortOid } from '../format.ts';
import { withVault } from '../open.ts';
import { optional, text } from '../parameters.ts';
import { integer, oneObject, string } from '../shape.ts';
import { transferring, TRANSFERRING, TRANSFER_OPTIONS } from '../transfer.ts';

export const fetch = defineCommand({
  name: 'fetch',
  group: 'Back up',
  summary: 'Bring what a remote has into the repository, without changing the memory',
  details:
    'Everything is checked before it is taken in: signatures, names, contents. A remote that shows less than it did before ends in exit code 15 and says how many commits are missing.',
  args: { remote: optional('remote', 'Name of the remote. Default: backup where the store has a template, else origin, or the only one there is') },
  options: { accept: text('--accept <oid>', 'Accept this head of the remote although it shows less than before; "empty" for a remote that has nothing any more'), ...TRANSFER_OPTIONS },
  json: oneObject(
    { remote: string('Name of the remote'), commits: integer('Commits that are new here') },
    { head: string('Oid that the remote is at; absent when it is empty'), seen: string('Oid that it was at when it was last seen') },
  ),
  examples: [['memgit fetch', 'see whether the remote has news'], ['memgit fetch origin --accept <oid>', 'accept that the remote was set back to an older commit']],
  exits: TRANSFERRING,
  run: async (context, { remote: named, accept, ...typed }) =>
    withVault(
      context,
      async (vault) => {
        const { remote, head, seen, commits } = await transferring(context, typed, async (options) => vault.fetch(named, { ...options, accept }));
        if (context.json) await context.out.json({ remote, commits, ...(head === undefined ? {} : { head }), ...(seen === undefined ? {} : { seen }) });
        else if (head === undefined) await context.out.line(`${remote} is empty`);
        else if (head === seen) await context.out.line(`${remote} has nothing new`);
        else await context.out.line(`${remote} is at ${shortOid(head)}, with ${plural(commits, 'commit')} new here`);
        return OK;
      },
      { readOnly: false },
    ),
});
