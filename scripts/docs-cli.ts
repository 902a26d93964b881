/** Writes docs/CLI.md; a test tells when it is out of date. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { cliReference } from './cli-reference.ts';

mkdirSync('docs', { recursive: true });
writeFileSync('docs/CLI.md', cliReference());
