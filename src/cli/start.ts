#!/usr/bin/env node
/** The `memgit` program, as it is started: loads the command line, main.ts, and ends with its exit code. */
import { isAbsolute, join } from 'node:path';
import { CompiledProgram } from './compiled-program.ts';
import type * as Main from './main.ts';

const MAIN = join(import.meta.dirname, 'chunks/cli-main.cjs');

const program = new CompiledProgram(MAIN, codeFolder(process.env));
const { main } = program.load(MAIN) as typeof Main;
// Stays where `main` never comes to an end, and node goes when nothing is left to wait for.
process.exitCode = 1;
void main().then(({ exit, command }) => {
  if (exit === 0) program.keep(command ?? 'help');
  process.exit(exit);
});

/** `$XDG_CACHE_HOME/memgit`; `undefined` where there is no such place, or node is told to keep no code. */
function codeFolder({ NODE_DISABLE_COMPILE_CACHE: disabled = '', XDG_CACHE_HOME: caches = '', HOME: home = '' }: NodeJS.ProcessEnv): string | undefined {
  if (disabled !== '') return undefined;
  // From a relative path, what is run would depend on the folder that somebody happens to stand in.
  if (isAbsolute(caches)) return join(caches, 'memgit');
  return isAbsolute(home) ? join(home, '.cache/memgit') : undefined;
}
