/**
 * Runs the program from code that an earlier run compiled: of what a short command takes beyond node itself, a third goes into
 * compiling the same functions again. Node keeps compiled code by itself only from version 22.1 on.
 *
 * What is kept will be run, so it is kept only in a folder of this user's that nobody else can write to. V8 compares no more than
 * the length of a text with what its code was made from, and damaged code can crash it: hashes cover both. Whatever is amiss, the
 * program is compiled as if nothing were there, and no command ever fails for it.
 */
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { Script } from 'node:vm';

const HASH_BYTES = 32;
/** Hashed with everything: for whoever expects another shape, a file of this one is damaged. */
const SHAPE = 'memgit compiled program 1\n';
/** V8 drops the code of functions that a longer run has not used for a while, and such a run would gain nothing. */
const SHORT_RUN_SEC = 2;

/** What the file holds, after its hash. */
interface Kept {
  /** Those that have run: the code of the functions that they needed is there. */
  readonly commands: ReadonlySet<string>;
  readonly scripts: ReadonlyMap<string, { readonly source: string; readonly code: Uint8Array }>;
}

type Body = (exports: unknown, require: (id: string) => unknown, module: { exports: unknown }, filename: string, dirname: string) => void;

const NOTHING: Kept = { commands: new Set(), scripts: new Map() };

/** CommonJS modules that name each other by paths from where they are. */
export class CompiledProgram {
  readonly #file: string | undefined;
  readonly #modules = new Map<string, { exports: unknown }>();
  readonly #scripts = new Map<string, { readonly source: string; readonly script: Script }>();
  #kept = NOTHING;
  /** Whether there was a script in this run that no code was kept for. */
  #grown = false;

  /**
   * @param main the file of the module that is loaded first; each copy of the program has code of its own
   * @param folder where code is kept, made when there is something to keep; `undefined` keeps none
   */
  constructor(main: string, folder: string | undefined) {
    if (folder === undefined) return;
    this.#file = join(folder, `${hashOf(Buffer.from(main)).toString('hex', 0, 8)}.code`);
    this.#kept = read(this.#file) ?? NOTHING;
  }

  /** Runs the module in a file, unless it has run, and returns what it exports. */
  load(file: string): unknown {
    const known = this.#modules.get(file);
    if (known) return known.exports;
    const module = { exports: {} };
    this.#modules.set(file, module);
    const requireOther = createRequire(file);
    const requireFrom = (id: string): unknown => (id.startsWith('./') ? this.load(resolve(dirname(file), id)) : requireOther(id));
    (this.#script(file).runInThisContext() as Body)(module.exports, requireFrom, module, file, dirname(file));
    return module.exports;
  }

  /** Keeps the code that a command needed, unless it is kept already. */
  keep(command: string): void {
    if (this.#file === undefined || (!this.#grown && this.#kept.commands.has(command)) || process.uptime() > SHORT_RUN_SEC) return;
    const scripts = new Map(this.#kept.scripts);
    for (const [file, { source, script }] of this.#scripts) scripts.set(file, { source, code: script.createCachedData() });
    write(this.#file, { commands: new Set([...this.#kept.commands, command]), scripts });
  }

  #script(file: string): Script {
    const text = readFileSync(file);
    const source = hashOf(text).toString('hex');
    const kept = this.#kept.scripts.get(file);
    const cachedData = kept?.source === source ? kept.code : undefined;
    const script = new Script(`(function (exports, require, module, __filename, __dirname) {${text.toString()}\n})`, { filename: file, cachedData });
    this.#scripts.set(file, { source, script });
    if (script.cachedDataRejected !== false) {
      this.#grown = true;
      // The code is of another text, or of another node; so is all of it.
      if (kept) this.#kept = NOTHING;
    }
    return script;
  }
}

function read(file: string): Kept | undefined {
  try {
    if (!isPrivate(dirname(file))) return undefined;
    const bytes = readFileSync(file);
    const contents = bytes.subarray(HASH_BYTES);
    return hashOf(contents).equals(bytes.subarray(0, HASH_BYTES)) ? (deserialize(contents) as Kept) : undefined;
  } catch {
    return undefined;
  }
}

/** In one step: whoever reads meanwhile finds the file before or the file after. */
function write(file: string, kept: Kept): void {
  try {
    makeFolder(dirname(file));
    if (!isPrivate(dirname(file))) return;
    const contents = serialize(kept);
    const temporary = `${file}.${process.pid}`;
    try {
      writeFileSync(temporary, Buffer.concat([hashOf(contents), contents]), { mode: 0o600 });
      renameSync(temporary, file);
    } finally {
      rmSync(temporary, { force: true });
    }
  } catch {
    // A full disk, a home that is not there or is read-only: the next run compiles again.
  }
}

/** With the folder around it, but no further: where there is no home, none is made. */
function makeFolder(folder: string): void {
  for (const path of [dirname(folder), folder]) {
    try {
      mkdirSync(path, { mode: 0o700 });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

function isPrivate(folder: string): boolean {
  const stats = lstatSync(folder);
  return stats.isDirectory() && stats.uid === process.geteuid?.() && (stats.mode & 0o022) === 0;
}

function hashOf(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(SHAPE).update(bytes).digest();
}
