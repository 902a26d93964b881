/**
 * Turns what Claude sent into a checked command, or into a refusal that names the parameter. Nothing else reads raw input.
 * Only own properties count, so no name of a prototype is a command or a parameter; parameters not listed are ignored.
 */
import { isMemgitError } from '../errors.ts';
import { parsePath, type MemoryPath, type PathFault } from '../vault/path.ts';
import { refusals } from './messages.ts';

export type Command =
  | { readonly op: 'view'; readonly path: MemoryPath; readonly range: unknown }
  | { readonly op: 'create'; readonly path: MemoryPath; readonly text: string }
  | { readonly op: 'str_replace'; readonly path: MemoryPath; readonly oldText: string; readonly newText: string }
  | { readonly op: 'insert'; readonly path: MemoryPath; readonly line: number; readonly text: string }
  | { readonly op: 'delete'; readonly path: MemoryPath }
  | { readonly op: 'rename'; readonly from: MemoryPath; readonly to: MemoryPath };

/**
 * Checks a tool input. `range` of a view stays as it came (`undefined` when absent or null): only its file knows what is valid.
 *
 * @throws CommandRefusal with the sentence for Claude
 */
export function parseCommand(input: unknown): Command {
  const args = new Arguments(input);
  const op = args.get('command');
  switch (op) {
    case 'view':
      return { op, path: args.path('path'), range: args.get('view_range') ?? undefined };
    case 'create':
      return { op, path: args.path('path'), text: args.text('file_text') };
    case 'str_replace': {
      const path = args.path('path');
      const oldText = args.text('old_str');
      if (oldText === '') throw refusals.emptyOldText();
      return { op, path, oldText, newText: args.has('new_str') ? args.text('new_str') : '' };
    }
    case 'insert':
      return { op, path: args.path('path'), line: args.wholeNumber('insert_line'), text: args.text('insert_text') };
    case 'delete':
      return { op, path: args.path('path') };
    case 'rename':
      return { op, from: args.path('old_path'), to: args.path('new_path') };
    default:
      if (!args.has('command')) throw refusals.missing('command');
      throw refusals.unknownCommand(op);
  }
}

/** A whole number, or text that is exactly one in decimal; `undefined` for anything else. */
export function parseWholeNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^-?(?:0|[1-9]\d*)$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(number) ? (number as number) : undefined;
}

class Arguments {
  readonly #input: unknown;

  constructor(input: unknown) {
    this.#input = input;
  }

  get(name: string): unknown {
    if (typeof this.#input !== 'object' || this.#input === null || !Object.hasOwn(this.#input, name)) return undefined;
    return (this.#input as Record<string, unknown>)[name];
  }

  /** Null counts as absent. */
  has(name: string): boolean {
    return (this.get(name) ?? undefined) !== undefined;
  }

  text(name: string): string {
    const value = this.#required(name);
    if (typeof value !== 'string') throw refusals.mistyped(name, 'text', value);
    if (!value.isWellFormed()) throw refusals.loneSurrogate(name);
    return value;
  }

  wholeNumber(name: string): number {
    const value = this.#required(name);
    const number = parseWholeNumber(value);
    if (number === undefined) throw refusals.mistyped(name, 'a whole number', value);
    return number;
  }

  path(name: string): MemoryPath {
    const value = this.#required(name);
    if (typeof value !== 'string') throw refusals.mistyped(name, 'text', value);
    try {
      return parsePath(value);
    } catch (error) {
      if (!isMemgitError(error, 'INVALID_PATH')) throw error;
      throw refusals.path(name, value, error.details['reason'] as PathFault);
    }
  }

  #required(name: string): unknown {
    if (!this.has(name)) throw refusals.missing(name);
    return this.get(name);
  }
}
