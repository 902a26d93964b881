/** Prints rows as one Markdown table, which can go into docs/BENCHMARKS.md as it is. */
import type { Figure } from './measure.ts';
import type { Comparison, Row, Unit } from './row.ts';

const HEADER = ['job', 'memgit: median (p95)', 'against', 'its median (p95)', 'ratio', 'target', ''];

export function renderTable(rows: readonly Row[]): string {
  const lines = [HEADER, HEADER.map(() => '---'), ...rows.flatMap(cellsOf)];
  const widths = HEADER.map((_, column) => Math.max(...lines.map((cells) => cells[column]!.length)));
  const table = lines.map((cells) => `| ${cells.map((cell, column) => (cell === '---' ? '-'.repeat(widths[column]!) : cell.padEnd(widths[column]!))).join(' | ')} |`);
  const notes = rows.flatMap(notesOf);
  return [...table, ...(notes.length === 0 ? [] : ['', ...notes])].join('\n');
}

function notesOf({ job, comparisons, remark, shortfall }: Row): string[] {
  const missed = comparisons.some(({ met }) => met === false);
  return [...(remark === undefined ? [] : [`- ${job}: ${remark}`]), ...(missed && shortfall !== undefined ? [`- ${job}, why not met: ${shortfall}`] : [])];
}

/** A line for each comparison; the job and memgit's own figure stand in the first only. */
function cellsOf({ job, unit, memgit, comparisons }: Row): string[][] {
  const first = [`${job}${unit === 'ms' ? '' : `, ${unit}`}`, show(memgit, unit)];
  const lines = comparisons.length === 0 ? [['', '', '', '', '']] : comparisons.map((comparison) => comparisonCells(comparison, unit));
  return lines.map((cells, i) => [...(i === 0 ? first : ['', '']), ...cells]);
}

function comparisonCells({ rival, figure, ratio, target, met }: Comparison, unit: Unit): string[] {
  return [rival, show(figure, unit), ratio === undefined ? '' : ratio.toFixed(2), target ?? '', met === undefined ? '' : met ? 'met' : '**not met**'];
}

function show(figure: Figure | undefined, unit: Unit): string {
  if (figure === undefined) return '';
  const [median, p95] = [amount(figure.median, unit), amount(figure.p95, unit)];
  return figure.median === figure.p95 ? median : `${median} (${p95})`;
}

function amount(value: number, unit: Unit): string {
  if (unit === 'bytes' || unit === 'count') return Math.round(value).toLocaleString('en');
  return value < 10 ? value.toFixed(value < 1 ? 3 : 2) : value.toFixed(value < 100 ? 1 : 0);
}
