/**
 * The few file system calls that a repository needs, as an interface, so that a test can make any one of them fail.
 * Expected outcomes are values (`undefined` when absent, `false` when taken); anything else is a MemgitError IO with its cause.
 * Files are 0600 and folders 0700 whatever the umask; a symbolic link in the last place of a path is never followed.
 *
 * `nodeFileSystem` uses synchronous calls where they only look names and bytes up: they take 10-60 us where those through the
 * thread pool take 70-270. What may wait for the disk goes to the pool, so that the vaults of one process overlap and the event
 * loop is not held: syncs, and whatever allocates or frees a file (up to several ms each on ext4 without a journal, or with discard).
 */
import * as fs from 'node:fs';
import { promisify } from 'node:util';
import type { Bytes } from '../bytes.ts';
import { MemgitError, isMemgitError } from '../errors.ts';

export interface ReadHandle {
  readonly sizeBytes: number;
  /** Reads `length` bytes from `position`; fewer only where the file ends. */
  read(position: number, length: number): Promise<Bytes>;
  close(): Promise<void>;
}

export interface WriteHandle {
  /** Appends all of the bytes. */
  write(bytes: Bytes): Promise<void>;
  /** Resolves when what was written is on the disk. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

export interface FileStat {
  readonly kind: 'file' | 'directory' | 'other';
  readonly sizeBytes: number;
  /** When its content was written last, in milliseconds since 1970. */
  readonly modifiedMs: number;
}

export interface FileSystem {
  /** Opens a regular file; `undefined` when there is nothing at the path. */
  open(path: string): Promise<ReadHandle | undefined>;
  /** Makes a new file, 0600. @throws IO when there is something at the path. */
  create(path: string): Promise<WriteHandle>;
  /** Reads a whole regular file; `undefined` when absent. @throws CORRUPT when it is larger than `maxBytes`. */
  readFile(path: string, maxBytes: number): Promise<Bytes | undefined>;
  /** Describes what stands at the path itself, which for a symbolic link is 'other'; `undefined` when absent. */
  lstat(path: string): Promise<FileStat | undefined>;
  /** Lists the names in a folder, in no order; `undefined` when absent. */
  readdir(path: string): Promise<readonly string[] | undefined>;
  /** Makes a folder, 0700; `false` when there is something at the path. The parent must exist. */
  mkdir(path: string): Promise<boolean>;
  /** Removes an empty folder; an absent one is fine. */
  rmdir(path: string): Promise<void>;
  /** Moves over whatever file stands at `to`, atomically. */
  rename(from: string, to: string): Promise<void>;
  /** Gives a file a second name; `false` when there is something at `path`. */
  link(existing: string, path: string): Promise<boolean>;
  /** Removes a file; an absent one is fine. */
  unlink(path: string): Promise<void>;
  /** Resolves when the names in a folder are on the disk. */
  syncDirectory(path: string): Promise<void>;
}

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_DIRECTORY } = fs.constants;
const fsync = promisify(fs.fsync);
const openFile = promisify<string, number, number, number>(fs.open);
const renameFile = promisify(fs.rename);
const unlinkFile = promisify(fs.unlink);

export const nodeFileSystem: FileSystem = {
  open: (path) => attempt('open', () => openForReading(path)),

  create: (path) =>
    attempt('create', async () => {
      const fd = await openFile(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
      return {
        write: (bytes) =>
          attempt('write', () => {
            for (let done = 0; done < bytes.length; ) done += fs.writeSync(fd, bytes, done);
          }),
        sync: () => attempt('sync', () => fsync(fd)),
        close: () => attempt('close', () => { fs.closeSync(fd); }),
      };
    }),

  async readFile(path, maxBytes) {
    const handle = await this.open(path);
    if (handle === undefined) return undefined;
    try {
      if (handle.sizeBytes <= maxBytes) return await handle.read(0, handle.sizeBytes);
    } finally {
      await handle.close();
    }
    throw new MemgitError('CORRUPT', `expected a file of at most ${maxBytes} bytes, got ${handle.sizeBytes}`);
  },

  lstat: (path) =>
    attempt('stat', () => {
      const stat = fs.lstatSync(path, { throwIfNoEntry: false });
      if (stat === undefined) return undefined;
      return { kind: stat.isFile() ? 'file' : stat.isDirectory() ? 'directory' : 'other', sizeBytes: stat.size, modifiedMs: stat.mtimeMs };
    }),

  readdir: (path) => attempt('list', () => expecting(['ENOENT'], undefined, () => fs.readdirSync(path))),
  mkdir: (path) => attempt('make a folder', () => expecting(['EEXIST'], false, () => (fs.mkdirSync(path, 0o700), true))),
  rmdir: (path) => attempt('remove a folder', () => { expecting(['ENOENT'], undefined, () => { fs.rmdirSync(path); }); }),
  rename: (from, to) =>
    attempt('rename', async () => {
      if (linksTo(to) === undefined) fs.renameSync(from, to);
      else await renameFile(from, to);
    }),
  link: (existing, path) => attempt('link', () => expecting(['EEXIST'], false, () => (fs.linkSync(existing, path), true))),
  unlink: (path) =>
    attempt('remove', async () => {
      const links = linksTo(path);
      if (links === undefined) return;
      try {
        if (links > 1) fs.unlinkSync(path);
        else await unlinkFile(path);
      } catch (error) {
        if (errnoOf(error) !== 'ENOENT') throw error;
      }
    }),

  syncDirectory: (path) =>
    attempt('sync a folder', async () => {
      const fd = fs.openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
      try {
        await fsync(fd);
      } finally {
        fs.closeSync(fd);
      }
    }),
};

/** How many names a file has, this one among them; `undefined` when there is nothing at the path. Who takes the last one frees the file. */
function linksTo(path: string): number | undefined {
  return fs.lstatSync(path, { throwIfNoEntry: false })?.nlink;
}

/** O_NONBLOCK only keeps a named pipe, put there by someone, from holding the process until it has a writer. */
function openForReading(path: string): ReadHandle | undefined {
  const fd = expecting(['ENOENT', 'ENOTDIR'], undefined, () => fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
  if (fd === undefined) return undefined;
  const stat = fs.fstatSync(fd);
  if (!stat.isFile()) {
    fs.closeSync(fd);
    throw new MemgitError('CORRUPT', 'expected a regular file, got something else at its place');
  }
  return {
    sizeBytes: stat.size,
    read: (position, length) =>
      attempt('read', () => {
        const bytes = Buffer.allocUnsafe(length);
        let done = 0;
        for (let got = -1; done < length && got !== 0; done += got) got = fs.readSync(fd, bytes, done, length - done, position + done);
        return bytes.subarray(0, done);
      }),
    close: () => attempt('close', () => { fs.closeSync(fd); }),
  };
}

/** Runs at once, so that a synchronous call keeps its speed, and gives every failure as a rejection. */
async function attempt<T>(call: string, action: () => T | Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (isMemgitError(error)) throw error;
    const errno = errnoOf(error) ?? 'an unknown error';
    const message = `expected to ${call} in the repository, got ${errno} from the file system; ${errno === 'ENOTDIR' ? 'a part of its path is a file' : 'check its space and permissions'}`;
    throw new MemgitError('IO', message, { details: { call, errno }, cause: error });
  }
}

function expecting<T, U>(errnos: readonly string[], outcome: U, action: () => T): T | U {
  try {
    return action();
  } catch (error) {
    const errno = errnoOf(error);
    if (errno !== undefined && errnos.includes(errno)) return outcome;
    throw error;
  }
}

function errnoOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code;
}
