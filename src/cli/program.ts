/**
 * Turns the commands' data into a program: reads arguments, prints help, finds the command, and makes an exit code of
 * whatever happens. The only place that knows the library which parses arguments.
 */
import { Command as Program, CommanderError, Option } from 'commander';
import { isMemgitError, MemgitError } from '../errors.ts';
import { COMMANDS, FAMILIES, findCommand } from './commands/index.ts';
import type { Command, Parameter } from './command.ts';
import { Context } from './context.ts';
import { EXITS, exitOf, INTERRUPTED, OK, USAGE } from './exits.ts';
import { describeFailure, failureOf } from './failure.ts';
import { GLOBAL_OPTIONS, readGlobals } from './globals.ts';
import type { Io } from './io.ts';
import { Output, ReaderGone } from './output.ts';
import { usageFailure } from './usage.ts';
import { VERSION } from './version.ts';

type Typed = Readonly<Record<string, unknown>>;

export interface Ran {
  readonly exit: number;
  /** The name of the command that was run; `undefined` when none was, for help or wrong arguments. */
  readonly command: string | undefined;
}

/** Of a command that changes something: what it has begun is waited for. */
const INTERRUPTION = new MemgitError('ABORTED', 'interrupted; what was begun may have been done: look before doing it again');

/** Runs one command line, without the program's own name. Never throws. */
export async function run(argv: readonly string[], io: Io): Promise<Ran> {
  // Help can be cut short by `head` too, and so can talk by `2>&1 | head`; commands learn of it from their own writes.
  for (const stream of [io.stdout, io.stderr]) stream.on('error', () => undefined);
  let ran: Ran = { exit: OK, command: undefined };
  const words = argvForHelp(argv);
  const named = fromCommandOn(words);
  const asked = findCommand(named);
  // Describing all commands to the parser takes longer than parsing for one. Help and hints at the nearest name need all.
  const tellUsage = (text: string) => io.stderr.write(describeFailure(usageFailure(text, named), { json: argv.includes('--json') }));
  const program = buildProgram(io, asked ? [asked] : COMMANDS, tellUsage, async (command, typed) => {
    ran = { exit: await runCommand(command, typed, io), command: command.name };
  });
  try {
    await program.parseAsync(words, { from: 'user' });
    return ran;
  } catch (error) {
    if (error instanceof CommanderError) return { exit: error.exitCode === 0 ? OK : USAGE, command: undefined };
    io.stderr.write(describeFailure(failureOf(error), { json: argv.includes('--json') }));
    return { exit: exitOf(error), command: undefined };
  }
}

async function runCommand(command: Command, typed: Typed, io: Io): Promise<number> {
  const json = typed['json'] === true;
  const out = new Output(io, { pager: typed['pager'] !== false && !json });
  try {
    const context = new Context(io, out, readGlobals(typed, io.env), json);
    const exit = await command.run(context, typed);
    await out.close();
    return exit;
  } catch (error) {
    // What was printed before the failure is shown before it is told.
    await out.close().catch(() => undefined);
    if (error instanceof ReaderGone) return OK;
    if (io.signal.aborted || isMemgitError(error, 'ABORTED')) {
      // What only shows something, or was interrupted at a prompt, did nothing that there could be doubt of.
      if (io.signal.aborted && !out.onlyShows) io.stderr.write(describeFailure(failureOf(INTERRUPTION), { json }));
      return INTERRUPTED;
    }
    io.stderr.write(describeFailure(failureOf(error), { json }));
    return exitOf(error);
  }
}

