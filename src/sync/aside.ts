/** The name under which a version is kept that could not keep its own: `plan.conflict-1a2b3c4d.md` beside `plan.md`. Pure. */
import { ancestorsOf, baseName, displayPath, parsePath, PATH_BYTES_MAX, ROOT, SEGMENT_BYTES_MAX, type MemoryPath } from '../vault/path.ts';

/** A folder whose own path leaves less room than this for a name is passed over for one above it. */
const LEAST_NAME_BYTES = 64;

/** @param isTaken whether something has that path already; then a number is added */
export function asidePath(path: MemoryPath, label: string, isTaken: (path: MemoryPath) => boolean): MemoryPath {
  const directory = ancestorsOf(path).find((above) => roomIn(above) >= LEAST_NAME_BYTES) ?? ROOT;
  const name = baseName(path);
  // A dot at the very beginning makes a hidden file, and one far from the end no extension.
  const dot = name.lastIndexOf('.');
  const hasExtension = dot > 0 && Buffer.byteLength(name) - dot <= 16;
  const [stem, extension] = hasExtension ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
  for (let number = 1; ; number += 1) {
    const mark = `.conflict-${label}${number === 1 ? '' : `-${number}`}${extension}`;
    const candidate = parsePath(`${displayPath(directory)}/${shorten(stem, roomIn(directory) - Buffer.byteLength(mark))}${mark}`);
    if (!isTaken(candidate)) return candidate;
  }
}

function roomIn(directory: MemoryPath): number {
  return Math.min(SEGMENT_BYTES_MAX, PATH_BYTES_MAX - Buffer.byteLength(displayPath(directory)) - 1);
}

/** Cuts whole characters off the end until the text fits. */
function shorten(text: string, maxBytes: number): string {
  const characters = [...text];
  while (characters.length > 0 && Buffer.byteLength(characters.join('')) > maxBytes) characters.pop();
  return characters.join('');
}
