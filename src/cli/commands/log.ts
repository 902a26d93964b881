/** `memgit log`: who changed what and when, newest first, shown as it is found. */
import type { FilteredLogEntry } from '../../history/log.ts';
import type { Vault } from '../../vault.ts';
import { defineCommand } from '../command.ts';
import type { Context } from '../context.ts';
import { OK, OPENING } from '../exits.ts';
import { withVault } from '../open.ts';
import { count, flag, optional, text } from '../parameters.ts';
import { commitBlock, commitLine } from '../print-commit.ts';
import { printDiffs, type DiffView } from '../print-diff.ts';
import { sessionIdOf } from '../session-of.ts';
import { array, objectPerLine, string } from '../shape.ts';
import { COMMIT_FIELDS, COMMIT_OPTIONAL_FIELDS, FILE_DIFF } from '../shapes.ts';

export const log = defineCommand({
  name: 'log',
  group: 'Look',
  summary: 'Show who changed what and when',
  details: 'Newest first, one block a commit. Filters add up: a commit is shown when all of them let it through.',
  args: { revision: optional('rev|range', 'Revision to start from, or a range A..B. Default: HEAD') },
  options: {
    oneline: flag('--oneline', 'One line a commit'),
    path: text('--path <path>', 'Only what changed a file, or anything below a directory; follows renames'),
    op: text('--op <operation>', 'Only this operation, such as str_replace or revert'),
    session: text('--session <session>', 'Only the commits of a session, by its number or id'),
    toolUseId: text('--tool-use <id>', 'Only the commit of a tool use'),
    actor: text('--actor <name>', 'Only what this actor did'),
    since: text('--since <time>', 'Not before a time, such as 2026-11-01, "2026-11-01 14:00" or "3 days ago"'),
    until: text('--until <time>', 'Not after a time; a date alone is its first moment'),
    grep: text('--grep <text>', 'Only where a line that came or went has this text'),
    limit: count('-n, --limit <count>', 'At most so many commits'),
    reverse: flag('--reverse', 'Oldest first'),
    patch: flag('-p, --patch', 'Show what each commit changed'),
    stat: flag('--stat', 'Show how much each commit changed in each file'),
  },
  json: objectPerLine(COMMIT_FIELDS, {
    ...COMMIT_OPTIONAL_FIELDS,
    followed: string('With --path: what was followed, as it was called in this commit'),
    files: array('With --patch or --stat: what the commit changed', FILE_DIFF),
  }),
  examples: [
    ['memgit log -n 5', 'the last five commits'],
    ['memgit log --path /memories/plan.md --patch', 'everything that happened to a file'],
    ["memgit log --session s-42 --since '3 days ago' --json", 'one session, for a program'],
  ],
  exits: OPENING,
  run: async (context, { oneline, patch, stat, session, ...filter }) =>
    withVault(context, async (vault) => {
      context.out.page();
      const views: DiffView[] = [...(stat ? ['stat' as const] : []), ...(patch ? ['patch' as const] : [])];
      let first = true;
      for await (const entry of vault.log({ ...filter, session: await sessionIdOf(vault, session), signal: context.io.signal })) {
        if (!context.json && !oneline && !first) await context.out.line('');
        first = false;
        await printEntry(context, vault, entry, oneline, views);
      }
      return OK;
    }, { keepIndex: true }),
});

async function printEntry(context: Context, vault: Vault, entry: FilteredLogEntry, oneline: boolean, views: readonly DiffView[]): Promise<void> {
  const { out } = context;
  const files = views.length > 0 ? (await vault.show(entry.oid, { path: entry.followed })).files : undefined;
  if (context.json) return out.json(files ? { ...entry, files } : entry);
  await (oneline ? out.line(commitLine(entry, context)) : out.write(commitBlock(entry, context)));
  if (!files?.length) return;
  for (const [i, view] of views.entries()) {
    if (!oneline || i > 0) await out.line('');
    await printDiffs(out, files, view);
  }
}
