/** `memgit pull`: takes what a remote has into the memory, merging where both sides went on. */
import { defineCommand } from '../command.ts';
import { CONFLICT, OK } from '../exits.ts';
import { plural, shortOid } from '../format.ts';
import { withVault } from '../open.ts';
import { choice, flag, optional, text } from '../parameters.ts';
import { integer, oneObject, string } from '../shape.ts';
import { CONFLICT_FIELD, transferring, TRANSFERRING, TRANSFER_OPTIONS } from '../transfer.ts';

export const pull = defineCommand({
  name: 'pull',
  group: 'Back up',
  summary: 'Take what a remote has into the memory',
  details:
    'Where both sides went on they are merged into one commit with two parents. Files are merged line by line; where both changed the same lines both versions stay, the older one beside the other as ' +
    'name.conflict-<commit>.ext. That is told, and ends in exit code 13 unless --accept-conflicts is given. Nothing that was written is lost.',
  args: { remote: optional('remote', 'Name of the remote. Default: backup where the store has a template, else origin, or the only one there is') },
  options: {
    strategy: choice('--strategy <strategy>', 'What becomes of a conflict: both keeps both, ours or theirs takes one, manual refuses. Default both', ['both', 'ours', 'theirs', 'manual']),
    acceptConflicts: flag('--accept-conflicts', 'End in exit code 0 also when both sides had changed the same lines'),
    actor: text('--actor <name>', 'Who merges, for the record'),
    ...TRANSFER_OPTIONS,
  },
  json: oneObject({
    remote: string('Name of the remote'),
    outcome: string('What was done', 'up-to-date', 'forward', 'merge'),
    head: string('Oid that this memory is at now'),
    commits: integer('Commits of the remote that the memory did not have'),
    conflicts: CONFLICT_FIELD,
  }),
  examples: [['memgit pull', 'take in what other machines have pushed'], ['memgit pull --strategy theirs', 'let the remote win where both changed the same lines']],
  exits: TRANSFERRING,
  run: async (context, { remote: named, strategy, acceptConflicts, actor, ...typed }) =>
    withVault(
      context,
      async (vault) => {
        const { remote, outcome, head, commits, conflicts } = await transferring(context, typed, async (options) => vault.pull(named, { ...options, strategy, actor }));
        if (context.json) await context.out.json({ remote, outcome, head, commits, conflicts });
        else {
          if (outcome === 'up-to-date') await context.out.line(`nothing new from ${remote}`);
          else await context.out.line(`${outcome === 'merge' ? 'merged' : 'took in'} ${plural(commits, 'commit')} from ${remote}, now at ${shortOid(head)}`);
          for (const { path, kept } of conflicts) {
            const where = kept === undefined ? 'the other version is in the history' : `the other version is ${context.out.memoryText(kept)}`;
            await context.out.line(`conflict: ${context.out.memoryText(path)}: ${where}`);
          }
        }
        return conflicts.length > 0 && !acceptConflicts ? CONFLICT : OK;
      },
      { readOnly: false },
    ),
});
