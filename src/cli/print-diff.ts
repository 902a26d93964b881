/** How differences are shown: to people as a patch, as a summary of its sizes, or by names alone; to programs as JSON. */
import type { FileDiff } from '../history/diff.ts';
import { formatPatch } from '../history/patch.ts';
import type { Context } from './context.ts';
import { largest, plural } from './format.ts';
import type { Output } from './output.ts';
import { flag } from './parameters.ts';
import type { Paint, Style } from './style.ts';
import { visibleLine } from './visible.ts';

export type DiffView = 'patch' | 'stat' | 'names';

export const VIEW_OPTIONS = {
  stat: flag('--stat', 'Show how much changed in each file'),
  nameOnly: flag('--name-only', 'Show the names of the files only'),
} as const;

export function viewOf({ stat, nameOnly }: { readonly stat: boolean; readonly nameOnly: boolean }): DiffView {
  return nameOnly ? 'names' : stat ? 'stat' : 'patch';
}

const BAR_WIDTH = 40;
/** In a narrow terminal a long name wraps rather than that nothing is left of the bar. */
const LEAST_BAR_WIDTH = 6;
/** What stands around name, count and bar, and one that rounding may add. */
const FRAME_WIDTH = 6;

/** All that a command has to print: one object a line with `--json`, else through the pager. */
export async function printDifference({ out, json }: Context, files: readonly FileDiff[], view: DiffView): Promise<void> {
  if (json) for (const file of files) await out.json(file);
  else {
    out.page();
    await printDiffs(out, files, view);
  }
}

export async function printDiffs(out: Output, diffs: readonly FileDiff[], view: DiffView): Promise<void> {
  if (view === 'names') for (const diff of diffs) await out.line(slashed(diff, diff.path));
  else if (view === 'stat') await printStat(out, diffs);
  else for (const diff of diffs) await printPatch(out, diff);
}

async function printPatch(out: Output, diff: FileDiff): Promise<void> {
  // A patch cannot say it; git and patch skip lines that they do not know.
  if (diff.entry === 'directory') return out.line(out.style.title(`empty directory ${diff.change}: ${slashed(diff, diff.path)}`));
  const text = out.memoryText(formatPatch([diff]));
  return out.write(out.terminal ? colourPatch(text, out.style) : text);
}

function colourPatch(text: string, style: Style): string {
  let inHunk = false;
  const lines = text.split('\n').map((line) => {
    inHunk ||= line.startsWith('@@');
    return (inHunk ? paintOf(line, style) : style.title)(line);
  });
  return lines.join('\n');
}

function paintOf(line: string, style: Style): Paint {
  if (line.startsWith('@@')) return style.place;
  if (line.startsWith('+')) return style.added;
  return line.startsWith('-') ? style.removed : (text) => text;
}

async function printStat(out: Output, diffs: readonly FileDiff[]): Promise<void> {
  const rows = diffs.map((diff) => ({ name: nameOf(diff), diff, lines: diff.addedLines + diff.removedLines }));
  const nameWidth = largest(rows, ({ name }) => name.length);
  const countWidth = largest(rows, ({ lines }) => String(lines).length);
  const room = (out.columns ?? Infinity) - nameWidth - countWidth - FRAME_WIDTH;
  const barWidth = Math.max(LEAST_BAR_WIDTH, Math.min(BAR_WIDTH, room));
  const scale = Math.min(1, barWidth / Math.max(1, largest(rows, ({ lines }) => lines)));
  for (const { name, diff, lines } of rows) {
    const bar = out.style.added('+'.repeat(Math.ceil(diff.addedLines * scale))) + out.style.removed('-'.repeat(Math.ceil(diff.removedLines * scale)));
    await out.line(` ${name.padEnd(nameWidth)} | ${wholeOf(diff) ?? `${String(lines).padStart(countWidth)} ${bar}`}`.trimEnd());
  }
  const [added, removed] = [sum(diffs, 'addedLines'), sum(diffs, 'removedLines')];
  const files = diffs.filter(({ entry }) => entry === 'file').length;
  if (files > 0) await out.line(` ${plural(files, 'file')} changed, ${plural(added, 'line')} added, ${plural(removed, 'line')} removed`);
}

/** What is said of a difference that has no lines. */
function wholeOf({ entry, binary, sizeBefore, sizeAfter }: FileDiff): string | undefined {
  if (entry === 'directory') return 'empty directory';
  return binary ? `binary, ${sizeBefore} -> ${sizeAfter} bytes` : undefined;
}

function nameOf(diff: FileDiff): string {
  const { from, path } = diff;
  return from === undefined ? slashed(diff, path) : `${visibleLine(from)} -> ${visibleLine(path)}`;
}

function slashed({ entry }: FileDiff, path: string): string {
  return entry === 'directory' ? `${visibleLine(path)}/` : visibleLine(path);
}

function sum(diffs: readonly FileDiff[], field: 'addedLines' | 'removedLines'): number {
  return diffs.reduce((total, diff) => total + diff[field], 0);
}
