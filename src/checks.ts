/** Checks of what callers of the library pass, for what types cannot say and JavaScript does not: a misspelt choice must not be taken for another one. */
import { resolve } from 'node:path';

/** @throws TypeError */
export function assertOneOf(name: string, value: unknown, choices: readonly string[]): void {
  if (value === undefined || choices.some((choice) => choice === value)) return;
  throw new TypeError(`${name}: expected ${choices.map((choice) => `'${choice}'`).join(' or ')}`);
}

/** @throws RangeError, TypeError for anything but a number */
export function assertWholeNumber(name: string, value: unknown, least: number): void {
  if (value === undefined || (Number.isSafeInteger(value) && (value as number) >= least)) return;
  const message = `${name}: expected a whole number, ${least} or more`;
  throw typeof value === 'number' ? new RangeError(message) : new TypeError(message);
}

/** A path of the host that stays what it is when the process changes its folder. @throws TypeError */
export function absolutePath(name: string, path: unknown): string {
  if (typeof path !== 'string' || path === '') throw new TypeError(`${name}: expected the path of a folder`);
  return resolve(path);
}
