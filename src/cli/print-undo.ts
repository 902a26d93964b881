/** What `revert` and `restore` have in common: their options, their JSON, and how they tell what they did. */
import type { UndoResult } from '../history/bench-commit.ts';
import type { Context } from './context.ts';
import { flag, text } from './parameters.ts';
import { commitLine } from './print-commit.ts';
import { printDiffs } from './print-diff.ts';
import { array, boolean, object } from './shape.ts';
import { COMMIT_FIELDS, COMMIT_OPTIONAL_FIELDS, FILE_DIFF } from './shapes.ts';

export const UNDO_OPTIONS = {
  dryRun: flag('--dry-run', 'Show the patch and change nothing'),
  note: text('--note <text>', 'Say why, for the log'),
  actor: text('--actor <name>', 'Say who did it, for the log'),
} as const;

export const UNDO_FIELDS = {
  changed: boolean('Whether a commit was made'),
  files: array('What was changed, or would be', FILE_DIFF),
} as const;

export const UNDO_OPTIONAL_FIELDS = { commit: object('The new commit', COMMIT_FIELDS, COMMIT_OPTIONAL_FIELDS) } as const;

export async function printUndo(context: Context, { commit, files }: UndoResult, dryRun: boolean): Promise<void> {
  const { out } = context;
  if (context.json) await out.json({ changed: commit !== undefined, files, commit });
  else if (files.length === 0) context.say('nothing to change: the memory is like that already');
  else if (dryRun) {
    out.page();
    await printDiffs(out, files, 'patch');
  } else {
    if (commit) await out.line(commitLine(commit, context));
    await printDiffs(out, files, 'stat');
  }
}
