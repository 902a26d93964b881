/** `memgit completion`: the completion script of a shell. */
import { defineCommand, type Command } from '../command.ts';
import { bashCompletion } from '../completion/bash.ts';
import { fishCompletion } from '../completion/fish.ts';
import { completedCommands, type CompletedCommand } from '../completion/model.ts';
import { zshCompletion } from '../completion/zsh.ts';
import { OK } from '../exits.ts';
import { GLOBAL_OPTIONS } from '../globals.ts';
import { requiredChoice } from '../parameters.ts';

const SCRIPTS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } satisfies Record<string, (commands: readonly CompletedCommand[]) => string>;

/** @param all every command, this one included, once they are all known */
export function completionOf(all: () => readonly Command[]): Command {
  return defineCommand({
    name: 'completion',
    group: 'Shell',
    summary: 'Print a completion script',
    args: { shell: requiredChoice('shell', 'bash, zsh or fish', ['bash', 'zsh', 'fish']) },
    options: {},
    examples: [
      ['source <(memgit completion bash)', 'complete commands and flags in this bash; put the line into ~/.bashrc'],
      ['memgit completion fish | source', 'the same for fish'],
    ],
    exits: [0, 1, 2],
    run: async ({ out }, { shell }) => {
      await out.write(SCRIPTS[shell](completedCommands(all(), Object.values(GLOBAL_OPTIONS))));
      return OK;
    },
  });
}
