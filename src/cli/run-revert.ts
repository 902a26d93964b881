/** What `revert` and `session revert` have in common: their options, their JSON, and how they tell what they did or why they did not. */
import { isMemgitError } from '../errors.ts';
import type { UndoResult } from '../history/bench-commit.ts';
import { conflictsOf } from '../history/conflict.ts';
import type { RevertOptions } from '../history/revert.ts';
import type { Vault } from '../vault.ts';
import type { Context } from './context.ts';
import { OK } from './exits.ts';
import { HintedError } from './failure.ts';
import { withVault } from './open.ts';
import { choice } from './parameters.ts';
import { printConflicts } from './print-conflict.ts';
import { printUndo, UNDO_FIELDS, UNDO_OPTIONAL_FIELDS, UNDO_OPTIONS } from './print-undo.ts';
import { array, integer, object, oneObject, string } from './shape.ts';
import { COMMIT_FIELDS } from './shapes.ts';

export const REVERT_OPTIONS = {
  keep: choice('--keep <side>', 'Decide conflicts: ours keeps what is there now, theirs puts back what was', ['ours', 'theirs']),
  ...UNDO_OPTIONS,
} as const;

const LINES = string('A line');
const CONFLICT = object('Something that later edits touch too', {
  path: string('Where it is now'),
  oid: COMMIT_FIELDS.oid,
  reason: string('Why it cannot be undone', 'same-lines', 'changed', 'removed', 'taken'),
  regions: array(
    'The lines that clash',
    object('One stretch of them', {
      line: integer('Where it begins now, counted from 1'),
      ours: array('What is there now', LINES),
      base: array('What the commit left', LINES),
      theirs: array('What the undo would put back', LINES),
    }),
  ),
});

export const REVERT_JSON = oneObject(UNDO_FIELDS, { ...UNDO_OPTIONAL_FIELDS, conflicts: array('With exit code 13: why nothing was changed', CONFLICT) });

/** @param undo does it, under the options and the signal that it is given */
export async function runRevert(
  context: Context, options: RevertOptions & { readonly dryRun: boolean }, undo: (vault: Vault, options: RevertOptions) => Promise<UndoResult>,
): Promise<number> {
  const { dryRun } = options;
  return withVault(
    context,
    async (vault) => {
      try {
        await printUndo(context, await undo(vault, { ...options, signal: context.io.signal }), dryRun);
        return OK;
      } catch (error) {
        if (!isMemgitError(error, 'CONFLICT')) throw error;
        await tellConflicts(context, error);
        throw new HintedError(error, '--keep ours keeps what is there now, --keep theirs puts back what was; --dry-run shows the result');
      }
    },
    { readOnly: dryRun },
  );
}

async function tellConflicts({ out, json }: Context, error: unknown): Promise<void> {
  const conflicts = conflictsOf(error);
  if (json) await out.json({ changed: false, files: [], conflicts });
  else await printConflicts(out, conflicts);
}
