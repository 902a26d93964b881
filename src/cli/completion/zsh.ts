/** Completion for zsh, by its `_arguments`. */
import { families, firstWords, quoted, type CompletedCommand, type CompletedOption, type CompletedValue } from './model.ts';

export function zshCompletion(commands: readonly CompletedCommand[]): string {
  const held = families(commands);
  const described = firstWords(commands).map((word) => {
    const summary = commands.find(({ name }) => name === word)?.summary ?? (word === 'help' ? 'Print the help of a command' : held.get(word)?.join(', ') ?? '');
    return `    ${quoted(`${word}:${summary}`)}`;
  });
  const familyCases = [...held].map(([family, members]) => {
    const options = commands.filter(({ name }) => name.startsWith(`${family} `)).flatMap((command) => command.options);
    return caseOf(family, options, `'1:command:(${members.join(' ')})'`);
  });
  const cases = commands.filter(({ name }) => !name.includes(' ')).map(({ name, options, argument }) => caseOf(name, options, quoted(`*:argument:${action(argument)}`)));
  return `#compdef memgit
# zsh completion for memgit. In ~/.zshrc, after compinit: source <(memgit completion zsh)
_memgit() {
  local context state line
  local -a commands
  commands=(
${described.join('\n')}
  )
  _arguments -C '1:command:->command' '*::argument:->argument'
  case $state in
    command) _describe command commands ;;
    argument)
      case $words[1] in
        help) _describe command commands ;;
${[...familyCases, ...cases].join('\n')}
      esac ;;
  esac
}
compdef _memgit memgit
`;
}

function caseOf(name: string, options: readonly CompletedOption[], argument: string): string {
  const specs = [...new Set(options.flatMap(optionSpecs))];
  return `        ${name}) _arguments ${[...specs, argument].join(' ')} ;;`;
}

function optionSpecs({ flags, summary, value }: CompletedOption): string[] {
  const about = summary.replace(/[[\]:\\]/g, '\\$&');
  return flags.map((flag) => quoted(`${flag}[${about}]${value === undefined ? '' : `:value:${action(value)}`}`));
}

function action(value: CompletedValue): string {
  if (value === 'file') return '_files';
  return value === 'unknown' || value.length === 0 ? ' ' : `(${value.join(' ')})`;
}
