/** `memgit clone`: a memory from a backup and a key. */
import { MemgitError } from '../../errors.ts';
import { defineCommand } from '../command.ts';
import { OK } from '../exits.ts';
import { plural } from '../format.ts';
import { given } from '../globals.ts';
import { optional, required, text } from '../parameters.ts';
import { integer, oneObject, string } from '../shape.ts';
import { transferring, TRANSFERRING, TRANSFER_OPTIONS } from '../transfer.ts';
import { unlock } from '../unlock.ts';
import { visibleLine } from '../visible.ts';

export const clone = defineCommand({
  name: 'clone',
  group: 'Back up',
  summary: 'Get a memory back from a backup and a key',
  details:
    'Needs nothing but the address and the key or passphrase of the store. The memory goes into the store that --store names, which is made when it is not there; ' +
    'or, when a repository is named, into a bare repository of its own, which -C takes. Everything is checked first, and nothing is left behind when it is not right.',
  args: { url: required('url', 'Address of the backup'), place: optional('repo', 'Place of the new bare repository; otherwise it goes into the store') },
  options: {
    remote: text('--remote <name>', 'Name of the remote here. Default: origin'),
    repositoryId: text('--repository-id <id>', 'Accept only the vault with this repository id, as `memgit status` shows it'),
    ...TRANSFER_OPTIONS,
  },
  json: oneObject({
    userId: string('User whose memory it is'),
    gitdir: string('Where its repository is'),
    head: string('Oid of the newest commit'),
    commits: integer('Commits that were fetched'),
  }),
  examples: [
    ['memgit clone https://host/backup/alice.git --store ./memory --key-file memgit.key', 'get a user\'s memory back into a store'],
    ['memgit clone /mnt/backup/alice.git alice.git', 'get it as a repository of its own, for memgit -C alice.git'],
  ],
  exits: TRANSFERRING,
  run: async (context, { url, place: typedPlace, remote, repositoryId, ...typed }) => {
    const { repo: other, store, user } = context.globals;
    if (other !== undefined) throw new MemgitError('INVALID_ARGUMENT', 'expected the place of the new repository after the address, got -C, which is for one that is there');
    const repo = given(typedPlace);
    if (repo === undefined && store === undefined) throw new MemgitError('INVALID_ARGUMENT', 'expected a place for the memory; name a repository, or give --store or MEMGIT_STORE');
    const place = repo === undefined ? { store } : { gitdir: repo };
    context.io.catchInterrupts();
    const { clone: cloneFrom } = await import('../library.ts');
    const { opened } = await transferring(context, typed, async (options) =>
      unlock(context, async (key) => cloneFrom({ ...options, ...key, ...place, url, remote, repositoryId, userId: repo === undefined ? user : undefined })),
    );
    const { userId, gitdir, head, commits } = opened;
    if (context.json) await context.out.json({ userId, gitdir, head, commits });
    else await context.out.line(`got the memory of ${visibleLine(userId)} with ${plural(commits, 'commit')} into ${gitdir}`);
    return OK;
  },
});
