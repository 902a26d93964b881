/** Reads what an option such as `--handoff-file` names: a file of this machine, or stdin. */
import { readFile } from 'node:fs/promises';
import { MemgitError } from '../errors.ts';
import type { Context } from './context.ts';

/** @param file its path; `-` is stdin. @throws INVALID_ARGUMENT when it cannot be read */
export async function readInput({ io }: Context, file: string): Promise<string> {
  if (file === '-') return io.readStdin();
  return readFile(file, 'utf8').catch((cause: unknown) => {
    throw new MemgitError('INVALID_ARGUMENT', `expected a file at ${file}, found none that can be read`, { cause });
  });
}
