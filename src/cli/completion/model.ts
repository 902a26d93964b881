/** What a shell can complete, taken from the commands' data. The other files of this folder put it into each shell's words. */
import type { Command, Parameter } from '../command.ts';

export interface CompletedCommand {
  /** `log`, or `key check`. */
  readonly name: string;
  readonly summary: string;
  readonly options: readonly CompletedOption[];
  /** What its arguments can be. */
  readonly argument: CompletedValue;
}

export interface CompletedOption {
  /** `-n` and `--limit`. */
  readonly flags: readonly string[];
  readonly summary: string;
  /** `undefined` for an option without a value. */
  readonly value: CompletedValue | undefined;
}

/** One of a few words, a file of the host, or something that no shell can know. */
export type CompletedValue = readonly string[] | 'file' | 'unknown';

const JSON_OPTION: CompletedOption = { flags: ['--json'], summary: 'Print JSON', value: undefined };
const HELP_OPTION: CompletedOption = { flags: ['--help'], summary: 'Print help', value: undefined };

export function completedCommands(commands: readonly Command[], globals: readonly Parameter<unknown>[]): CompletedCommand[] {
  const shared = [...globals.map(completedOption), HELP_OPTION];
  return commands.map(({ name, summary, args, options, json }) => {
    const argument = Object.values(args)[0];
    return {
      name,
      summary,
      options: [...Object.values(options).map(completedOption), ...(json ? [JSON_OPTION] : []), ...shared],
      argument: argument ? completedValue(argument) : [],
    };
  });
}

/** The words that can follow `memgit`. */
export function firstWords(commands: readonly CompletedCommand[]): string[] {
  return [...new Set(commands.map(({ name }) => name.split(' ')[0]!)), 'help'];
}

/** The words that can follow a command that only holds others, by that command. */
export function families(commands: readonly CompletedCommand[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { name } of commands) {
    const [family, member] = name.split(' ');
    if (member !== undefined) found.set(family!, [...(found.get(family!) ?? []), member]);
  }
  return found;
}

/** Text between single quotes for any of the shells. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function completedOption(parameter: Parameter<unknown>): CompletedOption {
  const flags = parameter.syntax.match(/(?<=^|\s)--?[\w-]+/g) ?? [];
  return { flags, summary: parameter.summary, value: parameter.syntax.includes('<') ? completedValue(parameter) : undefined };
}

function completedValue({ syntax, choices }: Parameter<unknown>): CompletedValue {
  return choices ?? (/[<[](?:dir|file|repo)\b/.test(syntax) ? 'file' : 'unknown');
}
