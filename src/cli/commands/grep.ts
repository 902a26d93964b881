/** `memgit grep`: where a text stands in a memory, as it is or was. */
import { MemgitError } from '../../errors.ts';
import { defineCommand } from '../command.ts';
import { OK, OPENING } from '../exits.ts';
import { withVault } from '../open.ts';
import { flag, optional, required, text } from '../parameters.ts';
import { integer, objectPerLine, string } from '../shape.ts';
import { visibleLine } from '../visible.ts';

/** grep's own. */
const NO_MATCH = 1;

export const grep = defineCommand({
  name: 'grep',
  group: 'Look',
  summary: 'Search the files of a memory',
  details:
    'The pattern is a JavaScript regular expression. Ends with 1 when nothing matches, as grep does. A file for which the pattern takes too long is ' +
    'named on stderr and passed over, and when the others are searched the command ends with 2.',
  args: { pattern: required('pattern', 'What to look for'), revision: optional('rev', 'The memory as it stood at a revision. Default: HEAD') },
  options: {
    path: text('--path <path>', 'Only a file, or what is below a directory'),
    fixed: flag('-F, --fixed-strings', 'Take the pattern literally'),
    ignoreCase: flag('-i, --ignore-case', 'Take capital and small letters as the same'),
    filesOnly: flag('-l, --files-with-matches', 'Show the names of the files only'),
  },
  json: objectPerLine({ path: string('Path, from /memories on'), line: integer('Line, counted from 1'), text: string('The whole line') }),
  examples: [
    ['memgit grep -i todo', 'every line with a todo'],
    ["memgit grep -F api.example.com '@{3 days ago}'", 'where a host name stood three days ago'],
  ],
  exits: OPENING,
  run: async (context, { pattern, revision, path, fixed, ignoreCase, filesOnly }) =>
    withVault(context, async (vault) => {
      const { out, json } = context;
      out.page();
      let last: string | undefined;
      const onPassedOver = (slow: string) => { context.warn(`not searched, because the pattern takes too long for it: ${visibleLine(slow)}`); };
      for await (const match of vault.grep(toPattern(pattern, fixed, ignoreCase), { revision, path, onPassedOver, signal: context.io.signal })) {
        const again = match.path === last;
        last = match.path;
        if (json) await out.json(match);
        else if (!filesOnly) await out.line(`${out.style.place(visibleLine(match.path))}:${match.line}:${out.memoryText(match.text)}`);
        else if (!again) await out.line(visibleLine(match.path));
      }
      return last === undefined ? NO_MATCH : OK;
    }),
});

function toPattern(pattern: string, fixed: boolean, ignoreCase: boolean): string | RegExp {
  if (fixed && !ignoreCase) return pattern;
  const source = fixed ? pattern.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&') : pattern;
  try {
    return new RegExp(source, ignoreCase ? 'iu' : 'u');
  } catch (cause) {
    throw new MemgitError('INVALID_ARGUMENT', 'expected a regular expression, got one that is malformed; -F takes it literally', { cause });
  }
}
