/** Checks of what callers of the library pass, for what types cannot say and JavaScript does not: a misspelt choice must not be taken for another one. */
import { resolve } from 'node:path';

/** @throws TypeError */
export function assertOneOf(name: string, value: unknown, choices: readonly string[]): void {
  if (value === undefined || choices.some((choice) => choice === value)) return;
  throw new TypeError(`${name}: expected ${choices.map((choice) => `'${choice}'`).join(' or ')}`);
}

/** @throws RangeError, TypeError for anything but a number */
export function assertWholeNumber(name: string, value: unknown, least: number, most = Number.MAX_SAFE_INTEGER): void {
  if (value === undefined || (Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most)) return;
  const message = `${name}: expected a whole number, ${least} ${most === Number.MAX_SAFE_INTEGER ? 'or more' : `to ${most}`}`;
  throw typeof value === 'number' ? new RangeError(message) : new TypeError(message);
}

/** @throws TypeError */
export function assertText(name: string, value: unknown): void {
  if (typeof value !== 'string') throw new TypeError(`${name}: expected text, got ${kindOf(value)}`);
}

/** @throws TypeError, also for a text: what is meant to be a list is none of its letters */
export function assertTexts(name: string, value: unknown): void {
  if (!Array.isArray(value)) throw new TypeError(`${name}: expected a list of texts, got ${kindOf(value)}`);
  for (const item of value) assertText(name, item);
}

/** @throws TypeError */
export function assertObject(name: string, value: unknown): void {
  if (typeof value !== 'object' || value === null) throw new TypeError(`${name}: expected an object, got ${kindOf(value)}`);
}

/** @throws TypeError */
export function assertPattern(name: string, value: unknown): void {
  if (typeof value !== 'string' && !(value instanceof RegExp)) throw new TypeError(`${name}: expected text or a RegExp, got ${kindOf(value)}`);
}

/** @throws TypeError */
export function assertTime(name: string, value: unknown): void {
  if (typeof value !== 'string' && !(value instanceof Date)) throw new TypeError(`${name}: expected text or a Date, got ${kindOf(value)}`);
}

/** A timer of node that is set for longer fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** @throws RangeError, TypeError */
export function assertPatience({ timeoutMs, retries }: { readonly timeoutMs?: unknown; readonly retries?: unknown }): void {
  assertWholeNumber('timeoutMs', timeoutMs, 1, MAX_TIMER_MS);
  assertWholeNumber('retries', retries, 0);
}

function kindOf(value: unknown): string {
  return value === null ? 'null' : typeof value;
}

/** A path of the host that stays what it is when the process changes its folder. @throws TypeError */
export function absolutePath(name: string, path: unknown): string {
  if (typeof path !== 'string' || path === '') throw new TypeError(`${name}: expected the path of a folder`);
  return resolve(path);
}
