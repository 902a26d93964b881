/** How a commit is shown to people: as a block of lines, or as one line. Texts of the record are made harmless first. */
import type { LogEntry } from '../history/log-entry.ts';
import type { Context } from './context.ts';
import { shortOid } from './format.ts';
import { visibleLine } from './visible.ts';

export function commitBlock(entry: LogEntry, context: Context): string {
  const { style } = context.out;
  const facts: [label: string, value: string | undefined][] = [
    ['bytes', changedBytes(entry)],
    ['session', entry.session],
    ['tool use', entry.toolUseId],
    ['model', entry.model],
    ['actor', entry.actor],
    ['targets', entry.targets?.map(shortOid).join(' ')],
  ];
  return [
    `${style.oid(`commit ${shortOid(entry.oid)}`)}  ${context.time(entry.timeMs)}${entry.parents.length > 1 ? style.faint('  merge') : ''}`,
    `    ${style.title(visibleLine(entry.op))} ${namedPaths(entry)}`.trimEnd(),
    ...facts.flatMap(([label, value]) => (value === undefined ? [] : [`    ${style.faint(label.padEnd(8))} ${visibleLine(value)}`])),
    ...(entry.note === undefined ? [] : ['', ...entry.note.split('\n').map((line) => `    ${visibleLine(line)}`.trimEnd())]),
    '',
  ].join('\n');
}

export function commitLine(entry: LogEntry, context: Context): string {
  return `${context.out.style.oid(shortOid(entry.oid))} ${commitSummary(entry, context)}`;
}

/** When it was and what it did, without colours. */
export function commitSummary(entry: LogEntry, context: Context): string {
  const words = [context.time(entry.timeMs), visibleLine(entry.op), namedPaths(entry), changedBytes(entry)];
  return words.filter((word) => word !== '').join(' ');
}

function namedPaths({ op, paths }: LogEntry): string {
  return paths.map(visibleLine).join(op === 'rename' ? ' -> ' : ' ');
}

function changedBytes({ addedBytes, removedBytes }: LogEntry): string {
  return `+${addedBytes} -${removedBytes}`;
}
