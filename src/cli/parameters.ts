/** The kinds of arguments and options that commands take. */
import { MemgitError } from '../errors.ts';
import type { Parameter } from './command.ts';

/** An argument that must be there. */
export function required(name: string, summary: string): Parameter<string> {
  return { syntax: `<${name}>`, summary, read: (typed) => typed as string };
}

export function optional(name: string, summary: string): Parameter<string | undefined> {
  return { syntax: `[${name}]`, summary, read: (typed) => typed as string | undefined };
}

/** Any number of arguments, none included. */
export function rest(name: string, summary: string): Parameter<readonly string[]> {
  return { syntax: `[${name}...]`, summary, read: (typed) => (typed ?? []) as readonly string[] };
}

export function flag(syntax: string, summary: string): Parameter<boolean> {
  return { syntax, summary, read: (typed) => typed === true };
}

export function text(syntax: string, summary: string): Parameter<string | undefined> {
  return { syntax, summary, read: (typed) => typed as string | undefined };
}

export function texts(syntax: string, summary: string): Parameter<readonly string[]> {
  return { syntax, summary, repeatable: true, read: (typed) => (typed ?? []) as readonly string[] };
}

export function count(syntax: string, summary: string, least = 0, most = 999_999_999): Parameter<number | undefined> {
  const read = (typed: unknown) => {
    if (typed === undefined) return undefined;
    const value = typeof typed === 'string' && /^\d{1,9}$/.test(typed) ? Number(typed) : NaN;
    if (!(value >= least && value <= most)) throw new MemgitError('INVALID_ARGUMENT', `${syntax}: expected a whole number, ${least} to ${most}`);
    return value;
  };
  return { syntax, summary, read };
}

export function choice<const C extends string>(syntax: string, summary: string, choices: readonly C[]): Parameter<C | undefined> {
  return { syntax, summary, choices, read: (typed) => typed as C | undefined };
}

export function requiredChoice<const C extends string>(name: string, summary: string, choices: readonly C[]): Parameter<C> {
  return { syntax: `<${name}>`, summary, choices, read: (typed) => typed as C };
}
