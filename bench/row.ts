/** One row of the table: a job, what memgit takes for it, and how that compares with each rival and with each limit. */
import type { Figure } from './measure.ts';

export type Unit = 'ms' | 'bytes' | 'per second' | 'count';

export interface Comparison {
  readonly rival: string;
  readonly figure: Figure | undefined;
  /** memgit's median over the rival's. */
  readonly ratio: number | undefined;
  /** In words; `undefined` when the rival is only shown. */
  readonly target: string | undefined;
  readonly met: boolean | undefined;
}

export interface Row extends Notes {
  readonly job: string;
  readonly unit: Unit;
  readonly memgit: Figure | undefined;
  readonly comparisons: readonly Comparison[];
}

export interface Notes {
  /** Anything that belongs beside the figures, and why something could not be measured. */
  readonly remark?: string;
  /** What was tried for the target, what was measured, and why it stops there: to be told whenever a target of the row is missed. */
  readonly shortfall?: string;
}

/** A row whose comparisons are all about medians. */
export function row(job: string, unit: Unit, memgit: Figure, comparisons: readonly ((memgit: Figure) => Comparison)[], notes: Notes = {}): Row {
  return { job, unit, memgit, comparisons: comparisons.map((compare) => compare(memgit)), ...notes };
}

/** A job that was not measured. */
export function skipped(job: string, reason: string): Row {
  return { job, unit: 'ms', memgit: undefined, comparisons: [], remark: `skipped: ${reason}` };
}

/** memgit's median is to be at most `factor` times the rival's. */
export function atMostTimes(rival: string, figure: Figure, factor: number): (memgit: Figure) => Comparison {
  return ({ median }) => comparison(rival, figure, median, `at most ${factor} x`, median <= figure.median * factor);
}

/** memgit's median is to be at least `factor` times smaller than the rival's. */
export function smallerThan(rival: string, figure: Figure, factor: number): (memgit: Figure) => Comparison {
  return ({ median }) => comparison(rival, figure, median, `at least ${factor} x less`, median * factor <= figure.median);
}

/** memgit's median is to be at least `factor` times the rival's: for what counts the more the better. */
export function atLeastTimes(rival: string, figure: Figure, factor: number): (memgit: Figure) => Comparison {
  return ({ median }) => comparison(rival, figure, median, `at least ${factor} x`, median >= figure.median * factor);
}

/** memgit's median is to be at most so much over the rival's. */
export function atMostOver(rival: string, figure: Figure, extra: number): (memgit: Figure) => Comparison {
  return ({ median }) => comparison(rival, figure, median, `at most + ${extra}`, median <= figure.median + extra);
}

/** At most `factor` times what the rival takes; or `extra` more, where the rival takes under `short`. */
export function atMostTimesOrOver(rival: string, figure: Figure, { factor, extra, short = Infinity }: { factor: number; extra: number; short?: number }): (memgit: Figure) => Comparison {
  const limit = Math.max(figure.median * factor, figure.median < short ? figure.median + extra : 0);
  return ({ median }) => comparison(rival, figure, median, `at most ${factor} x or + ${extra}`, median <= limit);
}

/** A limit that is no rival's. */
export function atMost(limit: number): (memgit: Figure) => Comparison {
  return ({ median }) => ({ rival: 'limit', figure: undefined, ratio: undefined, target: `at most ${limit.toLocaleString('en')}`, met: median <= limit });
}

/** Only for comparison. */
export function shown(rival: string, figure: Figure): (memgit: Figure) => Comparison {
  return ({ median }) => comparison(rival, figure, median, undefined, undefined);
}

function comparison(rival: string, figure: Figure, memgit: number, target: string | undefined, met: boolean | undefined): Comparison {
  return { rival, figure, ratio: memgit / figure.median, target, met };
}
