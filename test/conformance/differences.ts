/**
 * The differences between memgit and the SDK's own memory tool on a folder (BetaLocalFilesystemMemoryTool, TypeScript SDK
 * 1.14.0) that we want, each with its reason and an example. Whatever is not listed here fails the differential test.
 */

export interface MemoryCommand {
  command: string;
  path?: string;
  file_text?: string;
  view_range?: [number, number];
  old_str?: string;
  new_str?: string;
  insert_line?: number;
  insert_text?: string;
  old_path?: string;
  new_path?: string;
}

/** A command with the text of the file that it names, as memgit holds it: `undefined` when that is no file. */
export interface Asked {
  command: MemoryCommand;
  before: string | undefined;
  /** Whether something stands at `old_path`. */
  sourceExists: boolean;
}

export interface Replies {
  ours: string;
  theirs: string;
}

interface Difference {
  reason: string;
  /** The last command shows the difference. */
  example: MemoryCommand[];
}

/** The SDK's tool carries these out, or leaves something behind when it fails; memgit must refuse them and change nothing. */
export interface Refusal extends Difference {
  refusedHere: (asked: Asked) => boolean;
}

/** Both carry these out with different results, so neither is asked. */
export interface Divergence extends Difference {
  differs: (asked: Asked) => boolean;
}

/** Both do the same and say it in other words: makes the two texts equal, or leaves them. */
export interface Wording extends Difference {
  level: (replies: Replies, asked: Asked & { after: string | undefined }) => Replies;
}

const create = (path: string, file_text: string): MemoryCommand => ({ command: 'create', path, file_text });
const view = (path: string, view_range?: [number, number]): MemoryCommand => ({
  command: 'view',
  path,
  ...(view_range && { view_range }),
});
const replace = (path: string, old_str: string, new_str?: string): MemoryCommand => ({
  command: 'str_replace',
  path,
  old_str,
  ...(new_str !== undefined && { new_str }),
});
const insert = (path: string, insert_line: number, insert_text: string): MemoryCommand => ({
  command: 'insert',
  path,
  insert_line,
  insert_text,
});
const rename = (old_path: string, new_path: string): MemoryCommand => ({ command: 'rename', old_path, new_path });

export const refusals: Refusal[] = [
  {
    reason: 'a `..` segment is refused even where it stays inside',
    example: [create('/memories/a', 'x'), view('/memories/d/../a')],
    refusedHere: ({ command }) => pathsOf(command).some((path) => path.includes('/../')),
  },
  {
    reason: '/memoriesX is outside; the SDK takes it for /memories/X',
    example: [create('/memoriesX', 'x')],
    refusedHere: ({ command }) => pathsOf(command).some((path) => /^\/memories[^/]/.test(path)),
  },
  {
    reason: 'an empty old_str names no place',
    example: [create('/memories/a', 'x'), replace('/memories/a', '', 'y')],
    refusedHere: ({ command }) => command.old_str === '',
  },
  {
    reason: 'old_str twice on one line is ambiguous; the SDK counts lines and replaces the first',
    example: [create('/memories/a', 'x x'), replace('/memories/a', 'x', 'y')],
    refusedHere: ({ command: { old_str }, before }) =>
      Boolean(old_str) && linesWith(before, old_str!) === 1 && before!.indexOf(old_str!) !== before!.lastIndexOf(old_str!),
  },
  {
    reason: 'a final newline does not make one more line, so nothing can be inserted after it',
    example: [create('/memories/a', 'x\n'), insert('/memories/a', 2, 'y')],
    refusedHere: ({ command, before }) =>
      before?.endsWith('\n') === true && command.insert_line === before.split('\n').length,
  },
  {
    reason: 'a rename that fails leaves no directories; the SDK makes the parents of the destination first',
    example: [rename('/memories/none', '/memories/p/q')],
    refusedHere: ({ command: { old_path, new_path }, sourceExists }) =>
      old_path !== undefined && (!sourceExists || new_path?.startsWith(`${old_path}/`) === true),
  },
  {
    reason: 'a view_range outside the file is an error that names the valid range; the SDK shows what is left of it',
    example: [create('/memories/a', 'x'), view('/memories/a', [2, 3])],
    refusedHere: ({ command: { view_range }, before }) =>
      view_range !== undefined &&
      before !== undefined &&
      (view_range[0] < 1 ||
        view_range[0] > lineCount(before) ||
        (view_range[1] < view_range[0] && view_range[1] !== -1)),
  },
];

export const divergences: Divergence[] = [
  {
    reason: 'old_str may span lines; the SDK looks line by line',
    example: [create('/memories/a', 'x\ny'), replace('/memories/a', 'x\ny', 'z')],
    differs: ({ command }) => command.old_str?.includes('\n') === true,
  },
  {
    reason: 'an omitted new_str deletes; the SDK writes the word undefined',
    example: [create('/memories/a', 'x y'), replace('/memories/a', 'x')],
    differs: ({ command }) => command.command === 'str_replace' && command.new_str === undefined,
  },
  {
    reason: 'text inserted into an empty file is all of the file; the SDK keeps an empty line',
    example: [create('/memories/a', ''), insert('/memories/a', 0, 'x')],
    differs: ({ command, before }) => command.command === 'insert' && before === '',
  },
];

