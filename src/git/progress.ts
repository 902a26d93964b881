/** Reads the progress that git prints on its stderr, which for a remote's part begins with `remote: `. */
import type { TransferProgress } from './transport.ts';

const LINE = /(?:^|[\r\n])(?:remote: )?([A-Z][a-z]+(?: [a-z]+)*):\s+(?:\d+% \((\d+)\/(\d+)\)|(\d+))/g;

/** Returns the last state in a piece of output; `undefined` when there is none. */
export function readProgress(text: string): TransferProgress | undefined {
  const [, phase, done, total, count] = [...text.matchAll(LINE)].at(-1) ?? [];
  if (phase === undefined) return undefined;
  return { phase: phase.toLowerCase(), done: Number(done ?? count), total: total === undefined ? undefined : Number(total) };
}
