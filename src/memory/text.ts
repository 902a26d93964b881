/**
 * Pure string work of the six commands: lines, numbering, sizes, replacing, inserting. Lines end at LF and nowhere else;
 * a final newline ends the last line and does not begin another; the empty text is one empty line.
 * Knows no paths, no snapshots and no sentences.
 */

/** The most characters (code points) of a file that one view shows. */
export const VIEW_CHARACTERS_MAX = 16_000;

/** The most occurrences that are looked for once a text is known to be ambiguous: bounds the reply and the search. */
export const OCCURRENCES_MAX = 1_000;

export function splitLines(text: string): string[] {
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}

/** How many lines `splitLines` gives, without making them. */
export function countLines(text: string): number {
  return 1 + countNewlines(text, 0, text.length - (text.endsWith('\n') ? 1 : 0));
}

/** What `splitLines` gives from one line to another, counted from 1, but no more of it than one view could show. */
export function linesWithin(text: string, first: number, last: number): string[] {
  const start = endOfLines(text, 0, first - 1, '\n');
  // So many lines fit even when they are all empty: between two there is a newline.
  const count = Math.min(last - first + 1, VIEW_CHARACTERS_MAX + 1);
  return splitLines(text.slice(start, endOfLines(text, start, count, '\n')));
}

/** `%6d\t` before each line, counting from `first`. */
export function numberLines(lines: readonly string[], first: number): string {
  return lines.map((line, index) => `${String(first + index).padStart(6)}\t${line}`).join('\n');
}

/** `0B`, `512B`, `4.0K`, `1.2M`: whole bytes, then one decimal of the largest unit that keeps the number below 1024. */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes}B`;
  let size = bytes;
  for (const unit of 'KMG') {
    size /= 1024;
    // Compared as it will be printed, so that 1,048,575 bytes are 1.0M and not 1024.0K.
    if (unit === 'G' || Number(size.toFixed(1)) < 1024) return `${size.toFixed(1)}${unit}`;
  }
  throw new RangeError(`expected a number of bytes, got ${bytes}`);
}

/** What of some lines fits one view. */
export interface Excerpt {
  readonly lines: readonly string[];
  /** Set when the first line alone is too long and was cut: its whole length in code points. */
  readonly cutLineLength?: number;
}

/** As many whole lines from the first on as `VIEW_CHARACTERS_MAX` allows, newlines counted; a first line that is too long is cut. */
export function fitView(lines: readonly string[]): Excerpt {
  let room = VIEW_CHARACTERS_MAX;
  for (const [index, line] of lines.entries()) {
    const length = countCodePoints(line);
    if (index === 0 && length > room) return { lines: [cutCodePoints(line, room)], cutLineLength: length };
    room -= index === 0 ? length : length + 1;
    if (room < 0) return { lines: lines.slice(0, index) };
  }
  return { lines };
}

/** Where a text occurs: offsets into the whole text, and the line that each begins on. Overlapping ones count. */
export interface Occurrences {
  readonly offsets: readonly number[];
  readonly lines: readonly number[];
  /** False when the search stopped before the end of the text. */
  readonly complete: boolean;
}

/**
 * Searches as Knuth, Morris and Pratt do, each character of either text once or twice: `indexOf` begins anew at each place, and a
 * long text of few different characters, looked for in another such, holds it for minutes.
 *
 * @param wanted not empty
 */
export function findOccurrences(text: string, wanted: string): Occurrences {
  const offsets: number[] = [];
  const lines: number[] = [];
  const borders = bordersOf(wanted);
  let line = 1;
  let newline = text.indexOf('\n');
  for (let end = 0, matched = 0; end < text.length; end++) {
    matched = matchNext(wanted, borders, matched, text.charCodeAt(end));
    if (matched < wanted.length) continue;
    if (offsets.length === OCCURRENCES_MAX) return { offsets, lines, complete: false };
    const at = end + 1 - wanted.length;
    for (; newline !== -1 && newline < at; newline = text.indexOf('\n', newline + 1)) line++;
    offsets.push(at);
    lines.push(line);
    matched = borders[matched - 1]!;
  }
  return { offsets, lines, complete: true };
}

/** For each beginning of a text: how long the longest is that it also ends with, itself left out. */
function bordersOf(text: string): Int32Array {
  const borders = new Int32Array(text.length);
  for (let end = 1; end < text.length; end++) borders[end] = matchNext(text, borders, borders[end - 1]!, text.charCodeAt(end));
  return borders;
}

/** How much of the beginning of `wanted` ends at a character, when `matched` of it, and not all, ended at the one before. */
function matchNext(wanted: string, borders: Int32Array, matched: number, character: number): number {
  let length = matched;
  while (length > 0 && wanted.charCodeAt(length) !== character) length = borders[length - 1]!;
  return wanted.charCodeAt(length) === character ? length + 1 : length;
}

/** Puts `replacement` where `length` characters from `offset` stood. */
export function replaceAt(text: string, offset: number, length: number, replacement: string): string {
  return text.slice(0, offset) + replacement + text.slice(offset + length);
}

/** The numbered lines around `length` characters at `offset`: every line they touch, two before and two after. */
export function snippetAround(text: string, offset: number, length: number): string {
  const first = 1 + countNewlines(text, 0, offset);
  // A change that ends in a newline ends on the line which that newline closes.
  const last = first + countNewlines(text, offset, offset + Math.max(0, length - 1));
  const from = Math.max(1, first - 2);
  const start = endOfLines(text, 0, from - 1, '\n');
  return numberLines(splitLines(text.slice(start, endOfLines(text, start, last + 3 - from, '\n'))), from);
}

/** Makes `insertion`, less one final newline, lines of their own after line `after`; keeps how the text breaks and ends. */
export function insertLines(text: string, after: number, insertion: string): string {
  const newline = usesCrlf(text) ? '\r\n' : '\n';
  const matched = matchLineBreaks(text, insertion);
  const added = matched.endsWith(newline) ? matched.slice(0, -newline.length) : matched;
  if (text === '') return added;
  const ending = text.endsWith(newline) ? newline : '';
  if (after === 0) return added + newline + text;
  const end = endOfLines(text, 0, after, newline);
  const before = text.slice(0, end);
  // The last line may have no line break, which now is between it and what comes.
  return before.endsWith(newline) ? `${before}${added}${end < text.length || ending !== '' ? newline : ''}${text.slice(end)}` : `${before}${newline}${added}`;
}

/** Whether every line break of the text is CRLF, and there is one. */
export function usesCrlf(text: string): boolean {
  return text.includes('\n') && !/(?<!\r)\n/.test(text);
}

/** `addition` with the line breaks of `text`: CRLF when that has no other, untouched otherwise. */
export function matchLineBreaks(text: string, addition: string): string {
  return usesCrlf(text) ? addition.replace(/\r?\n/g, '\r\n') : addition;
}

/** The first `limit` code points: never half a surrogate pair, which no request could carry. */
export function cutCodePoints(text: string, limit: number): string {
  let end = 0;
  for (let left = limit; left > 0 && end < text.length; left--) end += codeUnitsAt(text, end);
  return text.slice(0, end);
}

export function countCodePoints(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += codeUnitsAt(text, at)) count++;
  return count;
}

function codeUnitsAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}

/** Where the line break after so many lines from `from` on ends, or the text. */
function endOfLines(text: string, from: number, lines: number, newline: string): number {
  let at = from;
  for (let left = lines; left > 0; left -= 1) {
    const found = text.indexOf(newline, at);
    if (found < 0) return text.length;
    at = found + newline.length;
  }
  return at;
}

function countNewlines(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at !== -1 && at < to; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
