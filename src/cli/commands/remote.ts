/** `memgit remote`: where the backups of a memory are. */
import { MemgitError } from '../../errors.ts';
import { defineCommand } from '../command.ts';
import { CHANGING, OK, OPENING } from '../exits.ts';
import { withStore, withVault } from '../open.ts';
import { flag, optional, required } from '../parameters.ts';
import { objectPerLine, string } from '../shape.ts';

const ALL_USERS = flag('--all-users', 'For every user of the store: the remote is called backup, and {vault} in the address stands for each vault\'s opaque name');

/** The library's `BACKUP_REMOTE`, which is not loaded for this. */
const BACKUP = 'backup';

export const remoteAdd = defineCommand({
  name: 'remote add',
  group: 'Back up',
  summary: 'Add a remote: a git repository to back a memory up to',
  details: 'The address is https://…, ssh://…, host:path, file:///… or an absolute path, without a password. The repository must exist there; most hosts make one empty.',
  args: { remote: required('name', 'Name of the remote, such as origin'), url: required('url', 'Address of the repository') },
  options: { allUsers: ALL_USERS },
  examples: [
    ['memgit remote add origin git@host:backup/alice.git', 'back one user\'s memory up over ssh'],
    ["memgit remote add backup 'https://host/backup/{vault}.git' --all-users", 'give every user of the store a backup of its own'],
  ],
  exits: CHANGING,
  run: async (context, { remote, url, allUsers }) => {
    if (allUsers) {
      assertBackup(remote);
      await withStore(context, async (store) => store.setBackup(url), { readOnly: false });
    } else await withVault(context, async (vault) => vault.addRemote(remote, url), { readOnly: false });
    return OK;
  },
});

export const remoteList = defineCommand({
  name: 'remote list',
  group: 'Back up',
  summary: 'List the remotes of a memory',
  args: {},
  options: {},
  json: objectPerLine({ name: string('Name of the remote'), url: string('Its address') }),
  examples: [['memgit remote list', 'show where the backups are']],
  exits: OPENING,
  run: async (context) =>
    withVault(context, async (vault) => {
      const remotes = await vault.remotes();
      if (remotes.length === 0) context.sayNothing('there is no remote');
      for (const { name, url } of remotes) {
        if (context.json) await context.out.json({ name, url });
        else await context.out.line(`${name}\t${url}`);
      }
      return OK;
    }),
});

export const remoteRemove = defineCommand({
  name: 'remote remove',
  group: 'Back up',
  summary: 'Forget a remote, and where it was last seen',
  details: 'Nothing changes at the remote. When it is added again it is trusted anew, as if it had never been seen.',
  args: { remote: optional('name', 'Name of the remote. Default: origin') },
  options: { allUsers: ALL_USERS },
  examples: [['memgit remote remove origin', 'forget a backup']],
  exits: CHANGING,
  run: async (context, { remote, allUsers }) => {
    if (allUsers) {
      assertBackup(remote);
      await withStore(context, async (store) => store.setBackup(undefined), { readOnly: false });
    } else await withVault(context, async (vault) => vault.removeRemote(remote ?? 'origin'), { readOnly: false });
    return OK;
  },
});

function assertBackup(name: string | undefined): void {
  if (name === BACKUP) return;
  throw new MemgitError('INVALID_ARGUMENT', `with --all-users the remote is called ${BACKUP}; give that name`);
}
