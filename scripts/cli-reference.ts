/** The text of docs/CLI.md, from the same data that help and completion are made from. */
import { COMMANDS } from '../src/cli/commands/index.ts';
import { GROUPS, type Command, type Parameter } from '../src/cli/command.ts';
import { EXITS } from '../src/cli/exits.ts';
import { GLOBAL_OPTIONS } from '../src/cli/globals.ts';
import { FAILURE_SHAPE } from '../src/cli/failure.ts';
import type { JsonOutput, Shape } from '../src/cli/shape.ts';

const HEAD = `# The command line

This page is made by \`npm run docs:cli\` from the same data as the help; do not edit it by hand.

stdout is data, stderr is talk: errors begin with \`error:\`, what to do about them with \`hint:\`, or are an object with \`--json\`, as below. \`--json\` prints one object, or
one object a line where a list could be long. The fields below are stable: later versions may add some, none is taken away or
changes its meaning within a major version. A field that has nothing to say is left out.
Flags that choose how something is shown to people, such as \`--oneline\`, \`--name-only\` or \`--files-with-matches\`, change nothing in it; the \`--patch\` and \`--stat\` of \`log\` add \`files\`.

On a terminal, what \`log\`, \`show\` of a commit, \`diff\`, \`blame\`, \`grep\`, \`session list\`, \`session show\`, \`session diff\` and a dry run print goes through \`$PAGER\`
(empty or \`cat\` for none; default: \`less\` with \`LESS=FRX\`, and none with \`TERM=dumb\`). Colours are left out when \`NO_COLOR\` is set, and control characters and escape sequences in a memory are shown as \`\\x1b\` and the like. In a pipe
file contents and patches come as they are.

A revision is an oid or a prefix of at least four digits that only one commit has, \`HEAD\`, \`@{2026-11-01}\`, \`@{2026-11-01 14:00}\`,
\`@{3 days ago}\`, \`@{yesterday}\`, \`tool-use:<id>\` or \`session:<id>\`, followed by any number of \`~<n>\` or \`^\`. A range is \`A..B\`. Times are the
exact ones of the records, local unless they name a zone; a date alone is its first moment, so \`--until 2026-11-01\` leaves that day out.

## Keys

The first of these that is given is the one that is used, whether it opens the store or not:

1. \`--key-file\`
2. \`--key-command\`
3. \`MEMGIT_KEY_FILE\`
4. \`MEMGIT_KEY_COMMAND\`
5. \`MEMGIT_KEY\`, the key itself
6. \`MEMGIT_PASSPHRASE_FILE\`
7. \`MEMGIT_PASSPHRASE_COMMAND\`
8. \`$XDG_CONFIG_HOME/memgit/<store id>.key\`, where \`memgit init\` puts it (\`~/.config\` when the variable is not set; a path that is not absolute counts as none)
9. a prompt, when stdin and stderr are terminals

Of a file or a command's output the first line counts. A command is run by \`sh\`, so pipes and \`~\` work; its stdin is empty. A key
file that others can read is warned about. A secret is never an argument.

## Compiled code

A command that succeeds for the first time, and within two seconds of CPU, leaves what node compiled of it in \`$XDG_CACHE_HOME/memgit\`
(\`~/.cache/memgit\` when the variable is not set), and starts sooner from then on. The folder is used only while nobody else can write to it; it must
not be shared or restored from elsewhere, and may be removed at any time. With \`NODE_DISABLE_COMPILE_CACHE=1\` nothing is kept or used.
`;

export function cliReference(): string {
  return [HEAD, exitTable(), failureSection(), `## Options of every command\n\n${optionList(Object.values(GLOBAL_OPTIONS))}`, ...GROUPS.flatMap(groupSection)].join('\n');
}

function exitTable(): string {
  const rows = Object.entries(EXITS).map(([code, meaning]) => `| ${code} | ${meaning} |\n`);
  return `## Exit codes\n\n| code | meaning |\n| --- | --- |\n${rows.join('')}`;
}

function failureSection(): string {
  return [
    '## Failures with `--json`\n',
    'Instead of `error:` and `hint:` stderr is told one line, an object that says the same, also when the arguments are wrong. Warnings stay lines of text. The exit code stands for several codes, `code` for one.\n',
    fieldTable(FAILURE_SHAPE),
  ].join('\n');
}

function groupSection(group: (typeof GROUPS)[number]): string[] {
  return [`## ${group}\n`, ...COMMANDS.filter((command) => command.group === group).map(commandSection)];
}

function commandSection({ name, summary, details, args, options, examples, exits, json }: Command): string {
  const usage = ['memgit', name, '[options]', ...Object.values(args).map(({ syntax }) => syntax)].join(' ');
  const jsonOption: Parameter<unknown>[] = json ? [{ syntax: '--json', summary: json.lines ? 'Print one JSON object a line' : 'Print one JSON object', read: () => undefined }] : [];
  const parameters = [...Object.values(args), ...Object.values(options), ...jsonOption];
  const parts = [
    `### memgit ${name}\n`,
    `${summary}.${details === undefined ? '' : ` ${details}`}\n`,
    `    ${usage}\n`,
    ...(parameters.length > 0 ? [optionList(parameters)] : []),
    `${examples.map(([line, purpose]) => `    # ${purpose}\n    $ ${line}`).join('\n\n')}\n`,
    `Exit codes: ${[...exits].sort((a, b) => a - b).join(', ')}\n`,
    ...(json ? [jsonTable(json)] : []),
  ];
  return parts.join('\n');
}

function optionList(parameters: readonly Parameter<unknown>[]): string {
  return parameters.map(({ syntax, summary, choices }) => `- \`${syntax}\`: ${summary}${choices ? ` (${choices.map((choice) => `\`${choice}\``).join(', ')})` : ''}\n`).join('');
}

function jsonTable({ lines, shape }: JsonOutput): string {
  return `\`--json\`: ${lines ? 'one object a line' : 'one object'}. Fields marked ? may be absent.\n\n${fieldTable(shape)}`;
}

function fieldTable(shape: Shape): string {
  const rows = fieldRows(shape, '').map(([field, type, about]) => `| \`${field}\` | ${type} | ${about} |\n`);
  return `| field | type | meaning |\n| --- | --- | --- |\n${rows.join('')}`;
}

function fieldRows(shape: Shape, path: string): [field: string, type: string, about: string][] {
  if (shape.type === 'array') return fieldRows(shape.items, `${path}[]`);
  if (shape.type !== 'object') return [];
  return Object.entries(shape.properties).flatMap(([name, field]): [string, string, string][] => {
    const here = path === '' ? name : `${path}.${name}`;
    return [[`${here}${shape.required.includes(name) ? '' : '?'}`, typeName(field), field.about], ...fieldRows(field, here)];
  });
}

function typeName(shape: Shape): string {
  if (shape.type === 'array') return `array of ${typeName(shape.items)}s`;
  if (shape.type === 'facts') return 'object';
  if (shape.type === 'object' || !('enum' in shape)) return shape.type;
  return shape.enum.map((value) => `\`"${value}"\``).join(' or ');
}
