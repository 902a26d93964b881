/**
 * Runs a TypeScript program of this repository: `node scripts/run-ts.mjs bench/main.ts [argument...]`.
 * Node 20 cannot by itself. The program sees its arguments from argv[2] on, and the folder that it was started in.
 */
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const entry = process.argv[2];
if (entry === undefined) throw new TypeError('expected the path of a TypeScript program, got none');

// Inside node_modules, so that the packages which stay outside the bundle are found from there.
const outfile = join(import.meta.dirname, '../node_modules/.cache/memgit', `${basename(entry, '.ts')}.mjs`);
await build({
  entryPoints: [entry],
  outfile,
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  format: 'esm',
  packages: 'external',
  sourcemap: 'inline',
});
process.argv.splice(1, 2, resolve(entry));
await import(pathToFileURL(outfile).href);
