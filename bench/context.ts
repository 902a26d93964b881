/** What every group of rows is given: how large to make things, where to work, and how to say what is going on. */
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type Scale = 'quick' | 'normal' | 'full';

export interface Context {
  readonly scale: Scale;
  /** On the disk that is measured. */
  readonly dir: string;
  /** For what is only built, never measured: in memory where that is possible. */
  readonly scratch: string;
  readonly say: (text: string) => void;
}

export function makeContext(scale: Scale, say: (text: string) => void): Context {
  const inMemory = '/dev/shm';
  return {
    scale,
    dir: mkdtempSync(join(tmpdir(), 'memgit-bench-')),
    scratch: mkdtempSync(join(existsSync(inMemory) ? inMemory : tmpdir(), 'memgit-bench-')),
    say,
  };
}

/** One of three numbers. */
export function sized({ scale }: Context, quick: number, normal: number, full = normal): number {
  return { quick, normal, full }[scale];
}
