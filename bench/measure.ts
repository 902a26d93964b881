/**
 * Times jobs against each other. All contenders of a job take turns within one run, so that whatever else the machine does
 * meets them alike; the first rounds only warm up.
 */

/** Milliseconds, or whatever unit the row says. */
export interface Figure {
  readonly median: number;
  readonly p95: number;
}

/** Does the job once; what has to be prepared for it, and is not part of it, is done by `before`. */
export interface Contender {
  readonly before?: () => Promise<void>;
  readonly run: () => Promise<unknown>;
}

export interface Rounds {
  readonly count: number;
  readonly warmup?: number;
}

export async function takeTurns<K extends string>({ count, warmup = 2 }: Rounds, contenders: Readonly<Record<K, Contender>>): Promise<Record<K, Figure>> {
  const entries = Object.entries<Contender>(contenders) as [K, Contender][];
  const times = new Map<K, number[]>(entries.map(([name]) => [name, []]));
  for (let round = -warmup; round < count; round += 1) {
    // Forth and back, so that nobody always runs right after the same one.
    for (const [name, { before, run }] of round % 2 === 0 ? entries : entries.toReversed()) {
      await before?.();
      const started = performance.now();
      await run();
      const elapsed = performance.now() - started;
      if (round >= 0) times.get(name)!.push(elapsed);
    }
  }
  return Object.fromEntries([...times].map(([name, values]) => [name, summarize(values)])) as Record<K, Figure>;
}

export function summarize(values: readonly number[]): Figure {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { median: at(0.5), p95: at(0.95) };
}

/** One measurement, such as a size. */
export function single(value: number): Figure {
  return { median: value, p95: value };
}
