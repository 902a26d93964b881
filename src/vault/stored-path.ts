/**
 * The grammar of paths in entries and records (docs/FORMAT.md, "Paths"). Reading asks for no more than this: above all it does not
 * normalise, because Unicode's tables grow, and what one version of Node.js wrote as NFC may not be NFC to a later one.
 */
import { displayPath, PATH_BYTES_MAX, SEGMENT_BYTES_MAX, type MemoryPath } from './path.ts';

const SEGMENT = /^(?!\.{1,2}$)[^/\\\p{Cc}]+$/u;

/** Tells whether format 1 allows the text as the path of an entry; the root has none. */
export function isStoredPath(text: string): text is MemoryPath {
  if (Buffer.byteLength(displayPath(text as MemoryPath)) > PATH_BYTES_MAX) return false;
  return text.split('/').every((segment) => SEGMENT.test(segment) && Buffer.byteLength(segment) <= SEGMENT_BYTES_MAX);
}
