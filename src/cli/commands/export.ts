/** `memgit export`: writes a memory in clear, as a folder or a tar stream. */
import { MemgitError } from '../../errors.ts';
import type { ExportResult } from '../../history/export.ts';
import { defineCommand } from '../command.ts';
import type { Context } from '../context.ts';
import { OK, OPENING } from '../exits.ts';
import { formatBytes, plural } from '../format.ts';
import { given } from '../globals.ts';
import { withVault } from '../open.ts';
import { flag, optional, text } from '../parameters.ts';
import { array, integer, oneObject, string } from '../shape.ts';
import { visibleLine } from '../visible.ts';

export const exportCommand = defineCommand({
  name: 'export',
  group: 'Move',
  summary: 'Write a memory in clear, as a folder or a tar stream',
  details:
    'Files are readable by their owner only. A folder that holds something is refused, unless --overwrite lets files of the same names be replaced. ' +
    'What would make git take a folder for a repository, and run what that says, is listed on stderr and skipped.',
  args: { dir: optional('dir', 'Folder on this machine; it is made if it is not there') },
  options: {
    tar: flag('--tar', 'Write a tar archive to stdout instead of a folder'),
    rev: text('--rev <rev>', 'The memory as it stood at a revision. Default: HEAD'),
    path: text('--path <path>', 'Only a file, or what is below a directory'),
    overwrite: flag('--overwrite', 'Replace files of the same names; nothing else is removed'),
  },
  json: oneObject({ files: integer('Files that were written'), bytes: integer('Bytes of them'), skipped: array('What was left out', string('Path, from /memories on')) }),
  examples: [
    ['memgit export ./plain', 'the memory as plain files'],
    ["memgit export --tar --rev '@{yesterday}' | tar -tv", 'list what was there yesterday'],
  ],
  exits: OPENING,
  run: async (context, { dir: typed, tar, rev, path, overwrite }) =>
    withVault(context, async (vault) => {
      const { out } = context;
      const dir = given(typed);
      if (tar) {
        if (dir !== undefined || context.json) throw new MemgitError('INVALID_ARGUMENT', 'a tar archive goes to stdout; leave the folder and --json out');
        if (out.terminal) throw new MemgitError('INVALID_ARGUMENT', 'a tar archive is nothing for a terminal; send it to a file or a pipe');
        const archive = vault.exportTar({ revision: rev, path });
        await out.bytes(
          (async function* () {
            warnOfSkipped(context, yield* archive);
          })(),
        );
        return OK;
      }
      if (dir === undefined) throw new MemgitError('INVALID_ARGUMENT', 'expected a folder to export to, or --tar');
      const result = await vault.exportFiles(dir, { revision: rev, path, overwrite });
      warnOfSkipped(context, result);
      if (context.json) await out.json(result);
      else await out.line(`${plural(result.files, 'file')}, ${formatBytes(result.bytes)} in ${dir}`);
      return OK;
    }),
});

function warnOfSkipped(context: Context, { skipped }: ExportResult): void {
  for (const path of skipped) context.warn(`skipped ${visibleLine(path)}: git could take the folder for a repository`);
}
