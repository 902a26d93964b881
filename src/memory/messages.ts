/**
 * Every sentence that Claude reads, and nothing else. Those marked D are exact on the wire, as the memory tool's
 * documentation gives them, some with `Error: ` and some without
 * (https://platform.claude.com/docs/en/agents-and-tools/tool-use/memory-tool; pinned by fixtures/memory-tool.json). Where
 * it is silent the sentences are ours: what was wrong, then what to do. None holds a host path or a library's message, and
 * what they quote of Claude's own input can be sent again (no lone surrogate, which would make every later request fail).
 */
import { MemgitError, type ErrorCode } from '../errors.ts';
import { displayPath, PATH_BYTES_MAX, SEGMENT_BYTES_MAX, type MemoryPath, type PathFault } from '../vault/path.ts';
import { MAX_FILE_BYTES } from '../vault/payload.ts';
import { IMAGE_BASE64_BYTES_MAX, IMAGE_SIDE_MAX, type ImageInfo } from './image.ts';
import { cutCodePoints, formatSize, VIEW_CHARACTERS_MAX } from './text.ts';

/** The model is told no. `message` stays free of what the memory holds; `sentence` is for Claude only, and is not printed by inspecting. */
export class CommandRefusal extends MemgitError {
  readonly #sentence: string;

  constructor(code: ErrorCode, sentence: string) {
    super(code);
    this.#sentence = sentence;
  }

  get sentence(): string {
    return this.#sentence;
  }
}

/** The replies to commands that were carried out. */
export const replies = {
  /** D */
  created: (path: MemoryPath) => `File created successfully at: ${displayPath(path)}`,
  /** D, up to the first full stop; the rest is what the SDKs write before their snippet */
  replaced: (snippet: string) =>
    `The memory file has been edited. Here is the snippet showing the change (with line numbers):\n${snippet}`,
  /** D */
  inserted: (path: MemoryPath) => `The file ${displayPath(path)} has been edited.`,
  /** D */
  deleted: (path: MemoryPath) => `Successfully deleted ${displayPath(path)}`,
  /** D */
  renamed: (from: MemoryPath, to: MemoryPath) => `Successfully renamed ${displayPath(from)} to ${displayPath(to)}`,
  /** D */
  directory: (path: MemoryPath, lines: readonly string[]) =>
    `Here're the files and directories up to 2 levels deep in ${displayPath(path)}, excluding hidden items and node_modules:\n${lines.join('\n')}`,
  /** D */
  file: (path: MemoryPath, numbered: string) =>
    `Here's the content of ${displayPath(path)} with line numbers:\n${numbered}`,

  binary: (path: MemoryPath, sizeBytes: number) =>
    `The file ${displayPath(path)} is binary (${sizeBytes} bytes) and cannot be shown as text.`,
  imageTooLarge: (path: MemoryPath, image: ImageInfo, sizeBytes: number) =>
    `The file ${displayPath(path)} is an image of ${image.width} x ${image.height} pixels (${sizeBytes} bytes) and too large to be shown: the limits are ${IMAGE_SIDE_MAX} pixels a side and ${formatSize(IMAGE_BASE64_BYTES_MAX)} in base64.`,
};

/** What follows the lines of a view that does not show all that was asked for. */
export const viewNotes = {
  cutAtLine: (first: number, last: number, end: number, total: number) =>
    `\n\n[Lines ${first} to ${last} of ${total} are shown: a view shows at most ${VIEW_CHARACTERS_MAX} characters. To see more, use view_range [${last + 1}, ${end}].]`,
  cutInLine: (line: number, length: number, end: number, total: number) =>
    `\n\n[Line ${line} of ${total} is ${length} characters long and only its first ${VIEW_CHARACTERS_MAX} are shown.${
      line < end ? ` To see the lines after it, use view_range [${line + 1}, ${end}].` : ''
    }]`,
};

