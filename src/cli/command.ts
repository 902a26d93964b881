/**
 * A command as plain data: its name, what it takes, examples, exit codes, the shape of its `--json`, and what it does. Help,
 * completion and docs/CLI.md are all made from this; nothing here knows the library that parses arguments.
 */
import type { Context } from './context.ts';
import type { Exit } from './exits.ts';
import type { JsonOutput } from './shape.ts';

/** One argument or option; `read` turns what was typed into a value, or throws a `MemgitError` that says what was expected. */
export interface Parameter<T> {
  /** `<path>`, `[rev]`, `[path...]` for an argument; `-n, --limit <count>` for an option. */
  readonly syntax: string;
  readonly summary: string;
  /** The only values that are accepted. */
  readonly choices?: readonly string[];
  /** An option that may be given several times. */
  readonly repeatable?: boolean;
  readonly read: (typed: unknown) => T;
}

type Parameters = Readonly<Record<string, Parameter<unknown>>>;
type Values<P> = { readonly [K in keyof P]: P[K] extends Parameter<infer T> ? T : never };

export const GROUPS = ['Set up', 'Look', 'Undo', 'Check', 'Move', 'Back up', 'Sessions', 'Shell'] as const;

export interface CommandFacts {
  /** One word, or two for a command of a group, such as `key check`. */
  readonly name: string;
  readonly group: (typeof GROUPS)[number];
  /** Imperative, without a full stop. */
  readonly summary: string;
  /** What the summary leaves open, in whole sentences. */
  readonly details?: string;
  /** Command lines and what each is for. */
  readonly examples: readonly (readonly [line: string, purpose: string])[];
  readonly exits: readonly Exit[];
  /** Present when the command takes `--json`. */
  readonly json?: JsonOutput;
}

export interface Command extends CommandFacts {
  readonly args: Parameters;
  readonly options: Parameters;
  /** @param typed what was typed for each argument and option, by its key */
  readonly run: (context: Context, typed: Readonly<Record<string, unknown>>) => Promise<number>;
}

interface Definition<A extends Parameters, O extends Parameters> extends CommandFacts {
  readonly args: A;
  readonly options: O;
  /** Returns the exit code. */
  readonly run: (context: Context, given: Values<A> & Values<O>) => Promise<number>;
}

/** Ties the types of the arguments and options to what `run` is given. */
export function defineCommand<const A extends Parameters, const O extends Parameters>(definition: Definition<A, O>): Command {
  const { run, ...facts } = definition;
  const parameters = Object.entries<Parameter<unknown>>({ ...definition.args, ...definition.options });
  return {
    ...facts,
    run: async (context, typed) => {
      const given = Object.fromEntries(parameters.map(([key, { read }]) => [key, read(typed[key])]));
      return run(context, given as Values<A> & Values<O>);
    },
  };
}
