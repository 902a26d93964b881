/**
 * What an agent does to its memory, from a seed: appends to a progress log, flips items of a JSON checklist, edits lines of
 * notes (a few of them often, most of them rarely), and now and then makes, renames or deletes one. The number of notes stays
 * about the same. Nothing here knows memgit: a step is a tool call of the memory tool and what it changes.
 */
import { Random } from './random.ts';

/** One mutation; paths are relative to the memory's root. */
export interface Step {
  readonly op: 'create' | 'str_replace' | 'insert' | 'rename' | 'delete';
  readonly path: string;
  /** Where a rename moves the file. */
  readonly to?: string;
  /** The whole file after the step, except of a rename or delete. */
  readonly text?: string;
  readonly toolUseId: string;
}

export interface WorkloadOptions {
  readonly seed: number;
  readonly notes: number;
  readonly noteBytes: number;
}

/** Then another one is begun. */
const LOG_BYTES_MAX = 64 * 1024;
const CHECKLIST = 'features.json';
const CHECKLIST_ITEMS = 60;

export class Workload {
  readonly files = new Map<string, string>();
  readonly #random: Random;
  readonly #noteBytes: number;
  readonly #notesWanted: number;
  /** The most edited first. */
  readonly #notes: string[] = [];
  #notesMade = 0;
  #logsMade = 0;

  constructor({ seed, notes, noteBytes }: WorkloadOptions) {
    this.#random = new Random(seed);
    this.#noteBytes = noteBytes;
    this.#notesWanted = notes;
    for (let i = 0; i < notes; i += 1) this.files.set(this.#newNote(), this.#random.note(noteBytes));
    this.files.set(CHECKLIST, this.#checklist());
    this.files.set(this.#newLog(), '# Progress\n\n');
  }

  next(): Step {
    const kind = this.#random.next();
    if (kind < 0.35) return this.#appendToLog();
    if (kind < 0.5) return this.#flip();
    if (kind < 0.92) return this.#editNote();
    if (kind < 0.95) return this.#rename();
    return this.#notes.length < this.#notesWanted ? this.#create() : this.#delete();
  }

  #appendToLog(): Step {
    let path = this.#log();
    if (this.files.get(path)!.length > LOG_BYTES_MAX) {
      path = this.#newLog();
      return this.#write('create', path, `# Progress\n\n${this.#logLine()}`);
    }
    return this.#write('insert', path, this.files.get(path)! + this.#logLine());
  }

  #flip(): Step {
    const text = this.files.get(CHECKLIST)!;
    const item = this.#random.below(CHECKLIST_ITEMS);
    let seen = -1;
    const flipped = text.replaceAll(/"passes": (true|false)/g, (match, value) => {
      seen += 1;
      return seen === item ? `"passes": ${value === 'true' ? 'false' : 'true'}` : match;
    });
    return this.#write('str_replace', CHECKLIST, flipped);
  }

  #editNote(): Step {
    const path = this.#random.pick(this.#notes);
    const lines = this.files.get(path)!.split('\n');
    const at = 2 + this.#random.below(lines.length - 3);
    const words = lines[at]!.split(' ');
    const from = 1 + this.#random.below(Math.max(1, words.length - 4));
    words.splice(from, 1 + this.#random.below(4), this.#random.words(1 + this.#random.below(4)));
    lines[at] = words.join(' ');
    return this.#write('str_replace', path, lines.join('\n'));
  }

  #create(): Step {
    return this.#write('create', this.#newNote(), this.#random.note(this.#noteBytes));
  }

  #rename(): Step {
    const at = this.#rarelyEdited();
    const path = this.#notes[at]!;
    const to = path.replace(/(?:-v\d+)?\.md$/, `-v${this.#notesMade}.md`);
    this.#notesMade += 1;
    this.#notes[at] = to;
    this.files.set(to, this.files.get(path)!);
    this.files.delete(path);
    return { op: 'rename', path, to, toolUseId: this.#toolUseId() };
  }

  #delete(): Step {
    const [path] = this.#notes.splice(this.#rarelyEdited(), 1);
    this.files.delete(path!);
    return { op: 'delete', path: path!, toolUseId: this.#toolUseId() };
  }

  #write(op: Step['op'], path: string, text: string): Step {
    this.files.set(path, text);
    return { op, path, text, toolUseId: this.#toolUseId() };
  }

  #rarelyEdited(): number {
    const half = Math.floor(this.#notes.length / 2);
    return half + this.#random.below(this.#notes.length - half);
  }

  #newNote(): string {
    const topic = this.#random.words(2).replace(' ', '-');
    const path = `notes/${topic}-${this.#notesMade}.md`;
    this.#notesMade += 1;
    this.#notes.push(path);
    return path;
  }

  #newLog(): string {
    this.#logsMade += 1;
    return this.#log();
  }

  #log(): string {
    return `log/${String(this.#logsMade).padStart(4, '0')}.md`;
  }

  #logLine(): string {
    return `- ${String(this.#random.below(24)).padStart(2, '0')}:${String(this.#random.below(60)).padStart(2, '0')} ${this.#random.words(8 + this.#random.below(14))}\n`;
  }

  #checklist(): string {
    const items = Array.from({ length: CHECKLIST_ITEMS }, (_, i) => ({ id: `F${i}`, description: this.#random.words(10), passes: false }));
    return `${JSON.stringify(items, undefined, 2)}\n`;
  }

  #toolUseId(): string {
    return `toolu_01${this.#random.characters(22)}`;
  }
}
