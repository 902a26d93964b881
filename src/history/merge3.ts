/**
 * Merges two texts that come from a third, line by line. What only one side changed is taken from it; where both changed the
 * same or touching lines, and not alike, there is a conflict. Agrees with `git merge-file`, except where equal lines leave open
 * which of them changed. Built on the bounded diff, so that it takes no longer than two of those.
 */
import { diffLines, type LineEdit } from './lines.ts';

/** Which side a conflict is decided for: what is there now, or what is being brought in. */
export type Side = 'ours' | 'theirs';

/** Lines, LF included, that both sides changed. */
export interface ConflictRegion {
  /** Where the region begins in our text, counted from 1. */
  readonly line: number;
  readonly ours: readonly string[];
  readonly base: readonly string[];
  readonly theirs: readonly string[];
}

export interface Merge {
  /** With our lines, or those of `keep`, where there was a conflict. */
  readonly lines: readonly string[];
  readonly conflicts: readonly ConflictRegion[];
}

export function mergeLines(base: readonly string[], ours: readonly string[], theirs: readonly string[], keep: Side = 'ours'): Merge {
  const queues = { ours: diffLines(base, ours), theirs: diffLines(base, theirs) };
  const lines: string[] = [];
  const conflicts: ConflictRegion[] = [];
  const at = { base: 0, ours: 0, theirs: 0 };

  for (let region = nextRegion(queues); region; region = nextRegion(queues)) {
    const same = region.start - at.base;
    for (let i = 0; i < same; i += 1) lines.push(base[at.base + i]!);
    const changed = {
      ours: ours.slice(at.ours + same, at.ours + same + region.end - region.start + growth(region.ours)),
      theirs: theirs.slice(at.theirs + same, at.theirs + same + region.end - region.start + growth(region.theirs)),
    };
    let taken: Side = region.ours.length > 0 ? 'ours' : 'theirs';
    if (region.ours.length > 0 && region.theirs.length > 0 && !equalLines(changed.ours, changed.theirs)) {
      conflicts.push({ line: at.ours + same + 1, ...changed, base: base.slice(region.start, region.end) });
      taken = keep;
    }
    for (const line of changed[taken]) lines.push(line);
    at.base = region.end;
    at.ours += same + changed.ours.length;
    at.theirs += same + changed.theirs.length;
  }
  for (let i = at.base; i < base.length; i += 1) lines.push(base[i]!);
  return { lines, conflicts };
}

/** Lines of the base from `start` to before `end`, and all edits that overlap or touch one another there. */
interface Region {
  readonly start: number;
  end: number;
  readonly ours: LineEdit[];
  readonly theirs: LineEdit[];
}

/** Takes the edits of the next region off the queues. */
function nextRegion(queues: Record<Side, LineEdit[]>): Region | undefined {
  const start = Math.min(queues.ours[0]?.oldStart ?? Infinity, queues.theirs[0]?.oldStart ?? Infinity);
  if (start === Infinity) return undefined;
  const region: Region = { start, end: start, ours: [], theirs: [] };
  for (let grown = true; grown; ) {
    grown = false;
    for (const side of ['ours', 'theirs'] as const) {
      for (let edit = queues[side][0]; edit && edit.oldStart <= region.end; edit = queues[side][0]) {
        region.end = Math.max(region.end, edit.oldStart + edit.oldCount);
        region[side].push(edit);
        queues[side].shift();
        grown = true;
      }
    }
  }
  return region;
}

function growth(edits: readonly LineEdit[]): number {
  return edits.reduce((sum, { oldCount, newCount }) => sum + newCount - oldCount, 0);
}

function equalLines(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, i) => line === b[i]);
}
