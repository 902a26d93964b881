/**
 * Brings a folder of plain files of the host into a memory, as one commit. Bytes are kept as they are. Symbolic links are not
 * followed, and what a memory cannot hold is left out and listed. Nothing on the host is changed.
 */
import { constants } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import { utf8Decode, type Bytes } from '../bytes.ts';
import { isMemgitError, MemgitError } from '../errors.ts';
import { displayPath, parsePath, ROOT, type MemoryPath } from '../vault/path.ts';
import { MAX_FILE_BYTES } from '../vault/payload.ts';
import type { VaultRepository } from '../vault/vault-repository.ts';
import { fileOf, listSnapshot } from './listing.ts';
import { logEntryOf, type LogEntry } from './log-entry.ts';
import { Workbench } from './workbench.ts';

export interface ImportOptions {
  /** The directory of the memory that the folder's contents go into. Default the root. */
  readonly into?: MemoryPath | undefined;
  readonly dryRun?: boolean | undefined;
  readonly note?: string | undefined;
  readonly actor?: string | undefined;
  readonly session?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface SkippedFile {
  /** Relative to the folder; bytes that are no text are shown as U+FFFD. */
  readonly name: string;
  /**
   * For a name that a memory cannot have the `details.reason` of INVALID_PATH, such as `control` or `long-path`. `not-a-file`,
   * `too-large` and `unreadable` say so. `duplicate`: the memory takes two names for one. `taken`: in the memory a file stands
   * where a directory is needed, or the other way round.
   */
  readonly reason: string;
}

export interface ImportResult {
  /** `undefined` after a dry run, and when the memory holds all of it already. */
  readonly commit: LogEntry | undefined;
  /** The files that came in, or would, as Claude spells their paths: those that are new or have other bytes. */
  readonly paths: readonly string[];
  /** How many those are. */
  readonly files: number;
  /** Of them together. */
  readonly bytes: number;
  readonly skipped: readonly SkippedFile[];
}

/** Adds what is in a folder, replacing files of the same names and leaving all others. @throws INVALID_ARGUMENT when it is no folder */
export async function importFolder(vault: VaultRepository, folder: string, options: ImportOptions = {}): Promise<ImportResult> {
  const { into = ROOT, dryRun = false, signal, note, actor, session } = options;
  const found = await readFolder(folder, into);
  const plan = async () => {
    const bench = new Workbench(await listSnapshot(await vault.snapshot()));
    const taken: SkippedFile[] = [];
    for (const [path, { name, content }] of found.items) {
      if (content === undefined) {
        if (bench.hasRoom(path)) bench.makeDirectory(path);
        else if (!bench.isDirectory(path)) taken.push({ name, reason: 'taken' });
      } else if (bench.hasRoom(path) || bench.file(path)) {
        bench.write(path, fileOf(content));
      } else taken.push({ name, reason: 'taken' });
    }
    const changes = await bench.changes();
    const writes = changes.filter((change) => change.kind === 'write');
    const bytes = writes.reduce((sum, { content }) => sum + content.length, 0);
    return { changes, result: { paths: writes.map(({ path }) => displayPath(path)), files: writes.length, bytes, skipped: [...found.skipped, ...taken] } };
  };
  if (dryRun) return { commit: undefined, ...(await plan()).result };
  const { result, commit } = await vault.transact(
    async () => {
      const { changes, result: planned } = await plan();
      return { changes, record: { op: 'import', paths: [into], note, actor, session }, result: planned };
    },
    signal ? { signal } : {},
  );
  return { commit: commit && logEntryOf(commit), ...result };
}

interface Found {
  /** Files, and empty directories, which have no content. */
  readonly items: Map<MemoryPath, { readonly name: string; readonly content: Bytes | undefined }>;
  readonly skipped: SkippedFile[];
}

const SEPARATOR = Buffer.from('/');
const SDK_ROOT = 'memories';

async function readFolder(folder: string, into: MemoryPath): Promise<Found> {
  const found: Found = { items: new Map(), skipped: [] };
  const root = Buffer.from(folder);
  const names = await readdir(root, { encoding: 'buffer' }).catch((cause: unknown) => {
    throw notReadable(cause);
  });
  // The SDK's file tool keeps a memory in <base>/memories, and people name the base.
  const inner = join(root, Buffer.from(SDK_ROOT));
  // What a file manager leaves beside it is no file of a memory.
  const shown = names.map(String).filter((name) => !name.startsWith('.'));
  const isBase = shown.length === 1 && shown[0] === SDK_ROOT && (await lstat(inner)).isDirectory();
  if (!(await readInto(found, isBase ? inner : root, into, isBase ? `${SDK_ROOT}/` : ''))) throw notReadable();
  return found;
}

function notReadable(cause?: unknown): MemgitError {
  return new MemgitError('INVALID_ARGUMENT', 'expected a folder to import that can be read; check its path and permissions', { cause });
}

/** @param prefix what the names of this folder's contents are listed under. Returns whether the folder could be read. */
async function readInto(found: Found, folder: Buffer, directory: MemoryPath, prefix: string): Promise<boolean> {
  const names = await readdir(folder, { encoding: 'buffer' }).catch(() => undefined);
  if (!names) return false;
  for (const bytes of names.sort((a, b) => Buffer.compare(a, b))) {
    const name = prefix + bytes.toString();
    const skip = (reason: string) => found.skipped.push({ name, reason });
    const path = pathFor(directory, bytes);
    if (typeof path !== 'string') {
      skip(path.reason);
      continue;
    }
    const host = join(folder, bytes);
    // Others may be at work in the folder: what was listed may be gone.
    const stat = await lstat(host).catch(() => undefined);
    if (!stat) skip('unreadable');
    else if (found.items.has(path)) skip('duplicate');
    else if (stat.isDirectory()) {
      const before = found.items.size;
      if (!(await readInto(found, host, path, `${name}/`))) skip('unreadable');
      else if (found.items.size === before) found.items.set(path, { name, content: undefined });
    } else if (!stat.isFile()) skip('not-a-file');
    else if (stat.size > MAX_FILE_BYTES) skip('too-large');
    else {
      const content = await readPlainFile(host);
      if (content) found.items.set(path, { name, content });
      else skip('unreadable');
    }
  }
  return true;
}

function pathFor(directory: MemoryPath, name: Buffer): MemoryPath | { readonly reason: string } {
  const text = utf8Decode(name);
  if (text === undefined) return { reason: 'not-text' };
  try {
    return parsePath(`${displayPath(directory)}/${text}`);
  } catch (error) {
    if (isMemgitError(error, 'INVALID_PATH')) return { reason: String(error.details['reason']) };
    throw error;
  }
}

/** `undefined` when it may not be read, or turned into something else meanwhile. */
async function readPlainFile(path: Buffer): Promise<Bytes | undefined> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => undefined);
  if (!handle) return undefined;
  try {
    return (await handle.stat()).isFile() ? await handle.readFile() : undefined;
  } finally {
    await handle.close();
  }
}

function join(folder: Buffer, name: Buffer): Buffer {
  return Buffer.concat([folder, SEPARATOR, name]);
}
