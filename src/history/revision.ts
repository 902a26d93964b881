/**
 * Commits as a person names them, the same in every command:
 *
 *     <oid>, or a prefix of at least 4 digits that only one commit has, of all that are here and signed by the vault      HEAD, @
 *     @{<time>}   the newest commit on the vault's own line that is not later, by the exact times in the records
 *     tool-use:<id>, session:<id>   the newest commit of it
 *     <any of these>~<n>, <any of these>^   going back along first parents
 *     <rev>..<rev>   what can be reached from the second and not from the first; HEAD where one is left out
 */
import { MemgitError, isMemgitError } from '../errors.ts';
import { parseOid, type Oid } from '../git/objects.ts';
import type { CommitInfo } from '../vault/commit-info.ts';
import type { VaultRepository } from '../vault/vault-repository.ts';
import { parseTime } from './time.ts';
import { readCommit, walkFirstParents, walkHistory } from './walk.ts';

export interface RevisionRange {
  /** Left out, with everything that it can reach. */
  readonly from: Oid;
  readonly to: Oid;
}

const SUFFIXES = /(?:~\d{0,9}|\^[01]?)+$/;
const PREFIX = /^[0-9a-f]{4,40}$/;
const MAX_CANDIDATES = 10;
const NO_COMMIT = 'expected the oid of a commit, got that of something else or of a damaged one; verify tells which';

/** @throws BAD_REVISION when there is no such commit, or several; `details.candidates` has the oids that it could be */
export async function resolveRevision(vault: VaultRepository, text: string, nowMs: number = Date.now()): Promise<Oid> {
  const suffixes = SUFFIXES.exec(text)?.[0] ?? '';
  let oid = await resolveName(vault, text.slice(0, text.length - suffixes.length), nowMs);
  for (let steps = stepsBack(suffixes); steps > 0; steps -= 1) {
    const parent = (await readCommit(vault, oid)).commit.parents[0];
    if (parent === undefined) throw bad(`expected a revision inside the history, got one that goes ${steps} further back than its first commit`, [oid]);
    oid = parent;
  }
  return oid;
}

export function isRange(text: string): boolean {
  return text.includes('..');
}

/** @throws BAD_REVISION */
export async function resolveRange(vault: VaultRepository, text: string, nowMs: number = Date.now()): Promise<RevisionRange> {
  const [from, to, ...rest] = text.split('..');
  if (from === undefined || to === undefined || rest.length > 0 || to.startsWith('.')) throw bad('expected a range of the form A..B');
  const resolve = (name: string) => resolveRevision(vault, name === '' ? 'HEAD' : name, nowMs);
  return { from: await resolve(from), to: await resolve(to) };
}

function stepsBack(suffixes: string): number {
  return [...suffixes.matchAll(/[~^](\d*)/g)].reduce((sum, [, count]) => sum + (count === '' ? 1 : Number(count)), 0);
}

async function resolveName(vault: VaultRepository, name: string, nowMs: number): Promise<Oid> {
  if (name === 'HEAD' || name === '@') return (await vault.head()).oid;
  const [, kind, id] = /^(tool-use|session):(.+)$/s.exec(name) ?? [];
  if (id !== undefined) return resolveTag(vault, kind === 'session' ? 'session' : 'toolUseId', id);
  const [, time] = /^(?:HEAD)?@\{(.+)\}$/.exec(name) ?? [];
  if (time !== undefined) return resolveTime(vault, time, nowMs);
  if (PREFIX.test(name)) return resolveOid(vault, name);
  throw bad('expected an oid or at least 4 digits of one, HEAD, @{time}, tool-use:<id> or session:<id>, got none of these');
}

async function resolveOid(vault: VaultRepository, prefix: string): Promise<Oid> {
  const whole = parseOid(prefix);
  if (whole !== undefined && (await vault.repository.has(whole))) return checked(vault, whole);
  const found: Oid[] = [];
  let damage: unknown;
  for (const oid of await vault.repository.startingWith(prefix)) {
    try {
      if ((await vault.repository.read(oid)).type === 'commit') found.push(oid);
    } catch (error) {
      if (!isMemgitError(error, 'CORRUPT')) throw error;
      damage = error;
    }
  }
  const [only, second] = found;
  if (only === undefined && damage !== undefined) throw bad(NO_COMMIT, [], damage);
  if (only === undefined) throw bad('expected the oid of a commit, but none begins with these digits; the log lists them');
  if (second !== undefined) throw bad('expected the oid of one commit, but several begin with these digits; give more of them', found.sort());
  return checked(vault, only);
}

/** A commit that is named directly may stand outside the history that the head vouches for, so it has to vouch for itself. */
async function checked(vault: VaultRepository, oid: Oid): Promise<Oid> {
  try {
    await vault.checkSignatureOf(await vault.commit(oid));
    return oid;
  } catch (cause) {
    if (!isMemgitError(cause, 'CORRUPT')) throw cause;
    throw bad(NO_COMMIT, [], cause);
  }
}

async function resolveTag(vault: VaultRepository, field: 'toolUseId' | 'session', id: string): Promise<Oid> {
  /** The newest commit of each id that begins so. */
  const similar = new Map<string, Oid>();
  for await (const { oid, info } of walkHistory(vault, (await vault.head()).oid)) {
    const value = info().record[field];
    if (value === id) return oid;
    if (value?.startsWith(id) === true && !similar.has(value)) similar.set(value, oid);
  }
  const [what, shownBy] = field === 'session' ? ['session', 'the list of sessions shows the id of each number'] : ['tool use', 'the log shows them'];
  throw bad(`expected the id of a ${what}, but no commit has this one; ${shownBy}`, [...similar.values()]);
}

async function resolveTime(vault: VaultRepository, text: string, nowMs: number): Promise<Oid> {
  const timeMs = parseTime(text, nowMs);
  if (timeMs === undefined) throw bad('expected a time such as @{2026-11-01}, @{2026-11-01 14:00} or @{3 days ago}, got none of these forms');
  let oldest: CommitInfo | undefined;
  for await (const { info } of walkFirstParents(vault, (await vault.head()).oid)) {
    oldest = info();
    if (oldest.record.timeMs <= timeMs) return oldest.oid;
  }
  throw bad('expected a time after the first commit, got one before there was anything', oldest ? [oldest.oid] : []);
}

function bad(message: string, candidates: readonly Oid[] = [], cause?: unknown): MemgitError {
  return new MemgitError('BAD_REVISION', message, { details: { candidates: candidates.slice(0, MAX_CANDIDATES) }, cause });
}