/** The refusals, each with the code that operators see. */
export const refusals = {
  /** D */
  nothingToView: (path: MemoryPath) =>
    new CommandRefusal('NOT_FOUND', `The path ${displayPath(path)} does not exist. Please provide a valid path.`),
  /** D */
  tooManyLines: (path: MemoryPath) =>
    new CommandRefusal('TOO_LARGE', `File ${displayPath(path)} exceeds maximum line limit of 999,999 lines.`),
  /** D */
  fileExists: (path: MemoryPath) => new CommandRefusal('ALREADY_EXISTS', `Error: File ${displayPath(path)} already exists`),
  /** D, for a directory too */
  nothingToReplaceIn: (path: MemoryPath, code: 'NOT_FOUND' | 'NOT_A_FILE') =>
    new CommandRefusal(code, `Error: The path ${displayPath(path)} does not exist. Please provide a valid path.`),
  /** D, for a directory too */
  nothingToInsertIn: (path: MemoryPath, code: 'NOT_FOUND' | 'NOT_A_FILE') =>
    new CommandRefusal(code, `Error: The path ${displayPath(path)} does not exist`),
  /** D */
  noMatch: (path: MemoryPath, oldText: string) =>
    new CommandRefusal(
      'NO_MATCH',
      `No replacement was performed, old_str \`${oldText}\` did not appear verbatim in ${displayPath(path)}.`,
    ),
  /** D; `complete` is false when there are more occurrences than are listed */
  multipleMatches: (oldText: string, lines: readonly number[], complete: boolean) =>
    new CommandRefusal(
      'MULTIPLE_MATCHES',
      `No replacement was performed. Multiple occurrences of old_str \`${oldText}\` in lines: ${lines.join(', ')}${complete ? '' : ' and more'}. Please ensure it is unique`,
    ),
  /** D */
  insertLine: (line: number, lineCount: number) =>
    new CommandRefusal(
      'LINE_OUT_OF_RANGE',
      `Error: Invalid \`insert_line\` parameter: ${line}. It should be within the range of lines of the file: [0, ${lineCount}]`,
    ),
  /** D */
  nothingToDeleteOrRename: (path: MemoryPath) =>
    new CommandRefusal('NOT_FOUND', `Error: The path ${displayPath(path)} does not exist`),
  /** D */
  destinationExists: (path: MemoryPath) =>
    new CommandRefusal('ALREADY_EXISTS', `Error: The destination ${displayPath(path)} already exists`),

  viewRange: (range: unknown, lineCount: number) =>
    new CommandRefusal(
      'LINE_OUT_OF_RANGE',
      `Error: Invalid \`view_range\` parameter: ${quote(range)}. It should be two whole numbers, the first and the last line to show, within the range of lines of the file: [1, ${lineCount}]`,
    ),
  notText: (path: MemoryPath, sizeBytes: number) =>
    new CommandRefusal(
      'NOT_TEXT',
      `Error: The file ${displayPath(path)} is binary (${sizeBytes} bytes) and cannot be edited as text`,
    ),
  tooLarge: (sizeBytes: number) =>
    new CommandRefusal('TOO_LARGE', `Error: The file would have ${sizeBytes} bytes, and a memory file holds at most ${MAX_FILE_BYTES}. Split it into several files`),
  parentIsFile: (path: MemoryPath, file: MemoryPath) =>
    new CommandRefusal(
      'NOT_A_DIRECTORY',
      `Error: The path ${displayPath(path)} cannot be made, because ${displayPath(file)} is a file and not a directory`,
    ),
  deleteRoot: () => new CommandRefusal('INVALID_PATH', 'Error: Cannot delete the /memories directory itself'),
  renameRoot: () => new CommandRefusal('INVALID_PATH', 'Error: Cannot rename the /memories directory itself'),
  renameIntoItself: (from: MemoryPath, to: MemoryPath) =>
    new CommandRefusal(
      'INVALID_PATH',
      `Error: Cannot rename the directory ${displayPath(from)} to ${displayPath(to)}, which is inside it`,
    ),
  renameTooLong: (from: MemoryPath, to: MemoryPath) =>
    new CommandRefusal(
      'INVALID_PATH',
      `Error: Cannot rename ${displayPath(from)} to ${displayPath(to)}, because a path inside it would be longer than ${PATH_BYTES_MAX} bytes`,
    ),

  unknownCommand: (command: unknown) =>
    new CommandRefusal(
      'INVALID_ARGUMENT',
      `Error: Unknown command: ${quote(command)}. The commands are view, create, str_replace, insert, delete and rename`,
    ),
  missing: (parameter: string) =>
    new CommandRefusal('INVALID_ARGUMENT', `Error: Missing required parameter: \`${parameter}\``),
  mistyped: (parameter: string, wanted: string, got: unknown) =>
    new CommandRefusal('INVALID_ARGUMENT', `Error: Invalid \`${parameter}\` parameter: ${quote(got)}. It should be ${wanted}`),
  emptyOldText: () =>
    new CommandRefusal('INVALID_ARGUMENT', 'Error: Invalid `old_str` parameter: it is empty. It should be the text to replace'),
  loneSurrogate: (parameter: string) =>
    new CommandRefusal(
      'INVALID_ARGUMENT',
      `Error: Invalid \`${parameter}\` parameter: it holds half of a surrogate pair, which no text file can`,
    ),
  path: (parameter: string, path: string, fault: PathFault) =>
    new CommandRefusal(
      'INVALID_PATH',
      `Error: Invalid \`${parameter}\` parameter: ${quote(path)}. ${PATH_RULES[fault]}; a path is /memories or below it, such as /memories/notes.txt`,
    ),

  readOnly: () => new CommandRefusal('READ_ONLY', 'Error: This memory is read-only: it can be viewed but not changed'),
  aborted: () => new CommandRefusal('ABORTED', 'Error: The memory command was stopped before it was done'),
};

/** Says nothing about whether something was changed: that is not known of every failure. */
export const UNEXPECTED =
  'Error: The memory command failed for a reason that has nothing to do with its parameters. View the memory before trying again';

const PATH_RULES: Record<PathFault, string> = {
  'not-text': 'It should be text',
  surrogate: 'It should not hold half of a surrogate pair',
  control: 'It should not hold control characters',
  backslash: 'It should not hold backslashes',
  outside: 'It should start with /memories',
  'dot-dot': 'It should not hold the segment ..',
  'percent-encoded': 'It should not hold percent-encoded separators or dot segments',
  'long-segment': `No name in it should be longer than ${SEGMENT_BYTES_MAX} bytes`,
  'long-path': `It should not be longer than ${PATH_BYTES_MAX} bytes`,
};

const QUOTE_CHARACTERS_MAX = 200;

/** A value of Claude's on one line: JSON escapes controls and lone surrogates. */
function quote(value: unknown): string {
  const json = JSON.stringify(value);
  const cut = cutCodePoints(json, QUOTE_CHARACTERS_MAX);
  return cut === json ? json : `${cut}…`;
}
