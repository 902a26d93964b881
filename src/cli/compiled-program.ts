/**
 * Runs the program from code that an earlier run compiled: of what a short command takes beyond node itself, a quarter goes into
 * compiling the same functions again. Node keeps compiled code by itself only from version 22.1 on.
 *
 * What is kept will be run, so it is kept in files of this user's, in a folder that nobody else can write to. V8 looks at next to
 * nothing before it runs code: what is damaged, or was compiled by another build of node of the same V8, crashes it. So a file is
 * named by the node that it is of, and hashes cover the code and the text that it was made from. Whatever is amiss, the program is
 * compiled as if nothing were there, and no command ever fails for it.
 */
import { createHash, randomBytes } from 'node:crypto';
import { closeSync, constants, fstatSync, lstatSync, mkdirSync, openSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync, type Stats } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { cachedDataVersionTag, deserialize, serialize } from 'node:v8';
import { Script } from 'node:vm';

const HASH_BYTES = 32;
/** Hashed with everything: for whoever expects another shape, a file of this one is damaged. */
const SHAPE = 'memgit compiled program 1\n';
/** V8 drops the code of functions that a long run has not used for a while, and such a run would gain nothing. */
const SHORT_RUN_US = 2_000_000;
/** Of programs and nodes that may be gone; each is about a megabyte. */
const MAX_FILES = 8;
const WRAPPER = '(function (exports, require, module, __filename, __dirname) {';

/** What a file holds, after its hash. */
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
    const name = nameFor(main);
    if (name === undefined) return;
    this.#file = join(folder, name);
    this.#kept = read(this.#file) ?? NOTHING;
  }

  /** Runs the module in a file, unless it has run, and returns what it exports. @throws what the module throws; it can be loaded again */
  load(file: string): unknown {
    const known = this.#modules.get(file);
    if (known) return known.exports;
    const module = { exports: {} };
    this.#modules.set(file, module);
    const requireOther = createRequire(file);
    const requireFrom = (id: string): unknown => (id.startsWith('./') ? this.load(resolve(dirname(file), id)) : requireOther(id));
    try {
      (this.#script(file).runInThisContext() as Body)(module.exports, requireFrom, module, file, dirname(file));
    } catch (error) {
      this.#modules.delete(file);
      throw error;
    }
    return module.exports;
  }

  /** Keeps the code that a command needed, unless it is kept already. */
  keep(command: string): void {
    const { user, system } = process.cpuUsage();
    if (this.#file === undefined || (!this.#grown && this.#kept.commands.has(command)) || user + system > SHORT_RUN_US) return;
    write(this.#file, () => {
      const scripts = new Map(this.#kept.scripts);
      for (const [file, { source, script }] of this.#scripts) scripts.set(file, { source, code: script.createCachedData() });
      return { commands: new Set([...this.#kept.commands, command]), scripts };
    });
  }

  #script(file: string): Script {
    const text = readFileSync(file);
    const source = hashOf(text).toString('hex');
    const kept = this.#kept.scripts.get(file);
    const cachedData = kept?.source === source ? kept.code : undefined;
    const script = new Script(`${WRAPPER}${text.toString()}\n})`, { filename: file, columnOffset: -WRAPPER.length, cachedData });
    this.#scripts.set(file, { source, script });
    if (script.cachedDataRejected !== false) {
      this.#grown = true;
      // The code is of another text; so is all of it.
      if (kept) this.#kept = NOTHING;
    }
    return script;
  }
}

/**
 * Two builds of one version of node can have the same V8 by all that it tells, and crash on each other's code; so where the running
 * one cannot be found, as after an update under its feet, there is no name.
 */
function nameFor(main: string): string | undefined {
  const build = statSync(process.execPath, { throwIfNoEntry: false });
  if (!build) return undefined;
  const node = [process.version, process.arch, cachedDataVersionTag(), build.size, build.mtimeMs];
  return `${hashOf(Buffer.from([main, ...node].join('\n'))).toString('hex', 0, 8)}.code`;
}

function read(file: string): Kept | undefined {
  try {
    if (!isOurs(lstatSync(dirname(file)))) return undefined;
    const bytes = readOwn(file);
    const contents = bytes.subarray(HASH_BYTES);
    return hashOf(contents).equals(bytes.subarray(0, HASH_BYTES)) ? (deserialize(contents) as Kept) : undefined;
  } catch {
    return undefined;
  }
}

/** @throws when the file is a link, or somebody else's, who may have put it there before the folder was closed */
function readOwn(file: string): Buffer {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile() || stats.nlink !== 1 || !isOurs(stats)) throw new Error('not ours');
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** In one step: whoever reads meanwhile finds the file before or the file after. */
function write(file: string, make: () => Kept): void {
  const folder = dirname(file);
  try {
    for (const path of [dirname(folder), folder]) makeFolder(path);
    if (!isOurs(lstatSync(folder))) return;
    const contents = serialize(make());
    const temporary = `${file}.${randomBytes(4).toString('hex')}`;
    try {
      writeFileSync(temporary, Buffer.concat([hashOf(contents), contents]), { mode: 0o600, flag: 'wx' });
      renameSync(temporary, file);
    } finally {
      rmSync(temporary, { force: true });
    }
    removeOld(folder);
  } catch {
    // A full disk, a home that is not there, not ours or read-only: the next run compiles again.
  }
}

/** In a folder of ours only: `sudo` may keep the home of somebody else, who would be locked out of what root made there. */
function makeFolder(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })) return;
  if (statSync(dirname(path)).uid !== process.geteuid?.()) throw new Error('not ours');
  mkdirSync(path, { mode: 0o700 });
}

/** All but the newest, temporaries of runs that were killed among them. */
function removeOld(folder: string): void {
  const files = readdirSync(folder).map((name) => join(folder, name)).map((file) => ({ file, mtimeMs: lstatSync(file).mtimeMs }));
  for (const { file } of files.sort((a, b) => b.mtimeMs - a.mtimeMs).slice(MAX_FILES)) rmSync(file, { force: true });
}

function isOurs({ uid, mode }: Stats): boolean {
  return uid === process.geteuid?.() && (mode & 0o022) === 0;
}

function hashOf(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(SHAPE).update(bytes).digest();
}
