/**
 * The room of `diff`: how two texts differ, line by line. A line keeps its LF, so that a text is its lines joined and a missing
 * final newline is a difference like any other. The effort is bounded: where texts have next to nothing in common the answer
 * is one edit that replaces all of what differs, which is always right and never slow.
 */
import { diffArrays } from 'diff';
import { utf8Decode, type Bytes } from '../bytes.ts';

/** `oldCount` lines from `oldStart` on became `newCount` lines from `newStart` on; counted from 0, not both counts 0. */
export interface LineEdit {
  readonly oldStart: number;
  readonly oldCount: number;
  readonly newStart: number;
  readonly newCount: number;
}

/** Finding a shortest edit takes time and memory that grow with the square of this. */
const MAX_EDIT_LENGTH = 2_500;
/** A text of more lines is handled as if it were binary: it differs or it does not. */
export const MAX_LINES = 1_000_000;

/**
 * The lines of a text; `undefined` for bytes that are not valid UTF-8, and for more lines than are handled. A NUL does not make
 * bytes less of a text, as it does to git: Claude is shown such a file, and could hide behind one what an auditor looks for.
 */
export function textLines(bytes: Bytes): string[] | undefined {
  const text = utf8Decode(bytes);
  if (text === undefined) return undefined;
  const lines: string[] = [];
  for (let at = 0; at < text.length; ) {
    if (lines.length === MAX_LINES) return undefined;
    const end = text.indexOf('\n', at) + 1 || text.length;
    lines.push(text.slice(at, end));
    at = end;
  }
  return lines;
}

/** As `textLines`, but none of what has a NUL: as git, a merge mixes no two versions of what may be no text after all. */
export function mergeableLines(bytes: Bytes): string[] | undefined {
  return bytes.includes(0) ? undefined : textLines(bytes);
}

/** The edits that turn one text into the other, in order, none touching the next. */
export function diffLines(before: readonly string[], after: readonly string[]): LineEdit[] {
  const most = Math.min(before.length, after.length);
  let prefix = 0;
  while (prefix < most && before[prefix] === after[prefix]) prefix += 1;
  let suffix = 0;
  while (suffix < most - prefix && before[before.length - 1 - suffix] === after[after.length - 1 - suffix]) suffix += 1;

  const old = before.slice(prefix, before.length - suffix);
  const fresh = after.slice(prefix, after.length - suffix);
  const found = findEdits(old, fresh);
  return slideDown(before, after, found.map((edit) => ({ ...edit, oldStart: edit.oldStart + prefix, newStart: edit.newStart + prefix })));
}

function findEdits(before: string[], after: string[]): LineEdit[] {
  const whole = { oldStart: 0, oldCount: before.length, newStart: 0, newCount: after.length };
  if (before.length === 0 && after.length === 0) return [];
  if (before.length === 0 || after.length === 0) return [whole];
  const chunks = diffArrays(before, after, { maxEditLength: MAX_EDIT_LENGTH });
  if (chunks === undefined) return [whole];

  const edits: LineEdit[] = [];
  let [oldAt, newAt] = [0, 0];
  let pending: LineEdit | undefined;
  for (const { added, removed, count } of chunks) {
    if (added || removed) {
      pending ??= { oldStart: oldAt, oldCount: 0, newStart: newAt, newCount: 0 };
      pending = removed ? { ...pending, oldCount: pending.oldCount + count } : { ...pending, newCount: pending.newCount + count };
    } else if (pending) {
      edits.push(pending);
      pending = undefined;
    }
    if (!added) oldAt += count;
    if (!removed) newAt += count;
  }
  if (pending) edits.push(pending);
  return edits;
}

/**
 * Lines that came or went among equal ones could be any of them. Like git, the last ones are named, so that two diffs of one
 * text agree about where they touch it.
 */
function slideDown(before: readonly string[], after: readonly string[], edits: readonly LineEdit[]): LineEdit[] {
  const slid: LineEdit[] = [];
  // From the last edit up: how far one may slide depends on where the next one has come to rest.
  for (const edit of edits.toReversed()) {
    let { oldStart, oldCount, newStart, newCount } = edit;
    const next = slid.at(-1);
    const limit = next?.oldStart ?? before.length;
    if (oldCount === 0 || newCount === 0) {
      const [lines, start, count] = oldCount === 0 ? [after, newStart, newCount] : [before, oldStart, oldCount];
      let by = 0;
      while (oldStart + oldCount + by < limit && lines[start + by] === lines[start + count + by]) by += 1;
      oldStart += by;
      newStart += by;
    }
    if (next?.oldStart === oldStart + oldCount) {
      oldCount += next.oldCount;
      newCount += next.newCount;
      slid.pop();
    }
    slid.push({ oldStart, oldCount, newStart, newCount });
  }
  return slid.reverse();
}
