/**
 * Who holds a lock, written down so that another process can tell whether the holder still lives, and that judgement.
 * Dead means proven dead: this host and machine, and an earlier boot, or a process of this pid namespace that is gone, replaced or a zombie
 * (it runs no code any more, and without an init to reap it it would hold its lock for ever). All doubt counts as alive.
 */
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { utf8Decode, type Bytes } from '../bytes.ts';
import type { FileSystem } from './fs.ts';

const MAX_OWNER_BYTES = 4096;

export interface Owner {
  /** 16 random hexadecimal digits: one holder of locks, that is, one open repository of one process. */
  readonly id: string;
  readonly host: string;
  /**
   * A hash of the machine's id, which machine-id(5) wants told to nobody: of two machines with one host name, the other's boots say
   * nothing here. Empty where there is none, absent in what was written before it was looked at.
   */
  readonly machine?: string | undefined;
  /** The kernel's boot id, and like the next fields empty where there is no /proc. */
  readonly boot: string;
  readonly pid: number;
  readonly pidNamespace: string;
  /** When the process started, in clock ticks since boot. */
  readonly started: string;
}

export function describeSelf(): Owner {
  return describeProcess(process.pid);
}

/** A process of this host, as it is known from now on; of one that is gone already, the result is dead. */
export function describeProcess(pid: number): Owner {
  return {
    id: randomBytes(8).toString('hex'),
    host: hostname(),
    machine: machineHash(),
    boot: bootId(),
    pid,
    pidNamespace: pidNamespace(),
    started: readProcess(pid)?.started ?? '',
  };
}

export function encodeOwner(owner: Owner): Bytes {
  return Buffer.from(`${JSON.stringify(owner)}\n`, 'utf8');
}

/** Returns `undefined` for anything that memgit did not write whole, such as git's own lock files. */
export function decodeOwner(bytes: Bytes): Owner | undefined {
  const text = utf8Decode(bytes);
  if (!text?.endsWith('}\n')) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isOwner(value) ? value : undefined;
}

/** Reads who is written down in a file; `undefined` when the file is absent, or holds no owner. @throws CORRUPT when it is too large to be one */
export async function readOwner(fs: FileSystem, path: string): Promise<Owner | undefined> {
  const bytes = await fs.readFile(path, MAX_OWNER_BYTES);
  return bytes && decodeOwner(bytes);
}

/** Tells whether the process is provably gone. @see the head of this file for what counts as proof */
export function isDead(owner: Owner): boolean {
  if (owner.host !== hostname() || (owner.machine ?? machineHash()) !== machineHash()) return false;
  const boot = bootId();
  if (boot !== '' && owner.boot !== '' && owner.boot !== boot) return true;
  if (owner.pidNamespace !== pidNamespace()) return false;
  if (!pidExists(owner.pid)) return true;
  const found = readProcess(owner.pid);
  if (found === undefined || owner.started === '') return false;
  return found.started !== owner.started || found.state === 'Z' || found.state === 'X';
}

/** Whether it is shaped as an owner, wherever it was read. */
export function isOwner(value: unknown): value is Owner {
  if (typeof value !== 'object' || value === null) return false;
  const { id, host, machine = '', boot, pid, pidNamespace, started } = value as Record<keyof Owner, unknown>;
  const texts = [host, machine, boot, pidNamespace, started].every((field) => typeof field === 'string');
  return texts && typeof id === 'string' && /^[0-9a-f]{16}$/.test(id) && Number.isSafeInteger(pid) && Number(pid) > 0;
}

function pidExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function machineHash(): string {
  const id = orEmpty(() => readFileSync('/etc/machine-id', 'latin1').trim());
  return id === '' ? '' : createHash('sha256').update(`memgit owner ${id}`).digest('hex').slice(0, 16);
}

function bootId(): string {
  return orEmpty(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim());
}

function pidNamespace(): string {
  return orEmpty(() => readlinkSync('/proc/self/ns/pid'));
}

/** State and start time of a process: fields 3 and 22 of its stat line, counted behind the name in brackets, which may hold anything. */
function readProcess(pid: number): { state: string; started: string } | undefined {
  const line = orEmpty(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const [state, started] = [fields[0], fields[19]];
  return state !== undefined && started !== undefined ? { state, started } : undefined;
}

function orEmpty(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
