/**
 * A disk on which one thing goes wrong: at the n-th call that can go wrong that way. After a stop no call ever returns, as for a
 * process that is dead; a refusal is what `nodeFileSystem` would have thrown. `settle` then makes the disk what is found after.
 */
import { MemgitError } from '../../src/errors.ts';
import type { FileSystem, ReadHandle, WriteHandle } from '../../src/git/fs.ts';
import { VolatileDisk, type Survival } from './volatile-disk.ts';

export type Call = Exclude<keyof FileSystem, 'open'> | 'open' | 'read' | 'write' | 'sync' | 'close';

const READS = ['open', 'read', 'readFile', 'lstat', 'readdir'] as const;
const CHANGES = ['create', 'write', 'sync', 'mkdir', 'rmdir', 'rename', 'link', 'unlink', 'syncDirectory'] as const;

interface Fault {
  /** The calls that it can happen at. */
  readonly at: readonly Call[];
  /** The error that is given, or the end of the process. */
  readonly gives: 'EIO' | 'ENOSPC' | 'EACCES' | 'EMFILE' | 'stop';
  /** Whether every such call from the n-th on fails. */
  readonly lasting?: boolean;
  /** A write is done by half first. */
  readonly torn?: boolean;
  /** What is on the disk after a stop. */
  readonly survives?: (random: () => number) => Survival;
}

const all: Survival = { name: () => true, bytes: (length) => length };
const nothing: Survival = { name: () => false, bytes: () => 0 };
const withoutRenames: Survival = { name: ({ renamed }) => !renamed, bytes: (length) => length };
const some = (random: () => number): Survival => ({ name: () => random() < 0.5, bytes: (length) => Math.floor(random() * (length + 1)) });

export const FAULTS = {
  kill: { at: CHANGES, gives: 'stop', survives: () => all },
  'kill in a write': { at: ['write'], gives: 'stop', torn: true, survives: () => all },
  'power cut': { at: CHANGES, gives: 'stop', survives: () => nothing },
  'power cut in a write': { at: ['write'], gives: 'stop', torn: true, survives: some },
  'power cut, some of it kept': { at: CHANGES, gives: 'stop', survives: some },
  'lost renames': { at: CHANGES, gives: 'stop', survives: () => withoutRenames },
  EIO: { at: [...READS, ...CHANGES], gives: 'EIO' },
  EACCES: { at: ['open', 'readFile', 'readdir', 'create', 'mkdir', 'rmdir', 'rename', 'link', 'unlink'], gives: 'EACCES' },
  EMFILE: { at: ['open', 'readFile', 'readdir', 'create', 'syncDirectory'], gives: 'EMFILE' },
  'full disk': { at: ['create', 'write', 'mkdir', 'link', 'rename'], gives: 'ENOSPC', lasting: true, torn: true },
  'failed sync': { at: ['sync', 'syncDirectory'], gives: 'EIO' },
} satisfies Record<string, Fault>;

export type FaultName = keyof typeof FAULTS;

export class FaultyDisk {
  readonly fs: FileSystem;
  /** What was called since `arm`. */
  readonly calls: Call[] = [];
  /** Resolves when the process is dead. */
  readonly stopped: Promise<'stopped'>;
  readonly #disk = new VolatileDisk();
  readonly #fault: Fault;
  readonly #random: () => number;
  #stop!: () => void;
  #dead = false;
  #armed = false;
  #left = Infinity;

  constructor(name: FaultName, random: () => number) {
    this.#fault = FAULTS[name];
    this.#random = random;
    this.stopped = new Promise((resolve) => {
      this.#stop = () => { resolve('stopped'); };
    });
    this.fs = this.#wrap();
  }

  /** From now on, the n-th call fails. */
  arm(n: number): void {
    this.#armed = true;
    this.#left = n;
  }

  /** The fault is repaired; whether it was met. */
  disarm(): boolean {
    this.#armed = false;
    const met = this.#left <= 0;
    this.#left = Infinity;
    return met;
  }

  /** Makes the disk what a new process finds: after a stop what survives of it, otherwise what a power cut now would leave. */
  async settle(): Promise<void> {
    this.#dead = true;
    await this.#disk.cutPower(this.#fault.survives?.(this.#random) ?? nothing);
  }

  #wrap(): FileSystem {
    const disk = this.#disk;
    const plain = ['readFile', 'lstat', 'readdir', 'mkdir', 'rmdir', 'rename', 'link', 'unlink', 'syncDirectory'] as const;
    const calls = plain.map((call) => [call, (...args: never[]) => this.#run(call, () => (disk[call] as (...args: never[]) => Promise<unknown>)(...args))] as const);
    return {
      ...(Object.fromEntries(calls) as Pick<FileSystem, (typeof plain)[number]>),
      open: async (path) => this.#run('open', async () => this.#wrapReading(await disk.open(path))),
      create: async (path) => this.#run('create', async () => this.#wrapWriting(await disk.create(path))),
    };
  }

  #wrapReading(handle: ReadHandle | undefined): ReadHandle | undefined {
    return handle && { sizeBytes: handle.sizeBytes, read: (...args) => this.#run('read', () => handle.read(...args)), close: () => this.#run('close', () => handle.close()) };
  }

  #wrapWriting(handle: WriteHandle): WriteHandle {
    return {
      write: (bytes) => this.#run('write', () => handle.write(bytes), () => handle.write(bytes.subarray(0, bytes.length / 2))),
      sync: () => this.#run('sync', () => handle.sync()),
      close: () => this.#run('close', () => handle.close()),
    };
  }

  async #run<T>(call: Call, action: () => Promise<T>, half?: () => Promise<void>): Promise<T> {
    if (this.#dead) return this.#never();
    const { at, gives, lasting, torn } = this.#fault;
    if (this.#armed) this.calls.push(call);
    if (!at.includes(call)) return action();
    this.#left -= 1;
    if (lasting === true ? this.#left > 0 : this.#left !== 0) return action();
    if (torn === true) await half?.();
    if (gives === 'stop') {
      this.#dead = true;
      this.#stop();
      return this.#never();
    }
    if (call === 'sync') this.#disk.spoil();
    throw new MemgitError('IO', `expected to ${call}, got ${gives}`, { details: { call, errno: gives } });
  }

  #never(): Promise<never> {
    return new Promise(() => {});
  }
}
