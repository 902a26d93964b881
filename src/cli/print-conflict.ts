/** How the conflicts of an undo are shown to people, with the marks that git has taught everyone. */
import type { Conflict } from '../history/conflict.ts';
import { shortOid } from './format.ts';
import type { Output } from './output.ts';
import { visibleLine } from './visible.ts';

const REASONS: Readonly<Record<Conflict['reason'], string>> = {
  'same-lines': 'later edits touch the same lines',
  changed: 'it has changed since',
  removed: 'it is no longer there',
  taken: 'something else is there now',
};

export async function printConflicts(out: Output, conflicts: readonly Conflict[]): Promise<void> {
  for (const { path, oid, reason, regions } of conflicts) {
    await out.line(`${out.style.title(`conflict in ${visibleLine(path)}`)}, undoing ${out.style.oid(shortOid(oid))}: ${REASONS[reason]}`);
    for (const { line, ours, theirs } of regions) {
      await out.line(out.style.place(`@@ line ${line} @@`));
      await out.write(['<<<<<<< now', ...ours.map(shown(out)), '=======', ...theirs.map(shown(out)), '>>>>>>> undone', ''].join('\n'));
    }
  }
}

function shown(out: Output): (line: string) => string {
  return (line) => out.memoryText(line.replace(/\n$/, ''));
}
