/** How a vault is doing by itself: its head, its sizes, its keyring, and what somebody should look at. */
import { toHex } from '../bytes.ts';
import { newestEpoch } from '../vault/keyring.ts';
import type { Role } from '../vault/keys.ts';
import { ROOT } from '../vault/path.ts';
import type { VaultRepository } from '../vault/vault-repository.ts';
import { logEntryOf, type LogEntry } from './log-entry.ts';

export interface MemoryStatus {
  readonly userId: string;
  readonly repositoryId: string;
  readonly head: LogEntry;
  readonly files: number;
  readonly emptyDirectories: number;
  /** By the head's number: exact without merges, else the length of the longest line. Nothing is walked for it. */
  readonly commits: number;
  /** The sum of all files as they are now. */
  readonly plainBytes: number;
  readonly diskBytes: number;
  readonly packs: number;
  readonly looseObjects: number;
  readonly keyring: {
    readonly role: Role;
    readonly counter: number;
    /** The newest. */
    readonly epoch: number;
    readonly slots: readonly { readonly id: string; readonly kind: string }[];
  };
  readonly warnings: readonly StatusWarning[];
}

export interface StatusWarning {
  readonly code: 'CLOCK_BEHIND' | 'MANY_PACKS' | 'READER';
  /** What it is and what to do about it. */
  readonly message: string;
}

/** memgit folds packs long before there are so many. */
const MANY_PACKS = 200;

export async function status(vault: VaultRepository, nowMs: number = Date.now()): Promise<MemoryStatus> {
  const head = await vault.head();
  const { userId, role, repositoryId, keyring } = vault.keys;
  const { packs, looseObjects, bytesOnDisk } = await vault.repository.stats();
  const counts = { files: 0, emptyDirectories: 0, plainBytes: 0 };
  for await (const node of (await vault.snapshot(head.oid)).walk(ROOT)) {
    if (node.kind === 'directory') counts.emptyDirectories += 1;
    else counts.files += 1;
    counts.plainBytes += node.kind === 'file' ? node.sizeBytes : 0;
  }
  const warnings: StatusWarning[] = [];
  if (head.record.timeMs > nowMs) {
    warnings.push({ code: 'CLOCK_BEHIND', message: 'the newest commit is from the future of this clock; check the time of the machines that write' });
  }
  if (packs > MANY_PACKS) warnings.push({ code: 'MANY_PACKS', message: `there are ${packs} packs, which makes reading slow; the next change of the memory folds them` });
  if (role === 'reader') warnings.push({ code: 'READER', message: 'this key opens the vault for reading only' });
  return {
    userId,
    repositoryId: toHex(repositoryId),
    head: logEntryOf(head),
    ...counts,
    commits: head.record.sequence + 1,
    diskBytes: bytesOnDisk,
    packs,
    looseObjects,
    keyring: {
      role,
      counter: keyring.counter,
      epoch: newestEpoch(keyring).number,
      slots: keyring.slots.map(({ id, kind }) => ({ id: toHex(id), kind })),
    },
    warnings,
  };
}
