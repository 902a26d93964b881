/** `memgit ls`: the files of a memory, as it stands or stood. */
import { isMemgitError } from '../../errors.ts';
import type { Vault } from '../../vault.ts';
import { defineCommand } from '../command.ts';
import { OK, OPENING } from '../exits.ts';
import { withVault } from '../open.ts';
import { flag, optional, text } from '../parameters.ts';
import { integer, objectPerLine, string } from '../shape.ts';
import { visibleLine } from '../visible.ts';

export const ls = defineCommand({
  name: 'ls',
  group: 'Look',
  summary: 'List the files of a memory',
  details: 'Lists every file and every empty directory at or below a path, in order. An empty directory ends in a slash. What it finds is kept beside the repository, sealed, to answer sooner the next time.',
  args: { path: optional('path', 'File or directory. Default: /memories') },
  options: { rev: text('--rev <rev>', 'The memory as it stood at a revision. Default: HEAD'), long: flag('-l, --long', 'Show sizes in bytes') },
  json: objectPerLine({
    path: string('Path, from /memories on'),
    kind: string('What it is', 'file', 'directory'),
    sizeBytes: integer('Bytes of a file; 0 for an empty directory'),
  }),
  examples: [
    ['memgit ls -l', 'list everything with sizes'],
    ["memgit ls /memories/notes --rev '@{yesterday}'", 'list a directory as it stood yesterday'],
  ],
  exits: OPENING,
  run: async (context, { path, rev, long }) =>
    withVault(context, async (vault) => {
      const entries = await vault.list(path, { revision: rev });
      if (entries.length === 0 && path !== undefined) await explainNothing(vault, path, rev);
      if (entries.length === 0) context.sayNothing('the memory is empty');
      for (const entry of entries) {
        const name = `${visibleLine(entry.path)}${entry.kind === 'directory' ? '/' : ''}`;
        if (context.json) await context.out.json(entry);
        else await context.out.line(long ? `${String(entry.sizeBytes).padStart(10)} ${name}` : name);
      }
      return OK;
    }, { keepIndex: true }),
});

/** Only an empty root has nothing to list; of any other path the history tells whether it ever was. @throws NOT_FOUND */
async function explainNothing(vault: Vault, path: string, rev = 'HEAD'): Promise<void> {
  try {
    await vault.show(rev, path);
  } catch (error) {
    if (!isMemgitError(error, 'NOT_A_FILE')) throw error;
  }
}