export const wordings: Wording[] = [
  {
    reason: 'the documented errors begin with `Error: ` or do not; a plain Error from a tool always gets the prefix',
    example: [view('/memories/none')],
    level: both((text) => text.replace(/^Error: /, '')),
  },
  {
    reason: 'the size of a directory is the sum of its files; the SDK gives what the file system says of the folder',
    example: [create('/memories/d/a', 'x'), view('/memories')],
    level: both((text) => text.replace(/^(Here're .*\n)[^\t]+/, '$1DIR').replace(/^[^\t\n]+(?=\t.*\/$)/gm, 'DIR')),
  },
  {
    reason: 'sizes have one decimal, as in the documentation: 4.0K',
    example: [create('/memories/a', 'x'.repeat(1024)), view('/memories')],
    level: ({ ours, theirs }) => ({ ours, theirs: theirs.replace(/^(\d+)([KMG]\t)/gm, '$1.0$2') }),
  },
  {
    reason: 'a final newline does not make one more line',
    example: [create('/memories/a', 'x\n'), view('/memories/a')],
    level: ({ ours, theirs }, { after }) => {
      const phantom = after?.endsWith('\n') ? `\n${String(lineCount(after) + 1).padStart(6)}\t` : '';
      return { ours, theirs: phantom && theirs.endsWith(phantom) ? theirs.slice(0, -phantom.length) : theirs };
    },
  },
  {
    reason: 'nor in the range that insert_line is told to keep to',
    example: [create('/memories/a', 'x\n'), insert('/memories/a', 9, 'y')],
    level: ({ ours, theirs }, { before }) => ({
      ours,
      theirs:
        before?.endsWith('\n') === true
          ? theirs.replace(/(?<=within the range of lines of the file: \[0, )\d+/, String(lineCount(before)))
          : theirs,
    }),
  },
  {
    reason: 'the snippet shows the whole of the change; the SDK stops two lines after where it begins',
    example: [create('/memories/a', 'x'), replace('/memories/a', 'x', '1\n2\n3\n4')],
    level: (replies, { command }) =>
      command.new_str?.includes('\n')
        ? both((text) => text.replace(/(?<=^The memory file has been edited\.)[^]*/, ''))(replies)
        : replies,
  },
  {
    reason: 'every occurrence is listed; the SDK lists every line',
    example: [create('/memories/a', 'x x\nx'), replace('/memories/a', 'x', 'y')],
    level: ({ ours, theirs }) => ({
      ours: ours.replace(/(?<= in lines: )[\d, ]+\d/, (list) => [...new Set(list.split(', '))].join(', ')),
      theirs,
    }),
  },
  {
    reason: 'insert has a missing-file sentence of its own in the documentation',
    example: [insert('/memories/none', 0, 'x')],
    level: ({ ours, theirs }, { command }) => ({
      ours,
      theirs: command.command === 'insert' ? theirs.replace(/(?<= does not exist)\. Please .*/, '') : theirs,
    }),
  },
  {
    reason: 'a directory given to str_replace or insert gets that command\'s missing-file sentence, as the documentation asks',
    example: [create('/memories/d/a', 'x'), replace('/memories/d', 'x', 'y')],
    level: ({ ours, theirs }, { command }) => ({
      ours,
      theirs: theirs.replace(
        /(?<=^The path \S+) is not a file\.$/,
        command.command === 'insert' ? ' does not exist' : ' does not exist. Please provide a valid path.',
      ),
    }),
  },
  {
    reason: 'no error of the host reaches Claude',
    example: [create('/memories/a', 'x'), create('/memories/a/b', 'y')],
    // Once more `Error: ` because errors of node's fs are not instances of the Error class inside jest.
    level: ({ ours, theirs }) =>
      /^(?:Error: )?E[A-Z]+: /.test(theirs) ? { ours: 'host', theirs: 'host' } : { ours, theirs },
  },
  {
    reason: 'a refused path gets a sentence that says what a path is',
    example: [create('/elsewhere', 'x')],
    level: ({ ours, theirs }) =>
      /^Invalid `(?:path|old_path|new_path)` parameter: /.test(ours) &&
      /^Path (?:must start with \/memories|.* would escape \/memories)/.test(theirs)
        ? { ours: 'path', theirs: 'path' }
        : { ours, theirs },
  },
];

function both(change: (text: string) => string): (replies: Replies) => Replies {
  return ({ ours, theirs }) => ({ ours: change(ours), theirs: change(theirs) });
}

function pathsOf({ path, old_path, new_path }: MemoryCommand): string[] {
  return [path, old_path, new_path].filter((one) => one !== undefined);
}

function linesWith(text: string | undefined, wanted: string): number {
  return text?.split('\n').filter((line) => line.includes(wanted)).length ?? 0;
}

/** The lines that a view shows. */
function lineCount(text: string): number {
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}
