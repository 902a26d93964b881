/** What sessions take from outside, so that tests can replace it: the clock, randomness, and which processes live. */
import { systemRandom, type RandomSource } from '../crypto/sodium.ts';
import { describeProcess, isDead, type Owner } from '../git/owner.ts';
import type { ExecuteOptions, ToolResult } from '../memory/execute.ts';
import type { HandlerOptions, MemoryTool, MemoryHandlers, ToolOptions } from '../memory/tool.ts';
import type { Snapshot } from '../vault/snapshot.ts';
import type { Committed, Draft } from '../vault/transaction.ts';
import type { VaultRepository } from '../vault/vault-repository.ts';

export interface World {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly random: RandomSource;
  readonly describeProcess: (pid: number) => Owner;
  readonly isDead: (process: Owner) => boolean;
}

export const systemWorld: World = { now: Date.now, random: systemRandom, describeProcess, isDead };

/** What a vault lends to its sessions. */
export interface SessionHost {
  /** For what belongs to a mutation and is looked up before it. @throws CLOSED */
  repository(): VaultRepository;
  /** A question, which is told of as an operation of its own. @throws CLOSED */
  ask<T>(op: string, answer: (repository: VaultRepository) => Promise<T>): Promise<T>;
  /** A mutation under the vault's policy. */
  transact<T>(op: string, build: (snapshot: Snapshot) => Promise<Draft<T>>): Promise<Committed<T>>;
  memoryTool(options: ToolOptions): MemoryTool;
  handlers(options: HandlerOptions): MemoryHandlers;
  execute(input: unknown, options: ExecuteOptions): Promise<ToolResult>;
}
