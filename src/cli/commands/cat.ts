/** `memgit cat`: the bytes of a file, as it stands or stood. */
import { defineCommand } from '../command.ts';
import { OK, OPENING } from '../exits.ts';
import { withVault } from '../open.ts';
import { required, text } from '../parameters.ts';

export const cat = defineCommand({
  name: 'cat',
  group: 'Look',
  summary: 'Print a file of a memory',
  details: 'In a pipe the bytes come exactly as they are; on a terminal control characters and bytes that are no text are shown as escapes.',
  args: { path: required('path', 'File, from /memories on') },
  options: { rev: text('--rev <rev>', 'The file as it stood at a revision. Default: HEAD') },
  examples: [
    ['memgit cat /memories/plan.md', 'print a file'],
    ['memgit cat /memories/plan.md --rev HEAD~3 > plan.md', 'get back an earlier version'],
  ],
  exits: OPENING,
  run: async (context, { path, rev }) =>
    withVault(context, async (vault) => {
      await context.out.memoryBytes(await vault.show(rev ?? 'HEAD', path));
      return OK;
    }),
});
