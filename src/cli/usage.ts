/** What the parser of arguments finds wrong, in memgit's own words and with what could be typed instead. */
import { COMMANDS, FAMILIES } from './commands/index.ts';
import { failureOfUsage, type Failure } from './failure.ts';

/** @param text the parser's own sentence. @param words what was typed, from the command on */
export function usageFailure(text: string, words: readonly string[]): Failure {
  const [message = '', nearest] = text.trim().replace(/^error: |\.$/g, '').split(/\n\((?=Did you mean)/);
  const near = nearest?.replace(/^Did/, 'did').replace(/\)$/, '');
  return failureOfUsage(reworded(message), near ?? (message.startsWith('unknown command') ? whatThereIs(words) : undefined));
}

function whatThereIs([first = '']: readonly string[]): string {
  if (!Object.hasOwn(FAMILIES, first)) return '`memgit help` lists the commands';
  return `the commands are ${listed(COMMANDS.flatMap(({ name }) => (name.startsWith(`${first} `) ? [name] : [])), 'and')}`;
}

function reworded(message: string): string {
  const choice = /^(?:option '(.*)' argument|command-argument value) '([^]*)' is invalid(?: for argument '(.*)')?\. Allowed choices are (.*)$/.exec(message);
  if (choice) return `${choice[1] ?? choice[3]!}: expected ${listed(choice[4]!.split(', '), 'or')}, got '${choice[2]!}'`;
  const many = /^too many arguments for '(.*)'\. Expected (\d+) arguments? but got (\d+)$/.exec(message);
  if (many) return `too many arguments for ${many[1]!}: expected ${many[2] === '0' ? 'none' : `at most ${many[2]!}`}, got ${many[3]!}`;
  return message;
}

function listed(names: readonly string[], joint: 'and' | 'or'): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} ${joint} ${names.at(-1)!}`;
}
