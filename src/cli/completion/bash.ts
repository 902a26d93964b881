/** Completion for bash: one function that finds the command on the line and offers what can follow. */
import { families, firstWords, quoted, type CompletedCommand, type CompletedValue } from './model.ts';

export function bashCompletion(commands: readonly CompletedCommand[]): string {
  const first = firstWords(commands);
  const options = commands.flatMap((command) => command.options).filter(({ value }) => value !== undefined);
  const valued = unique(options.flatMap(({ flags }) => flags)).join('|');
  const values = unique(options.map(({ flags, value }) => `    ${flags.join('|')}) ${offer(value!)}; return ;;`));
  const held = [...families(commands)].map(([family, members]) => `    ${family}) ${offer(members)} ;;`);
  const known = commands.map(({ name, options: own, argument }) => {
    const flags = quoted(own.flatMap((option) => option.flags).join(' '));
    return `    ${quoted(name)}) case "$current" in -*) COMPREPLY=($(compgen -W ${flags} -- "$current")) ;; *) ${offer(argument)} ;; esac ;;`;
  });
  return `# bash completion for memgit. In ~/.bashrc: source <(memgit completion bash)
_memgit() {
  local current="\${COMP_WORDS[COMP_CWORD]}" command='' word skip=''
  COMPREPLY=()
  case "\${COMP_WORDS[COMP_CWORD - 1]}" in
${values.join('\n')}
  esac
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD - 1}"; do
    if [ -n "$skip" ]; then skip=''; continue; fi
    case "$word" in
      ${valued}) skip=1 ;;
      -*) ;;
      *) case "$command" in
        ${['help', ...families(commands).keys()].join('|')}) command="$command $word" ;;
        '') command="$word" ;;
      esac ;;
    esac
  done
  case "$command" in
    '') ${offer(first)} ;;
    help) ${offer(first)} ;;
${[...held, ...known].join('\n')}
  esac
}
complete -F _memgit memgit
`;
}

function offer(value: CompletedValue): string {
  if (value === 'unknown') return ':';
  if (value === 'file') return 'compopt -o filenames; COMPREPLY=($(compgen -f -- "$current"))';
  return value.length === 0 ? ':' : `COMPREPLY=($(compgen -W ${quoted(value.join(' '))} -- "$current"))`;
}

function unique(lines: readonly string[]): string[] {
  return [...new Set(lines)];
}
