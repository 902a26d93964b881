/** Hands the process's arguments, streams and signals to `run`. What node loads first is start.ts. */
import { processIo } from './process-io.ts';
import { run, type Ran } from './program.ts';

export async function main(): Promise<Ran> {
  return run(process.argv.slice(2), processIo());
}
