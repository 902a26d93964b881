/**
 * A file system on the real disk that knows what a power cut would take away: contents until their file is synced, names until
 * their folder is. Nothing is really synced, so it is fast. What git or another process writes beside it counts as safe.
 */
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { nodeFileSystem, type FileSystem, type ReadHandle, type WriteHandle } from '../../src/git/fs.ts';

/** A file as an inode: its names come and go without it. */
interface File {
  readonly kind: 'file';
  bytes: Buffer;
  synced: Buffer;
  /** A sync of it has failed, after which no later one can be believed. */
  spoiled: boolean;
}

interface Folder {
  readonly kind: 'folder';
}

type Node = File | Folder;

/** What stands at a path now, and what a power cut would leave there at the least. */
interface Name {
  current: Node | undefined;
  durable: Node | undefined;
  renamed: boolean;
}

/** What survives of something that was not synced. */
export interface Survival {
  name(change: { readonly renamed: boolean }): boolean;
  /** How many of `length` bytes, counted from the front. */
  bytes(length: number): number;
}

export class VolatileDisk implements FileSystem {
  /** Every path that was changed. What is not here is as it is on the disk, and safe. */
  readonly #names = new Map<string, Name>();
  readonly #reading = new Set<ReadHandle>();
  readonly #writing = new Set<WriteHandle>();

  async open(path: string): Promise<ReadHandle | undefined> {
    const handle = await nodeFileSystem.open(path);
    if (!handle) return undefined;
    this.#reading.add(handle);
    const close = async () => {
      this.#reading.delete(handle);
      await handle.close();
    };
    return { sizeBytes: handle.sizeBytes, read: (position, length) => handle.read(position, length), close };
  }

  async create(path: string): Promise<WriteHandle> {
    const name = this.#nameOf(path);
    const handle = await nodeFileSystem.create(path);
    this.#writing.add(handle);
    const file: File = { kind: 'file', bytes: Buffer.alloc(0), synced: Buffer.alloc(0), spoiled: false };
    name.current = file;
    return {
      write: async (bytes) => {
        await handle.write(bytes);
        file.bytes = Buffer.concat([file.bytes, bytes]);
      },
      sync: async () => {
        if (!file.spoiled) file.synced = file.bytes;
      },
      close: async () => {
        this.#writing.delete(handle);
        await handle.close();
      },
    };
  }

  readFile: FileSystem['readFile'] = (path, maxBytes) => nodeFileSystem.readFile(path, maxBytes);
  lstat: FileSystem['lstat'] = (path) => nodeFileSystem.lstat(path);
  readdir: FileSystem['readdir'] = (path) => nodeFileSystem.readdir(path);

  async mkdir(path: string): Promise<boolean> {
    const name = this.#nameOf(path);
    if (!(await nodeFileSystem.mkdir(path))) return false;
    name.current = { kind: 'folder' };
    return true;
  }

  async rmdir(path: string): Promise<void> {
    const name = this.#nameOf(path);
    await nodeFileSystem.rmdir(path);
    name.current = undefined;
  }

  async rename(from: string, to: string): Promise<void> {
    const [source, target] = [this.#nameOf(from), this.#nameOf(to)];
    await nodeFileSystem.rename(from, to);
    Object.assign(target, { current: source.current, renamed: true });
    Object.assign(source, { current: undefined, renamed: true });
    if (target.current?.kind === 'folder') this.#moveBelow(from, to);
  }

  async link(existing: string, path: string): Promise<boolean> {
    const [source, target] = [this.#nameOf(existing), this.#nameOf(path)];
    if (!(await nodeFileSystem.link(existing, path))) return false;
    target.current = source.current;
    return true;
  }

  async unlink(path: string): Promise<void> {
    const name = this.#nameOf(path);
    await nodeFileSystem.unlink(path);
    name.current = undefined;
  }

  async syncDirectory(path: string): Promise<void> {
    if (!fs.statSync(path).isDirectory()) throw new Error('expected a folder');
    for (const [at, name] of this.#names) if (dirname(at) === path) Object.assign(name, { durable: name.current, renamed: false });
  }

  /** What a failed sync means to the files in use: the kernel has dropped their pages and will not say so again. */
  spoil(): void {
    for (const { current } of this.#names.values()) if (current?.kind === 'file' && current.synced !== current.bytes) current.spoiled = true;
  }

  /** Makes the disk what it may be after a power cut. The object is used up. */
  async cutPower(survival: Survival): Promise<void> {
    for (const handle of [...this.#reading, ...this.#writing]) await handle.close();
    // Folders first, so that what is below them has a place.
    for (const [path, name] of [...this.#names].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const node = name.current === name.durable || survival.name(name) ? name.current : name.durable;
      if (node === undefined || !fs.existsSync(dirname(path))) removeBusy(path);
      else if (node.kind === 'folder') fs.mkdirSync(path, { recursive: true });
      else {
        const kept = node.synced === node.bytes ? node.bytes : node.bytes.subarray(0, Math.max(node.synced.length, survival.bytes(node.bytes.length)));
        fs.rmSync(path, { force: true });
        fs.writeFileSync(path, kept, { mode: 0o600 });
      }
    }
  }

  #nameOf(path: string): Name {
    const known = this.#names.get(path);
    if (known) return known;
    const node = onDisk(path);
    const name = { current: node, durable: node, renamed: false };
    this.#names.set(path, name);
    return name;
  }

  /** What was noted below a folder goes with it: its own names are as safe as they were, wherever it stands. */
  #moveBelow(from: string, to: string): void {
    for (const [path, name] of [...this.#names]) {
      if (!path.startsWith(`${from}/`)) continue;
      this.#names.delete(path);
      this.#names.set(join(to, path.slice(from.length)), name);
    }
  }
}

function onDisk(path: string): Node | undefined {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  if (stat.isDirectory()) return { kind: 'folder' };
  const bytes = fs.readFileSync(path);
  return { kind: 'file', bytes, synced: bytes, spoiled: false };
}

/** Removes a folder where a git that was started may still be at work: node's own retries do not look for what came meanwhile. */
export function removeBusy(path: string): void {
  for (let tries = 0; ; tries += 1) {
    try {
      fs.rmSync(path, { recursive: true, force: true });
      return;
    } catch (error) {
      if (tries === 100) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}
