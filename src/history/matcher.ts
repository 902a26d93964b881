/**
 * Looks for a pattern in lines of text. A regular expression runs where it can be stopped: one that backtracks without end on
 * some memory's text must not hold the program that searches it. Nor must such a text, which a model may have written to that end,
 * keep the others from being searched: it is passed over, and in the end that is an error.
 */
import { createContext, Script, type Context } from 'node:vm';
import { MemgitError } from '../errors.ts';

/** Far more than any sane pattern takes for one file. */
const TIMEOUT_MS = 2_000;
/** For the texts after the first few that took longer: many were made to take long. */
const SHORT_TIMEOUT_MS = 200;
const PATIENCE = 5;

const SEARCH = new Script('lines.flatMap((line, i) => { pattern.lastIndex = 0; return pattern.test(line) ? [i] : []; })');

export class Matcher {
  readonly #literal: string | undefined;
  readonly #context: Context | undefined;
  #passedOver = 0;

  /** @throws INVALID_ARGUMENT for an empty text, which would match everything */
  constructor(pattern: string | RegExp) {
    if (pattern === '') throw new MemgitError('INVALID_ARGUMENT', 'expected a text or a pattern to look for, got an empty one');
    if (typeof pattern === 'string') this.#literal = pattern;
    else this.#context = createContext({ pattern, lines: [] });
  }

  /** Returns the indexes of the lines that match; `undefined` when the pattern takes too long. */
  matchingLines(lines: readonly string[]): number[] | undefined {
    const literal = this.#literal;
    if (literal !== undefined) return lines.flatMap((line, i) => (line.includes(literal) ? [i] : []));
    const context = this.#context!;
    context['lines'] = lines;
    try {
      return [...(SEARCH.runInContext(context, { timeout: this.#passedOver < PATIENCE ? TIMEOUT_MS : SHORT_TIMEOUT_MS }) as number[])];
    } catch (error) {
      // The other end that such a pattern can come to is the stack's.
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT' && (error as Error).name !== 'RangeError') throw error;
      this.#passedOver += 1;
      return undefined;
    }
  }

  /** @throws INVALID_ARGUMENT when the pattern took too long for a text */
  finish(): void {
    if (this.#passedOver === 0) return;
    throw new MemgitError('INVALID_ARGUMENT', `expected a pattern that finds its way through every text, got one that takes too long for ${this.#passedOver} of them; make it simpler`, {
      details: { passedOver: this.#passedOver },
    });
  }
}
