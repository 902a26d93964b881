#!/usr/bin/env node
/** The `memgit` program: hands the process's streams and signals to `run` and ends with the exit code that it returns. */
import { run } from './program.ts';
import { processIo } from './process-io.ts';

// Stays where `run` never comes to an end, and node goes when nothing is left to wait for.
process.exitCode = 1;
void run(process.argv.slice(2), processIo()).then((exit) => process.exit(exit));
