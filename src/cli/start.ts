#!/usr/bin/env node
/** The `memgit` program, as it is started: loads the command line, main.ts, and ends with its exit code. */
import { join } from 'node:path';
import { CompiledProgram } from './compiled-program.ts';
import type * as Main from './main.ts';
import { userFolder } from './user-folder.ts';

const MAIN = join(import.meta.dirname, 'chunks/cli-main.cjs');

// As node's own cache of compiled code is switched off.
const keepsCode = (process.env['NODE_DISABLE_COMPILE_CACHE'] ?? '') === '';
const program = new CompiledProgram(MAIN, keepsCode ? userFolder(process.env, 'XDG_CACHE_HOME') : undefined);
const { main } = program.load(MAIN) as typeof Main;
// Stays where `main` never comes to an end, and node goes when nothing is left to wait for.
process.exitCode = 1;
void main().then(({ exit, command }) => {
  if (exit === 0 && command !== undefined) program.keep(command);
  process.exit(exit);
});
