/** Reads the files of the progress log out of a snapshot, and drafts changes of them. */
import { utf8, utf8Decode } from '../bytes.ts';
import { MemgitError } from '../errors.ts';
import type { MemoryPath } from '../vault/path.ts';
import type { Change, Snapshot } from '../vault/snapshot.ts';
import { isChecklist, parseChecklist, type Checklist, type ChecklistFault } from './checklist.ts';
import { FEATURES, TABLE } from './layout.ts';
import { faultSentence } from './messages.ts';
import { decodeTable, encodeTable, type SessionRow } from './table.ts';

/** A file as text; `undefined` when there is no such file, or it is no text. */
export async function readText(snapshot: Snapshot, path: MemoryPath): Promise<string | undefined> {
  return (await snapshot.isFile(path)) ? utf8Decode(await snapshot.read(path)) : undefined;
}

/** The table of sessions, empty before the first one. @throws CORRUPT */
export async function readTable(snapshot: Snapshot): Promise<SessionRow[]> {
  return decodeTable(await readText(snapshot, TABLE));
}

/** The checklist, or what is wrong with it; `undefined` when there is none. */
export async function readChecklist(snapshot: Snapshot): Promise<Checklist | ChecklistFault | undefined> {
  const node = await snapshot.stat(FEATURES);
  if (node === undefined) return undefined;
  return parseChecklist((await readText(snapshot, FEATURES)) ?? '');
}

/** The checklist; `undefined` when there is none. @throws CORRUPT when it cannot be read: it must not count as empty */
export async function requireChecklist(snapshot: Snapshot): Promise<Checklist | undefined> {
  const checklist = await readChecklist(snapshot);
  if (checklist === undefined || isChecklist(checklist)) return checklist;
  throw new MemgitError('CORRUPT', `expected the checklist to be a list of features, but ${discreetFault(checklist)}; mend the file or restore an earlier version of it`);
}

export function writeText(path: MemoryPath, text: string): Change {
  return { kind: 'write', path, content: utf8(text) };
}

export function writeTable(rows: readonly SessionRow[]): Change {
  return writeText(TABLE, encodeTable(rows));
}

/** What is wrong with a checklist, for an error. Errors hold nothing of the memory: an id of a feature is text of it. */
export function discreetFault(fault: ChecklistFault): string {
  return faultSentence(fault.kind === 'repeated-id' ? { ...fault, id: '…' } : fault);
}
