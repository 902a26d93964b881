/** `memgit blame`: who wrote each line of a file. */
import type { BlameLine } from '../../history/blame.ts';
import { defineCommand } from '../command.ts';
import type { Context } from '../context.ts';
import { OK, OPENING } from '../exits.ts';
import { largest, shortOid } from '../format.ts';
import { withVault } from '../open.ts';
import { required, text } from '../parameters.ts';
import { integer, objectPerLine, string } from '../shape.ts';
import { COMMIT_FIELDS, COMMIT_OPTIONAL_FIELDS } from '../shapes.ts';
import { visibleLine } from '../visible.ts';

const { session, toolUseId, model, actor } = COMMIT_OPTIONAL_FIELDS;

export const blame = defineCommand({
  name: 'blame',
  group: 'Look',
  summary: 'Show who wrote each line of a file',
  details: 'Each line has its commit, session, tool use and time. Renames are followed; a line that an undo brought back belongs to whoever first wrote it.',
  args: { path: required('path', 'File, from /memories on') },
  options: { rev: text('--rev <rev>', 'The file as it stood at a revision. Default: HEAD') },
  json: objectPerLine(
    {
      line: integer('Line, counted from 1'),
      text: string('The line'),
      oid: COMMIT_FIELDS.oid,
      time: COMMIT_FIELDS.time,
      op: COMMIT_FIELDS.op,
      path: string('What the file was called then'),
    },
    { session, toolUseId, model, actor },
  ),
  examples: [
    ['memgit blame /memories/plan.md', 'who wrote what'],
    ["memgit blame /memories/plan.md --rev '@{yesterday}'", 'who had written what by yesterday'],
  ],
  exits: OPENING,
  run: async (context, { path, rev }) =>
    withVault(context, async (vault) => {
      const lines = await vault.blame(path, { revision: rev, signal: context.io.signal });
      if (context.json) for (const line of lines) await context.out.json(line);
      else {
        context.out.page();
        await printLines(context, lines);
      }
      return OK;
    }, { keepIndex: true }),
});

async function printLines(context: Context, lines: readonly BlameLine[]): Promise<void> {
  const { style } = context.out;
  const columns = [columnOf(lines, ({ session: id }) => id), columnOf(lines, ({ toolUseId: id }) => id)].filter((column) => column.some((cell) => cell.trim() !== ''));
  const numberWidth = String(lines.length).length;
  for (const [index, { oid, time, line, text: content }] of lines.entries()) {
    const facts = [...columns.map((column) => column[index]!), context.time(Date.parse(time)), String(line).padStart(numberWidth)];
    await context.out.line(`${style.oid(shortOid(oid))} (${facts.join(' ')}) ${context.out.memoryText(content)}`);
  }
}

/** Cells of one width. */
function columnOf(lines: readonly BlameLine[], read: (line: BlameLine) => string | undefined): string[] {
  const cells = lines.map((line) => visibleLine(read(line) ?? ''));
  const width = largest(cells, (cell) => cell.length);
  return cells.map((cell) => cell.padEnd(width));
}
