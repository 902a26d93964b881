/** `memgit restore`: sets a memory, or parts of it, to what it was, as one new commit. */
import { defineCommand } from '../command.ts';
import { CHANGING, OK } from '../exits.ts';
import { withVault } from '../open.ts';
import { required, rest } from '../parameters.ts';
import { printUndo, UNDO_FIELDS, UNDO_OPTIONAL_FIELDS, UNDO_OPTIONS } from '../print-undo.ts';
import { oneObject } from '../shape.ts';

export const restore = defineCommand({
  name: 'restore',
  group: 'Undo',
  summary: 'Set the memory, a folder or a file to what it was, as one new commit',
  details: 'What did not exist at that revision is removed. History is never rewritten, so a restore can be undone.',
  args: { revision: required('rev', 'Revision to go back to'), paths: rest('path', 'Files and folders. Default: the whole memory') },
  options: UNDO_OPTIONS,
  json: oneObject(UNDO_FIELDS, UNDO_OPTIONAL_FIELDS),
  examples: [
    ['memgit restore HEAD~1 /memories/plan.md', 'bring back the last version of a file'],
    ["memgit restore '@{yesterday}' --dry-run", 'show what going back a day would change'],
  ],
  exits: CHANGING,
  run: async (context, { revision, paths, dryRun, note, actor }) =>
    withVault(
      context,
      async (vault) => {
        await printUndo(context, await vault.restore(revision, paths, { dryRun, note, actor, signal: context.io.signal }), dryRun);
        return OK;
      },
      { readOnly: dryRun },
    ),
});
