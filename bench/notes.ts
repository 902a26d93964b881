/** Notes of one size with a marker line in each, so that any number of replacements can be asked for, each different from the last. */
import { Random } from './random.ts';

export const NOTE_BYTES = 4096;

export function makeNotes(count: number, seed = 7): Map<string, string> {
  const random = new Random(seed);
  return new Map(Array.from({ length: count }, (_, i) => [notePath(i), `${random.note(NOTE_BYTES / 2)}marker 0.\n${random.note(NOTE_BYTES / 2)}`]));
}

export function notePath(i: number): string {
  return `notes/note-${String(i).padStart(5, '0')}.md`;
}

/** The replacements of one copy of the notes; every file starts at marker 0. */
export class Replacements {
  readonly #at = new Map<string, number>();

  next(path: string): { before: string; after: string } {
    const at = this.#at.get(path) ?? 0;
    this.#at.set(path, at + 1);
    return { before: `marker ${at}.`, after: `marker ${at + 1}.` };
  }
}
