/**
 * The one spelling of a path inside a memory. Text becomes a `MemoryPath` here or nowhere, so every other room can trust
 * that a path has no `..`, no control characters, is in NFC and fits the limits. Nothing here touches a file system,
 * and no error holds the path itself.
 */
import { MemgitError } from '../errors.ts';

declare const brand: unique symbol;

/** A normalised path relative to `/memories`: `''` is the root, `'a/b.txt'` a file in a directory. */
export type MemoryPath = string & { readonly [brand]: 'MemoryPath' };

/** Why a text is no path of a memory; `details.reason` of the INVALID_PATH error. */
export type PathFault =
  | 'not-text'
  | 'surrogate'
  | 'control'
  | 'backslash'
  | 'outside'
  | 'dot-dot'
  | 'percent-encoded'
  | 'long-segment'
  | 'long-path';

export const ROOT = '' as MemoryPath;

/** Limits in bytes of UTF-8, after normalisation; the second counts the displayed path, `/memories` included. */
export const SEGMENT_BYTES_MAX = 255;
export const PATH_BYTES_MAX = 1024;

/**
 * The most UTF-16 units of a path as it is spelled: no path within the limits has a decomposed form of more than 2 a byte, and
 * the rest is room for `/./`. Normalising takes time that grows with the square of a row of combining marks.
 */
const SPELLING_MAX = 4 * PATH_BYTES_MAX;

const MOUNT = '/memories';

/**
 * Parses `/memories` or a path below it. A trailing slash, `//` and `/./` are normalised away, and NFD becomes NFC.
 * Percent signs are ordinary characters, except that a spelling which any URL decoder would turn into a separator
 * (`%2f`, `%5c`) or into a `.` or `..` segment is refused, however often it is encoded; `a%2etxt` is a name like another.
 *
 * @throws INVALID_PATH with `details.reason`, a `PathFault`
 */
export function parsePath(text: unknown): MemoryPath {
  if (typeof text !== 'string') throw invalid('not-text');
  if (text.length > SPELLING_MAX) throw invalid('long-path');
  if (!text.isWellFormed()) throw invalid('surrogate');
  const path = text.normalize('NFC');
  if (/\p{Cc}/u.test(path)) throw invalid('control');
  if (path.includes('\\')) throw invalid('backslash');
  if (path !== MOUNT && !path.startsWith(`${MOUNT}/`)) throw invalid('outside');

  const segments = path
    .slice(MOUNT.length)
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.');
  for (const segment of segments) checkSegment(segment);
  return checkLength(segments.join('/'));
}

/** The path as Claude and operators see it: `/memories/a/b.txt`. */
export function displayPath(path: MemoryPath): string {
  return path === ROOT ? MOUNT : `${MOUNT}/${path}`;
}

/** The directory that holds the path; the root holds itself. */
export function parentOf(path: MemoryPath): MemoryPath {
  return path.slice(0, Math.max(0, path.lastIndexOf('/'))) as MemoryPath;
}

/** The last segment; `''` for the root. */
export function baseName(path: MemoryPath): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** @throws INVALID_PATH when the name is not one normalised segment, or the result is too long */
export function joinPath(directory: MemoryPath, name: string): MemoryPath {
  const path = parsePath(`${displayPath(directory)}/${name}`);
  if (path === ROOT || parentOf(path) !== directory || baseName(path) !== name) {
    throw new TypeError('expected one normalised path segment');
  }
  return path;
}

/** Whether the path is the directory itself or below it. */
export function isWithin(path: MemoryPath, directory: MemoryPath): boolean {
  return directory === ROOT || path === directory || path.startsWith(`${directory}/`);
}

/** The directories above the path, nearest first, the root last; none for the root. */
export function ancestorsOf(path: MemoryPath): MemoryPath[] {
  const ancestors: MemoryPath[] = [];
  for (let at = path; at !== ROOT; ) {
    at = parentOf(at);
    ancestors.push(at);
  }
  return ancestors;
}

/**
 * The path that something within `from` has after `from` is moved to `to`; neither is the root.
 *
 * @throws INVALID_PATH when that path would be too long
 */
export function rebasePath(path: MemoryPath, from: MemoryPath, to: MemoryPath): MemoryPath {
  if (!isWithin(path, from)) throw new TypeError('expected a path within the one that moves');
  return checkLength(to + path.slice(from.length));
}

/**
 * What a path is called once `from` was moved to `to`. One that is elsewhere keeps its name, and so does one that would be too
 * long: it cannot have been there when the move was made.
 */
export function movedPath(path: MemoryPath, from: MemoryPath, to: MemoryPath): MemoryPath {
  const moved = isWithin(path, from) ? to + path.slice(from.length) : path;
  return isTooLong(moved) ? path : (moved as MemoryPath);
}

function checkSegment(segment: string): void {
  // `%25` is an encoded percent sign: `%252e` is `%2e` to whoever decodes twice.
  const flattened = segment.replace(/%(?:25)+/g, '%');
  if (/%(?:2f|5c)/i.test(flattened)) throw invalid('percent-encoded');
  if (segment === '..') throw invalid('dot-dot');
  if (/^\.{1,2}$/.test(flattened.replace(/%2e/gi, '.'))) throw invalid('percent-encoded');
  if (Buffer.byteLength(segment) > SEGMENT_BYTES_MAX) throw invalid('long-segment');
}

function checkLength(path: string): MemoryPath {
  if (isTooLong(path)) throw invalid('long-path');
  return path as MemoryPath;
}

function isTooLong(path: string): boolean {
  return Buffer.byteLength(displayPath(path as MemoryPath)) > PATH_BYTES_MAX;
}

function invalid(reason: PathFault): MemgitError {
  return new MemgitError('INVALID_PATH', undefined, { details: { reason } });
}
