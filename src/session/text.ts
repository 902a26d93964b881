/** Cutting text for people and models to read, and the bounds on what a caller may write into the progress log. */
import { MemgitError } from '../errors.ts';

/** What stands where something was left out. */
const CUT = ' […]';

/** At most `limit` characters of a text, ending with a whole sentence; with a whole word where the first sentence is longer. */
export function cutAtSentence(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const room = Math.max(0, limit - CUT.length);
  const head = text.slice(0, room + 1);
  const sentences = /^[\s\S]*(?:[.!?…](?=\s)|\S(?=\n))/.exec(head)?.[0];
  const kept = sentences ?? /^[\s\S]*\S(?=\s)/.exec(head)?.[0] ?? '';
  const whole = kept.trimEnd();
  return `${whole}${whole.endsWith(CUT) ? '' : CUT}`.trimStart().slice(0, limit);
}

/** A text on one line, as headings and table cells need it. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/**
 * What a caller gives as text, trimmed.
 *
 * @throws TOO_LARGE when it is longer than `limit` characters; TypeError when it is no well-formed text
 */
export function boundedText(what: string, value: unknown, limit: number): string {
  if (typeof value !== 'string' || !value.isWellFormed()) throw new TypeError(`${what}: expected well-formed text`);
  const text = value.trim();
  if (text.length > limit) {
    throw new MemgitError('TOO_LARGE', `expected a ${what} of at most ${limit} characters, got ${text.length}; put the rest into a file of the memory`, {
      details: { field: what, limit },
    });
  }
  return text;
}

/** Like `boundedText`. @throws INVALID_ARGUMENT when nothing is left of it */
export function requiredText(what: string, value: unknown, limit: number): string {
  const text = boundedText(what, value, limit);
  if (text === '') throw new MemgitError('INVALID_ARGUMENT', `expected a ${what}, got an empty text; say it in a sentence`);
  return text;
}
