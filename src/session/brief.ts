/**
 * The brief: what a session has to know of the ones before it, from the table, the checklist, a few logs and the newest
 * commits. The same memory gives the same brief, as long as the same open sessions are alive.
 */
import { assertOneOf, assertWholeNumber } from '../checks.ts';
import { walkHistory } from '../history/walk.ts';
import { displayPath } from '../vault/path.ts';
import type { Snapshot } from '../vault/snapshot.ts';
import type { VaultRepository } from '../vault/vault-repository.ts';
import { isWork } from './activity.ts';
import { MIN_BRIEF_CHARS, type Brief, type BriefFeatures, type BriefSession, type BriefSince } from './brief-content.ts';
import { renderBrief } from './brief-render.ts';
import { isChecklist, nextFeature } from './checklist.ts';
import { summarize } from './features.ts';
import { FEATURES, INIT, logPath, README } from './layout.ts';
import { findInterrupted } from './liveness.ts';
import { faultSentence } from './messages.ts';
import { readChecklist, readTable, readText } from './progress-files.ts';
import { digestOf } from './session-log.ts';
import type { SessionRow } from './table.ts';
import type { World } from './world.ts';

export interface BriefOptions {
  /** The most characters that the brief may have; at least 200. Default 4,000. */
  readonly maxChars?: number | undefined;
  /** `'json'` gives the text of one JSON object, a `Brief`. Default `'text'`. */
  readonly format?: 'text' | 'json' | undefined;
}

const MAX_CHARS = 4000;
const SESSIONS_SHOWN = 3;
const SESSIONS_SHOWN_MAX = 10;
const COMMITS_COUNTED = 1000;

/** @param own the number of the session that is briefed; `undefined` outside any. @throws CORRUPT when the table cannot be read */
export async function writeBrief(vault: VaultRepository, world: World, own: number | undefined, { maxChars = MAX_CHARS, format = 'text' }: BriefOptions): Promise<string> {
  assertWholeNumber('maxChars', maxChars, MIN_BRIEF_CHARS);
  assertOneOf('format', format, ['text', 'json']);
  return renderBrief(await gatherBrief(vault, world, own), format, maxChars);
}

async function gatherBrief(vault: VaultRepository, world: World, own: number | undefined): Promise<Brief> {
  const snapshot = await vault.snapshot();
  const rows = await readTable(snapshot);
  const self = rows.find(({ number }) => number === own);
  const others = await withDeaths(vault, world, rows.filter((row) => row !== self));
  const features = await gatherFeatures(snapshot, rows);
  const open = others.filter(({ status }) => status === 'open').map(({ number, agent, goal, started }) => ({ number, agent, goal, started }));
  const sessions = await gatherSessions(snapshot, others);
  const guides = await gatherGuides(snapshot);
  return {
    ...(self ? { session: { number: self.number, id: self.id, isFirst: self.isFirst, agent: self.agent, model: self.model, goal: self.goal } } : {}),
    ...(features ? { features } : {}),
    ...(open.length > 0 ? { open } : {}),
    ...(sessions.length > 0 ? { sessions } : {}),
    ...(rows.length > 0 ? { since: await gatherSince(vault, rows, self?.id) } : {}),
    ...(guides.length > 0 ? { guides } : {}),
  };
}

/** The rows as the next start would leave them: with the dead told apart from the open. */
async function withDeaths(vault: VaultRepository, world: World, rows: readonly SessionRow[]): Promise<SessionRow[]> {
  const dead = await findInterrupted(vault, rows, world);
  return rows.map((row) => {
    const stat = dead.get(row.id);
    return stat ? { ...row, status: 'interrupted', stat } : row;
  });
}

async function gatherFeatures(snapshot: Snapshot, rows: readonly SessionRow[]): Promise<BriefFeatures | undefined> {
  // Only a file is looked for: whether a folder stands there instead, as nobody should make one, would need every entry opened.
  if (!(await snapshot.isFile(FEATURES))) return undefined;
  const checklist = await readChecklist(snapshot);
  if (!checklist) return undefined;
  if (!isChecklist(checklist)) return { total: 0, passing: 0, done: false, fault: faultSentence(checklist) };
  const { total, passing, done } = summarize(checklist);
  // A feature may also have been broken by a session that is still open, or outside any.
  const passedOnce = new Set(rows.flatMap(({ stat }) => [...(stat?.passed ?? []), ...(stat?.regressed ?? [])]));
  const next = nextFeature(checklist);
  const regressions = checklist.filter(({ id, passes }) => !passes && passedOnce.has(id));
  return {
    total,
    passing,
    done,
    ...(next ? { next: { id: next.id, description: next.description, steps: next.steps, notes: next.notes } } : {}),
    ...(regressions.length > 0 ? { regressions: regressions.map(({ id, description, notes }) => ({ id, description, notes })) } : {}),
  };
}

/** The newest few, and further back where all of those were interrupted, as in a loop that keeps crashing. */
async function gatherSessions(snapshot: Snapshot, others: readonly SessionRow[]): Promise<BriefSession[]> {
  const over = others.filter(({ status }) => status !== 'open').reverse();
  const lastEnd = over.findIndex(({ status }) => status !== 'interrupted');
  const shown = over.slice(0, Math.min(SESSIONS_SHOWN_MAX, Math.max(SESSIONS_SHOWN, lastEnd + 1)));
  return Promise.all(
    shown.map(async ({ number, agent, goal, status, started, ended, stat }) => {
      const digest = digestOf((await readText(snapshot, logPath(number))) ?? '');
      return { number, agent, goal, status, started, ended, stat, ...digest };
    }),
  );
}

async function gatherGuides(snapshot: Snapshot): Promise<string[]> {
  const guides: string[] = [];
  for (const path of [README, INIT]) if (await snapshot.isFile(path)) guides.push(displayPath(path));
  return guides;
}

/** Commits since the newest end of a session, but for those of the session that asks. */
async function gatherSince(vault: VaultRepository, rows: readonly SessionRow[], own: string | undefined): Promise<BriefSince> {
  const numbers = new Map(rows.map(({ id, number }) => [id, number]));
  const counts = new Map<number | undefined, number>();
  let met = 0;
  let session: number | undefined;
  for await (const walked of walkHistory(vault, (await vault.head()).oid)) {
    const info = walked.info();
    const { op, session: id } = info.record;
    if (met === COMMITS_COUNTED) break;
    met += 1;
    if (id !== own && (op === 'session_end' || op === 'session_abandon')) {
      session = id === undefined ? undefined : numbers.get(id);
      break;
    }
    if ((id !== own || own === undefined) && isWork(info) && op !== 'init') {
      const number = id === undefined ? undefined : numbers.get(id);
      counts.set(number, (counts.get(number) ?? 0) + 1);
    }
  }
  const bySession = [...counts].map(([number, commits]) => ({ ...(number === undefined ? {} : { number }), commits }));
  bySession.sort((a, b) => (b.number ?? 0) - (a.number ?? 0));
  return { session, commits: bySession.reduce((sum, { commits }) => sum + commits, 0), complete: met < COMMITS_COUNTED, bySession };
}
