/** Reads what an option such as `--handoff-file` names: a file of this machine, or stdin. */
import { readFile } from 'node:fs/promises';
import type { Context } from './context.ts';

/** @param file its path; `-` is stdin */
export async function readInput({ io }: Context, file: string): Promise<string> {
  return file === '-' ? io.readStdin() : readFile(file, 'utf8');
}
