/**
 * The six commands, each a function of a snapshot that yields what Claude is told and what is to change. Nothing is
 * written here: the caller applies the changes and, when the memory moved meanwhile, runs the command again.
 */
import { equalBytes, utf8, utf8Decode, type Bytes } from '../bytes.ts';
import { isMemgitError } from '../errors.ts';
import { fileAbove } from '../vault/file-at.ts';
import { isWithin, rebasePath, ROOT, type MemoryPath } from '../vault/path.ts';
import { MAX_FILE_BYTES } from '../vault/payload.ts';
import type { Change, Snapshot } from '../vault/snapshot.ts';
import type { Command } from './arguments.ts';
import { refusals, replies, type CommandRefusal } from './messages.ts';
import { countLines, findOccurrences, insertLines, matchLineBreaks, replaceAt, snippetAround } from './text.ts';
import { view, type Reply } from './view.ts';

export interface CommandOptions {
  /** Lets `create` replace a file that exists. */
  readonly overwrite?: boolean | undefined;
}

export interface Outcome {
  readonly reply: Reply;
  readonly op: Command['op'];
  /** The paths that the command names; for a rename the old one, then the new one. */
  readonly paths: readonly MemoryPath[];
  /** Empty for a view, and for a command that would change nothing. */
  readonly changes: readonly Change[];
}

type Of<Op extends Command['op']> = Extract<Command, { op: Op }>;

/** @throws CommandRefusal when Claude is to be told no; the snapshot's own errors pass through */
export async function runCommand(snapshot: Snapshot, command: Command, options: CommandOptions = {}): Promise<Outcome> {
  const { op } = command;
  switch (op) {
    case 'view':
      return { op, paths: [command.path], changes: [], reply: await view(snapshot, command.path, command.range) };
    case 'create':
      return create(snapshot, command, options.overwrite === true);
    case 'str_replace':
      return replace(snapshot, command);
    case 'insert':
      return insert(snapshot, command);
    case 'delete':
      return remove(snapshot, command);
    case 'rename':
      return rename(snapshot, command);
  }
}

async function create(snapshot: Snapshot, { op, path, text }: Of<'create'>, overwrite: boolean): Promise<Outcome> {
  const outcome = { op, paths: [path], reply: replies.created(path) };
  const content = encodeText(text);
  const existing = await snapshot.stat(path);
  if (existing === undefined) {
    await requireRoomFor(snapshot, path);
  } else {
    if (existing.kind === 'directory' || !overwrite) throw refusals.fileExists(path);
    if (equalBytes(await snapshot.read(path), content)) return { ...outcome, changes: [] };
  }
  return { ...outcome, changes: [{ kind: 'write', path, content }] };
}

async function replace(snapshot: Snapshot, { op, path, oldText, newText }: Of<'str_replace'>): Promise<Outcome> {
  const text = await readText(snapshot, path, refusals.nothingToReplaceIn);
  const wanted = matchLineBreaks(text, oldText);
  const replacement = matchLineBreaks(text, newText);
  const { offsets, lines, complete } = findOccurrences(text, wanted);
  const [offset] = offsets;
  if (offset === undefined) throw refusals.noMatch(path, oldText);
  if (offsets.length > 1) throw refusals.multipleMatches(oldText, lines, complete);
  const edited = replaceAt(text, offset, wanted.length, replacement);
  const reply = replies.replaced(snippetAround(edited, offset, replacement.length));
  return { op, paths: [path], reply, changes: rewrite(path, text, edited) };
}

async function insert(snapshot: Snapshot, { op, path, line, text: insertion }: Of<'insert'>): Promise<Outcome> {
  const text = await readText(snapshot, path, refusals.nothingToInsertIn);
  const lineCount = countLines(text);
  if (line < 0 || line > lineCount) throw refusals.insertLine(line, lineCount);
  const edited = insertLines(text, line, insertion);
  return { op, paths: [path], reply: replies.inserted(path), changes: rewrite(path, text, edited) };
}

async function remove(snapshot: Snapshot, { op, path }: Of<'delete'>): Promise<Outcome> {
  if (path === ROOT) throw refusals.deleteRoot();
  if ((await snapshot.stat(path)) === undefined) throw refusals.nothingToDeleteOrRename(path);
  return { op, paths: [path], reply: replies.deleted(path), changes: [{ kind: 'remove', path }] };
}

async function rename(snapshot: Snapshot, { op, from, to }: Of<'rename'>): Promise<Outcome> {
  if (from === ROOT) throw refusals.renameRoot();
  if ((await snapshot.stat(to)) !== undefined) throw refusals.destinationExists(to);
  await requireRoomFor(snapshot, to);
  if ((await snapshot.stat(from)) === undefined) throw refusals.nothingToDeleteOrRename(from);
  if (isWithin(to, from)) throw refusals.renameIntoItself(from, to);
  await requireRoomForMove(snapshot, from, to);
  return { op, paths: [from, to], reply: replies.renamed(from, to), changes: [{ kind: 'move', from, to }] };
}

async function requireRoomFor(snapshot: Snapshot, path: MemoryPath): Promise<void> {
  const file = await fileAbove(snapshot, path);
  if (file !== undefined) throw refusals.parentIsFile(path, file);
}

/** Refuses when something inside a moved directory would get a path that is too long. */
async function requireRoomForMove(snapshot: Snapshot, from: MemoryPath, to: MemoryPath): Promise<void> {
  try {
    for await (const { path } of snapshot.walk(from)) rebasePath(path, from, to);
  } catch (error) {
    throw isMemgitError(error, 'INVALID_PATH') ? refusals.renameTooLong(from, to) : error;
  }
}

type Absence = (path: MemoryPath, code: 'NOT_FOUND' | 'NOT_A_FILE') => CommandRefusal;

async function readText(snapshot: Snapshot, path: MemoryPath, refuseAbsent: Absence): Promise<string> {
  const node = await snapshot.stat(path);
  if (node === undefined) throw refuseAbsent(path, 'NOT_FOUND');
  if (node.kind === 'directory') throw refuseAbsent(path, 'NOT_A_FILE');
  const text = utf8Decode(await snapshot.read(path));
  if (text === undefined) throw refusals.notText(path, node.sizeBytes);
  return text;
}

function rewrite(path: MemoryPath, before: string, after: string): Change[] {
  return before === after ? [] : [{ kind: 'write', path, content: encodeText(after) }];
}

function encodeText(text: string): Bytes {
  const content = utf8(text);
  if (content.length > MAX_FILE_BYTES) throw refusals.tooLarge(content.length);
  return content;
}
