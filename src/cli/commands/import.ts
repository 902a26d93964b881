/** `memgit import`: brings a folder of plain files into a memory. */
import { isMemgitError, MemgitError } from '../../errors.ts';
import type { ImportResult } from '../../history/import.ts';
import { defineCommand } from '../command.ts';
import type { Context } from '../context.ts';
import { CHANGING, OK } from '../exits.ts';
import { HintedError } from '../failure.ts';
import { formatBytes, plural } from '../format.ts';
import { withVault } from '../open.ts';
import { flag, required, text } from '../parameters.ts';
import { commitLine } from '../print-commit.ts';
import { array, boolean, integer, object, oneObject, string } from '../shape.ts';
import { COMMIT_FIELDS, COMMIT_OPTIONAL_FIELDS } from '../shapes.ts';
import { visibleLine } from '../visible.ts';

/** Why a file is left out, by the reason that the library gives; those that are not here speak for themselves. */
const REASONS: Readonly<Record<string, string>> = {
  'not-text': 'its name is not text',
  surrogate: 'its name is not text',
  control: 'its name has control characters',
  backslash: 'its name has a backslash',
  'percent-encoded': 'its name has an encoded separator or dot',
  'long-segment': 'its name is too long',
  'long-path': 'its path is too long',
  'not-a-file': 'it is neither a file nor a folder; links are not followed',
  'too-large': 'it is too large',
  unreadable: 'it cannot be read',
  duplicate: 'another file has the same name in a memory',
  taken: 'the memory has a file where a folder is needed, or the other way round',
};

export const importCommand = defineCommand({
  name: 'import',
  group: 'Move',
  summary: 'Bring a folder of plain files into a memory, as one commit',
  details:
    'Files of the same names are replaced, others stay. Names that a memory cannot hold are listed on stderr and skipped. ' +
    'A folder made by the SDK\'s file tool, whose files are below memories/, comes in right. Links are not followed.',
  args: { dir: required('dir', 'Folder on this machine') },
  options: {
    create: flag('--create', 'Make the user\'s memory if there is none yet'),
    dryRun: flag('--dry-run', 'Say what would come in and change nothing'),
    note: text('--note <text>', 'Say why, for the log'),
    actor: text('--actor <name>', 'Say who did it, for the log'),
  },
  json: oneObject(
    {
      changed: boolean('Whether a commit was made'),
      paths: array('Files that came in, or would: those that are new or have other bytes', string('Path, from /memories on')),
      files: integer('How many'),
      bytes: integer('Bytes of them'),
      skipped: array('Files that were left out', object('One of them', { name: string('Name, from the folder on'), reason: string('Why') })),
    },
    { commit: object('The new commit', COMMIT_FIELDS, COMMIT_OPTIONAL_FIELDS) },
  ),
  examples: [
    ['memgit import ./memory --user alice --create', 'move a memory of plain files into memgit'],
    ['memgit import ./edited --dry-run', 'say which files would come in'],
  ],
  exits: CHANGING,
  run: async (context, { dir, create, dryRun, note, actor }) => {
    if (dir === '') throw new MemgitError('INVALID_ARGUMENT', 'expected a folder to import, got an empty name');
    return withVault(
      context,
      async (vault) => {
        const result = await vault.importFiles(dir, { dryRun, note, actor, signal: context.io.signal });
        for (const { name, reason } of result.skipped) context.warn(`skipped ${visibleLine(name)}: ${REASONS[reason] ?? reason}`);
        if (context.json) await context.out.json({ changed: result.commit !== undefined, ...result });
        else await printImport(context, result, dryRun);
        return OK;
      },
      { readOnly: dryRun, create },
    ).catch((error: unknown) => { throw create && dryRun ? explained(error) : error; });
  },
});

async function printImport(context: Context, { commit, paths, files, bytes }: ImportResult, dryRun: boolean): Promise<void> {
  const { out } = context;
  if (commit) await out.line(commitLine(commit, context));
  else if (dryRun) for (const path of paths) await out.line(visibleLine(path));
  else {
    context.say('nothing to import: the folder has nothing that the memory does not hold already');
    return;
  }
  await out.line(`${plural(files, 'file')}, ${formatBytes(bytes)}${dryRun ? ' would come in' : ''}`);
}

/** A dry run of a new user has no memory to compare with, and makes none. */
function explained(error: unknown): unknown {
  if (!isMemgitError(error, 'VAULT_NOT_FOUND')) return error;
  return new HintedError(error, '--dry-run makes no memory either; into a new one comes all that a memory can hold');
}
