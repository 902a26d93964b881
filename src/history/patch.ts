/**
 * The text of a patch, as `git apply` and `patch -p1` take it in an exported folder: git's extended headers, names quoted as
 * git quotes them. Empty directories have no place in it, and a binary file is only said to differ.
 */
import type { FileDiff, Hunk } from './diff.ts';

const MOUNT = '/memories/';
const ABSENT = '/dev/null';
const ESCAPES: Readonly<Record<string, string>> = { '"': '\\"', '\\': '\\\\' };

export function formatPatch(diffs: readonly FileDiff[]): string {
  return diffs.map(formatFile).join('');
}

function formatFile(diff: FileDiff): string {
  if (diff.entry === 'directory') return '';
  const [before, after] = [quote(`a/${relative(diff.from ?? diff.path)}`), quote(`b/${relative(diff.path)}`)];
  const lines = [`diff --git ${before} ${after}`];
  if (diff.change === 'added') lines.push('new file mode 100644');
  if (diff.change === 'removed') lines.push('deleted file mode 100644');
  if (diff.change === 'renamed') {
    if (!diff.contentChanged) lines.push('similarity index 100%');
    lines.push(`rename from ${quote(relative(diff.from ?? ''))}`, `rename to ${quote(relative(diff.path))}`);
  }
  if (diff.contentChanged) lines.push(formatIndex(diff));
  const [oldName, newName] = [diff.change === 'added' ? ABSENT : before, diff.change === 'removed' ? ABSENT : after];
  if (diff.binary) lines.push(`Binary files ${oldName} and ${newName} differ`);
  if (diff.hunks.length > 0) lines.push(`--- ${oldName}`, `+++ ${newName}`);
  return `${[...lines, ...diff.hunks.flatMap(formatHunk)].join('\n')}\n`;
}

/** Without it `patch` takes the removal of an empty file for a mistake. */
function formatIndex({ change, plainOidBefore = '', plainOidAfter = '' }: FileDiff): string {
  const short = (oid: string) => oid.slice(0, 7).padEnd(7, '0');
  return `index ${short(plainOidBefore)}..${short(plainOidAfter)}${change === 'added' || change === 'removed' ? '' : ' 100644'}`;
}

function formatHunk({ oldStart, oldLines, newStart, newLines, lines }: Hunk): string[] {
  return [`@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@`, ...lines];
}

function range(start: number, lines: number): string {
  return lines === 1 ? `${start}` : `${start},${lines}`;
}

function relative(path: string): string {
  return path.slice(MOUNT.length);
}

/**
 * Quotes a name as git does by default (core.quotePath), its bytes as octal, and also one with a space: unquoted, `patch` cannot
 * tell where such a name ends when the file is empty.
 */
function quote(name: string): string {
  if (/^[!#-[\]-~]*$/.test(name)) return name;
  let quoted = '';
  for (const byte of Buffer.from(name)) {
    const char = String.fromCharCode(byte);
    quoted += ESCAPES[char] ?? (byte >= 0x20 && byte < 0x7f ? char : `\\${byte.toString(8).padStart(3, '0')}`);
  }
  return `"${quoted}"`;
}
