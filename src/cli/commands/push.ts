/** `memgit push`: brings a backup up to the memory, or the backups of all users. */
import type { Pushed } from '../../sync/push.ts';
import { MemgitError } from '../../errors.ts';
import { defineCommand } from '../command.ts';
import type { Context } from '../context.ts';
import { exitOf, OK } from '../exits.ts';
import { describeFailure, failureOf } from '../failure.ts';
import { plural, shortOid } from '../format.ts';
import { withStore, withVault } from '../open.ts';
import { count, flag, optional } from '../parameters.ts';
import { integer, objectPerLine, string } from '../shape.ts';
import { transferring, TRANSFERRING, TRANSFER_OPTIONS } from '../transfer.ts';
import { visibleLine } from '../visible.ts';

export const push = defineCommand({
  name: 'push',
  group: 'Back up',
  summary: 'Bring a remote up to the memory',
  details:
    'Only ever forward: a remote with commits that are not here is left alone, and one that shows less than was seen before is an error. Every object is checked before it leaves, so nothing goes out in clear.',
  args: { remote: optional('remote', 'Name of the remote. Default: backup where the store has a template, else origin, or the only one there is') },
  options: {
    allUsers: flag('--all-users', 'Push the memory of every user of the store, to the remote backup'),
    jobs: count('--jobs <count>', 'With --all-users: how many at the same time. Default 4', 1),
    ...TRANSFER_OPTIONS,
  },
  json: objectPerLine(
    { vaultId: string('Opaque id of the vault') },
    {
      userId: string('User whose memory it is; absent when the vault does not open'),
      remote: string('Name of the remote'),
      head: string('Oid that the remote is at now'),
      from: string('Oid that it was at; absent when it was empty'),
      commits: integer('Commits that are new there'),
      code: string('With --all-users: the code of the error, when this one failed'),
      message: string('With --all-users: what went wrong, when this one failed; not stable'),
    },
  ),
  examples: [
    ['memgit push', 'back up what is new'],
    ['memgit push --all-users --jobs 8', 'back up every memory of a store'],
  ],
  exits: TRANSFERRING,
  run: async (context, { remote, allUsers, jobs, ...typed }) => {
    if (allUsers) return pushAll(context, { remote, jobs }, typed);
    if (jobs !== undefined) throw new MemgitError('INVALID_ARGUMENT', '--jobs is for --all-users');
    return withVault(
      context,
      async (vault) => {
        await printPushed(context, vault, await transferring(context, typed, async (options) => vault.push(remote, options)));
        return OK;
      },
      { readOnly: false },
    );
  },
});

/** One failure does not stop the others; the exit code is that of the first. */
async function pushAll(context: Context, { remote, jobs }: { remote: string | undefined; jobs: number | undefined }, typed: Parameters<typeof transferring>[1]): Promise<number> {
  return withStore(
    context,
    async (store) =>
      transferring(context, typed, async ({ onProgress: _, ...options }) => {
        let exit = OK as number;
        for await (const { userId, vaultId, pushed, error } of store.sync({ ...options, remote, concurrency: jobs, pull: false })) {
          if (pushed && userId !== undefined) {
            await printPushed(context, { vaultId, userId }, pushed);
            continue;
          }
          if (exit === OK) exit = exitOf(error);
          const failure = failureOf(error);
          if (context.json) await context.out.json({ vaultId, ...(userId === undefined ? {} : { userId }), code: failure.code, message: failure.message });
          context.say(`${context.json ? '' : `${visibleLine(userId ?? vaultId)}: `}${describeFailure(failure, context).trimEnd()}`);
        }
        return exit;
      }),
    { readOnly: false },
  );
}

async function printPushed({ out, json }: Context, { vaultId, userId }: { vaultId: string; userId: string }, { remote, head, from, commits }: Pushed): Promise<void> {
  if (json) await out.json({ vaultId, userId, remote, head, ...(from === undefined ? {} : { from }), commits });
  else if (commits === 0) await out.line(`${visibleLine(userId)}: ${remote} is up to date`);
  else await out.line(`${visibleLine(userId)}: pushed ${plural(commits, 'commit')} to ${remote}, now at ${shortOid(head)}`);
}