function buildProgram(io: Io, commands: readonly Command[], tellUsage: (text: string) => void, act: (command: Command, typed: Typed) => Promise<void>): Program {
  const program = new Program('memgit')
    .description('Encrypted, versioned memory for AI agents, backed by git')
    .version(VERSION, '--version', 'Print the version')
    .helpOption('-h, --help', 'Print help')
    .helpCommand('help [command]', 'Print the help of a command')
    .configureHelp({ showGlobalOptions: true, subcommandTerm: (command) => command.name() })
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      outputError: tellUsage,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .exitOverride();
  for (const option of Object.values(GLOBAL_OPTIONS)) program.addOption(toOption(option));
  for (const command of commands) addCommand(program, command, act);
  program.addHelpText('after', '\n`memgit help <command>` shows what a command takes, with examples and exit codes.');
  return program;
}

function addCommand(program: Program, command: Command, act: (command: Command, typed: Typed) => Promise<void>): void {
  const words = command.name.split(' ');
  const parent = words.length === 1 ? program : familyOf(program, words[0]!, command);
  const added = parent
    .command(words.at(-1)!)
    .summary(command.summary)
    .description([`${command.summary}.`, command.details].filter(Boolean).join('\n\n'))
    .helpGroup(`${command.group}:`);
  for (const { syntax, summary, choices } of Object.values(command.args)) {
    const argument = added.createArgument(syntax, summary);
    added.addArgument(choices ? argument.choices(choices) : argument);
  }
  const options = Object.entries(command.options).map(([key, parameter]) => ({ key, option: toOption(parameter) }));
  for (const { option } of options) added.addOption(option);
  if (command.json) added.option('--json', command.json.lines ? 'Print one JSON object a line' : 'Print one JSON object');
  added.addHelpText('after', () => helpAfter(command));

  added.action(async () => {
    const given: Typed = added.optsWithGlobals();
    const args = Object.keys(command.args).map((key, index): [string, unknown] => [key, added.processedArgs[index]]);
    const named = options.map(({ key, option }): [string, unknown] => [key, given[option.attributeName()]]);
    await act(command, { ...given, ...Object.fromEntries([...named, ...args]) });
  });
}

/** The command that only holds others, such as `key`. */
function familyOf(program: Program, name: string, { group }: Command): Program {
  return program.commands.find((known) => known.name() === name) ?? program.command(name).summary(FAMILIES[name]!).description(`${FAMILIES[name]!}.`).helpGroup(`${group}:`);
}

function toOption({ syntax, summary, choices, repeatable }: Parameter<unknown>): Option {
  const option = new Option(syntax, summary);
  if (choices) option.choices(choices);
  if (repeatable === true) option.argParser((value, earlier: string[] | undefined) => [...(earlier ?? []), value]);
  return option;
}

function helpAfter({ examples, exits }: Command): string {
  const shown = examples.map(([line, purpose]) => `  # ${purpose}\n  $ ${line}\n`).join('\n');
  const codes = [...exits].sort((a, b) => a - b).map((code) => `  ${String(code).padEnd(4)} ${EXITS[code]}\n`);
  return `\nExamples:\n${shown}\nExit codes:\n${codes.join('')}`.trimEnd();
}

/** The arguments behind the options of every command; none where anything else comes first. */
function fromCommandOn(argv: readonly string[]): readonly string[] {
  let at = 0;
  for (let word = argv[at]; word?.startsWith('-'); word = argv[at]) {
    const [flag, value] = word.split('=');
    const option = Object.values(GLOBAL_OPTIONS).find(({ syntax }) => syntax.split(/[ ,]+/).includes(flag!));
    if (!option) return [];
    at += option.syntax.includes('<') && value === undefined ? 2 : 1;
  }
  return argv.slice(at);
}

/** `help log` is `log --help`; an unknown command after `help` is an unknown command. Help never runs one: options end what it is asked for. */
function argvForHelp(argv: readonly string[]): string[] {
  const [first, ...rest] = argv;
  if (first !== 'help' || rest.length === 0 || rest[0]!.startsWith('-')) return [...argv];
  const option = rest.findIndex((word) => word.startsWith('-'));
  const asked = option < 0 ? rest : rest.slice(0, option);
  return findCommand(asked) ?? Object.hasOwn(FAMILIES, asked.join(' ')) ? [...asked, '--help'] : asked;
}
