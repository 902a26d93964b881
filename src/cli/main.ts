#!/usr/bin/env node
/** The `memgit` program: hands the process's streams and signals to `run` and ends with the exit code that it returns. */
import { run } from './program.ts';
import { processIo } from './process-io.ts';

void run(process.argv.slice(2), processIo()).then((exit) => process.exit(exit));
