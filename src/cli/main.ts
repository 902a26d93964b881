#!/usr/bin/env node
/** The `memgit` command: prints its usage until there are commands. */
process.stdout.write('Usage: memgit <command>\n');
