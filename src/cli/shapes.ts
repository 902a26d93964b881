/** The shapes that several commands print: a commit, and the difference of one file. */
import { array, boolean, integer, object, string, type Shape } from './shape.ts';

const OID = 'Oid of the commit: 40 hex digits';

export const COMMIT_FIELDS = {
  oid: string(OID),
  parents: array('Oids of the commits before it; two for a merge', string(OID)),
  time: string('Exact time of the mutation, ISO 8601 in UTC'),
  timeMs: integer('The same in milliseconds since 1970'),
  sequence: integer('One more than the largest of the parents'),
  op: string('Operation: a command of the memory tool, write, remove, import, revert, restore, merge or init, or one of a session: session_…, progress_append, features_…'),
  paths: array('Paths that the operation named; of a rename the old one, then the new one', string('Path, from /memories on')),
  addedBytes: integer('Bytes of text that came'),
  removedBytes: integer('Bytes of text that went'),
} as const;

export const COMMIT_OPTIONAL_FIELDS = {
  session: string('Session that the writer named'),
  toolUseId: string('Id of the tool_use block that asked for it'),
  model: string('Model that the writer named'),
  actor: string('Who the writer said it was'),
  note: string('Note of the writer'),
  targets: array('Oids of the commits that a revert undid, or that a restore went back to', string(OID)),
} as const;

const HUNK = object('One stretch of changed lines', {
  oldStart: integer('First line before, counted from 1; 0 where there are none'),
  oldLines: integer('Lines before'),
  newStart: integer('First line after, counted from 1; 0 where there are none'),
  newLines: integer('Lines after'),
  lines: array('The lines, as in a unified diff', string('Led by a space, - or +')),
});

export const FILE_DIFF_FIELDS = {
  change: string('What happened', 'added', 'removed', 'modified', 'renamed'),
  path: string('Path, from /memories on'),
  entry: string('What it is; a directory comes and goes only as an empty one', 'file', 'directory'),
  sizeBefore: integer('Bytes before'),
  sizeAfter: integer('Bytes after'),
  contentChanged: boolean('False for a file that was renamed as it is'),
  binary: boolean('Whether it is not text, so that there are no hunks'),
  addedLines: integer('Lines that came'),
  removedLines: integer('Lines that went'),
  hunks: array('Stretches of changed lines', HUNK),
} as const;

export const FILE_DIFF_OPTIONAL_FIELDS = {
  from: string('Path before a rename'),
  plainOidBefore: string('Oid that git gives the bytes before, in clear'),
  plainOidAfter: string('Oid that git gives the bytes after, in clear'),
} as const;

export const FILE_DIFF: Shape = object('The difference of one file', FILE_DIFF_FIELDS, FILE_DIFF_OPTIONAL_FIELDS);
