/**
 * Which open sessions have died: their process is provably gone on this host, or they were silent for longer than their
 * lease. Nothing is taken from a session that turns out to live; it can go on and end as if nothing had been said.
 */
import type { VaultRepository } from '../vault/vault-repository.ts';
import { findActive, tally } from './activity.ts';
import type { SessionRow, SessionStat } from './table.ts';
import type { World } from './world.ts';

/** The dead among the sessions, by id, with what they had changed. */
export async function findInterrupted(vault: VaultRepository, rows: readonly SessionRow[], { now, isDead }: World): Promise<Map<string, SessionStat>> {
  const open = rows.filter(({ status }) => status === 'open');
  const gone = open.filter(({ process }) => process !== undefined && isDead(process));
  const nowMs = now();
  // A young session has not had the time to be silent for long.
  const old = open.filter((row) => !gone.includes(row) && Date.parse(row.started) < nowMs - row.leaseMs);
  const active = await findActive(vault, new Map(old.map(({ id, leaseMs }) => [id, nowMs - leaseMs])));
  const silent = old.filter(({ id }) => !active.has(id));
  return tally(vault, [...gone, ...silent].map(({ id }) => id));
}
