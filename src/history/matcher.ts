/**
 * Looks for a pattern in lines of text. A regular expression runs where it can be stopped: one that backtracks without end on
 * some memory's text must not hold the program that searches it.
 */
import { createContext, Script, type Context } from 'node:vm';
import { MemgitError } from '../errors.ts';

/** Far more than any sane pattern takes for one file. */
const TIMEOUT_MS = 2_000;

const SEARCH = new Script('lines.flatMap((line, i) => { pattern.lastIndex = 0; return pattern.test(line) ? [i] : []; })');

export class Matcher {
  readonly #literal: string | undefined;
  readonly #context: Context | undefined;

  /** @throws INVALID_ARGUMENT for an empty text, which would match everything */
  constructor(pattern: string | RegExp) {
    if (pattern === '') throw new MemgitError('INVALID_ARGUMENT', 'expected a text or a pattern to look for, got an empty one');
    if (typeof pattern === 'string') this.#literal = pattern;
    else this.#context = createContext({ pattern, lines: [] });
  }

  /** Returns the indexes of the lines that match. @throws INVALID_ARGUMENT when the pattern takes too long */
  matchingLines(lines: readonly string[]): number[] {
    const literal = this.#literal;
    if (literal !== undefined) return lines.flatMap((line, i) => (line.includes(literal) ? [i] : []));
    const context = this.#context!;
    context['lines'] = lines;
    try {
      return [...(SEARCH.runInContext(context, { timeout: TIMEOUT_MS }) as number[])];
    } catch (cause) {
      // The other end that such a pattern can come to is the stack's.
      if ((cause as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT' && (cause as Error).name !== 'RangeError') throw cause;
      throw new MemgitError('INVALID_ARGUMENT', 'expected a pattern that finds its way through a text, got one that takes too long; make it simpler', { cause });
    }
  }
}
