/** Completion for fish: one `complete` line a command and an option. */
import { families, firstWords, type CompletedCommand, type CompletedOption } from './model.ts';

export function fishCompletion(commands: readonly CompletedCommand[]): string {
  const held = families(commands);
  const words = firstWords(commands);
  const valued = new Set(commands.flatMap(({ options }) => options).flatMap(({ flags, value }) => (value === undefined ? [] : flags)));
  const lines = [
    '# fish completion for memgit. In config.fish: memgit completion fish | source',
    ...commandOnLine([...valued], ['help', ...held.keys()]),
    'complete -c memgit -f',
    ...words.map((word) => {
      const summary = commands.find(({ name }) => name === word)?.summary;
      return `complete -c memgit -n '__memgit_at' -a ${word}${summary === undefined ? '' : ` -d ${fishQuoted(summary)}`}`;
    }),
    `complete -c memgit -n '__memgit_at help' -a '${words.join(' ')}'`,
    ...[...held].map(([family, members]) => `complete -c memgit -n '__memgit_at ${family}' -a '${members.join(' ')}'`),
  ];
  for (const { name, options, argument } of commands) {
    const at = `complete -c memgit -n '__memgit_at ${name}'`;
    if (argument === 'file') lines.push(`${at} -F`);
    else if (argument !== 'unknown' && argument.length > 0) lines.push(`${at} -a '${argument.join(' ')}'`);
    for (const option of options) lines.push(`${at}${flagsOf(option)} -d ${fishQuoted(option.summary)}`);
  }
  return `${lines.join('\n')}\n`;
}

/** A function that tells whether its words are the command on the line; options and their values may stand in between. */
function commandOnLine(valued: readonly string[], holding: readonly string[]): string[] {
  return [
    'function __memgit_at',
    '    set -l words (commandline -opc)',
    '    set -e words[1]',
    '    set -l found',
    '    set -l skip 0',
    '    for word in $words',
    '        if test $skip = 1',
    '            set skip 0',
    `        else if contains -- $word ${valued.join(' ')}`,
    '            set skip 1',
    `        else if not string match -q -- '-*' $word; and begin; test (count $found) = 0; or contains -- "$found" ${holding.join(' ')}; end`,
    '            set -a found $word',
    '        end',
    '    end',
    '    test "$found" = "$argv"',
    'end',
  ];
}

function flagsOf({ flags, value }: CompletedOption): string {
  const names = flags.map((flag) => (flag.startsWith('--') ? ` -l ${flag.slice(2)}` : ` -s ${flag.slice(1)}`)).join('');
  if (value === undefined) return names;
  return value === 'file' ? `${names} -rF` : `${names} -x${value === 'unknown' ? '' : ` -a '${value.join(' ')}'`}`;
}

/** fish knows two escapes between single quotes. */
function fishQuoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}
