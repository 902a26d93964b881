/** Merges two versions of one file that come from a third: text line by line, and JSON only into JSON. Pure. */
import { utf8, type Bytes } from '../bytes.ts';
import { mergeableLines } from '../history/lines.ts';
import { mergeLines } from '../history/merge3.ts';
import { baseName, type MemoryPath } from '../vault/path.ts';

/** Returns the merged bytes; `undefined` when both changed the same lines, or the versions are not text. Nothing is ever marked in a text. */
export function mergeContents(path: MemoryPath, base: Bytes | undefined, ours: Bytes, theirs: Bytes): Bytes | undefined {
  const [old, left, right] = [base ?? new Uint8Array(), ours, theirs].map(mergeableLines);
  if (!old || !left || !right) return undefined;
  const { lines, conflicts } = mergeLines(old, left, right);
  if (conflicts.length > 0) return undefined;
  const merged = lines.join('');
  if (isJson(path, left.join(''), right.join('')) && !parses(merged)) return undefined;
  return utf8(merged);
}

/** By its name, or because both versions are a JSON object or list whatever the name. */
function isJson(path: MemoryPath, ours: string, theirs: string): boolean {
  const named = /\.json$/i.test(baseName(path)) || [ours, theirs].every((text) => /^\s*[[{]/.test(text));
  return named && parses(ours) && parses(theirs);
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
