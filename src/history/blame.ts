/**
 * Who wrote each line of a file. Versions are gone through from the oldest to the newest, so that each is built on the one
 * before it and only the versions of this one file are ever opened. A line that a revert or a restore brings back belongs to
 * the commit that first wrote it, not to the one that brought it back.
 */
import { utf8Decode, type Bytes } from '../bytes.ts';
import { MemgitError } from '../errors.ts';
import type { Oid } from '../git/objects.ts';
import { giveWay } from '../git/turns.ts';
import type { CommitInfo } from '../vault/commit-info.ts';
import { statFile } from '../vault/file-at.ts';
import { displayPath, type MemoryPath } from '../vault/path.ts';
import type { VaultRepository } from '../vault/vault-repository.ts';
import { followPath, type FollowedCommit } from './follow.ts';
import { diffLines, MAX_LINES, textLines } from './lines.ts';
import { logEntryOf } from './log-entry.ts';
import { pathMissing } from './missing.ts';
import { resolveRevision } from './revision.ts';

export interface BlameLine {
  /** Counted from 1. */
  readonly line: number;
  /** Without its LF. */
  readonly text: string;
  readonly oid: string;
  /** ISO 8601 in UTC. */
  readonly time: string;
  readonly op: string;
  /** What the file was called then. */
  readonly path: string;
  readonly session?: string;
  readonly toolUseId?: string;
  readonly model?: string;
  readonly actor?: string;
}

export interface BlameOptions {
  /** Default `HEAD`. */
  readonly revision?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** @throws BAD_REVISION, NOT_FOUND (with `removedIn`), NOT_A_FILE; NOT_TEXT, TOO_LARGE when the file has no lines, or too many; ABORTED */
export async function blame(vault: VaultRepository, path: MemoryPath, { revision = 'HEAD', signal }: BlameOptions = {}): Promise<BlameLine[]> {
  const oid = await resolveRevision(vault, revision);
  const snapshot = await vault.snapshot(oid);
  if (!(await statFile(snapshot, path))) throw await pathMissing(vault, oid, path);
  const version = await attribute(vault, await collect(vault, oid, path, signal), signal);
  if (!version) throw withoutLines(await snapshot.read(path));
  const lines: BlameLine[] = [];
  for (const [i, text] of version.lines.entries()) {
    const { oid: writer, path: then } = version.origins[i]!;
    lines.push(lineOf(i, text, await vault.commit(writer), then));
  }
  return lines;
}

function withoutLines(content: Bytes): MemgitError {
  if (utf8Decode(content) === undefined) return new MemgitError('NOT_TEXT', 'expected a file of lines of text, got one of other bytes');
  return new MemgitError('TOO_LARGE', `expected a file of at most ${MAX_LINES} lines, got one of more`, { details: { limit: MAX_LINES } });
}

interface Origin {
  readonly oid: Oid;
  readonly path: MemoryPath;
}

interface Version {
  readonly lines: readonly string[];
  /** Who wrote each of the lines. */
  readonly origins: readonly Origin[];
}

/** A commit that made a version of the file, and the versions that it is compared with, by the commits that made these. */
interface Step extends Pick<FollowedCommit, 'oid' | 'path' | 'entry'> {
  readonly sources: readonly Oid[];
}

/** The versions of a file. */
interface FileHistory {
  /** From the oldest to the newest, each compared with its parents alone. */
  readonly steps: readonly Step[];
  /** Every commit that has the file, to the one that made its version of it. */
  readonly makers: ReadonlyMap<Oid, Oid>;
}

async function collect(vault: VaultRepository, from: Oid, path: MemoryPath, signal: AbortSignal | undefined): Promise<FileHistory> {
  const commits: FollowedCommit[] = [];
  for await (const commit of followPath(vault, from, path, { signal })) commits.push(commit);
  const steps: Step[] = [];
  const makers = new Map<Oid, Oid>();
  for (const { oid, path: here, changed, sameAs, entry, parents } of commits.reverse()) {
    const maker = changed ? oid : sameAs && makers.get(sameAs);
    if (maker !== undefined) makers.set(oid, maker);
    if (changed) steps.push({ oid, path: here, entry, sources: makersOf(parents, makers) });
  }
  return { steps, makers };
}

function makersOf(commits: readonly Oid[], makers: ReadonlyMap<Oid, Oid>): Oid[] {
  return commits.flatMap((oid) => makers.get(oid) ?? []);
}

/**
 * Most commits wrote what is new in them, and whether one brought it back instead only its record says. So each is first taken at
 * its word, and records are opened of those alone that seem to have written a line which is still there; where one of these was
 * an undo, all are asked.
 */
async function attribute(vault: VaultRepository, { steps, makers }: FileHistory, signal: AbortSignal | undefined): Promise<Version | undefined> {
  const version = await replay(vault, steps, signal);
  for (const { oid } of new Set(version?.origins)) {
    if ((await broughtBack(vault, oid)).length === 0) continue;
    const informed: Step[] = [];
    for (const step of steps) informed.push({ ...step, sources: [...step.sources, ...makersOf(await broughtBack(vault, step.oid), makers)] });
    return replay(vault, informed, signal);
  }
  return version;
}

/** The commits whose state a revert or a restore went back to. */
async function broughtBack(vault: VaultRepository, oid: Oid): Promise<Oid[]> {
  const { record } = await vault.commit(oid);
  const targets = (record.targets ?? []) as readonly Oid[];
  if (record.op === 'restore') return [...targets];
  const before: Oid[] = [];
  for (const target of record.op === 'revert' ? targets : []) before.push(...(await vault.commit(target)).commit.parents.slice(0, 1));
  return before;
}

/** Returns the newest version; `undefined` when that has no lines. */
async function replay(vault: VaultRepository, steps: readonly Step[], signal: AbortSignal | undefined): Promise<Version | undefined> {
  const uses = new Map<Oid, number>();
  for (const oid of steps.flatMap(({ sources }) => sources)) uses.set(oid, (uses.get(oid) ?? 0) + 1);

  const versions = new Map<Oid, Version | undefined>();
  let newest: Version | undefined;
  for (const step of steps) {
    await giveWay(signal);
    newest = await versionAt(vault, step, step.sources.flatMap((oid) => versions.get(oid) ?? []));
    if (uses.has(step.oid)) versions.set(step.oid, newest);
    for (const oid of step.sources) {
      // A version that nothing later is compared with is let go.
      const left = uses.get(oid)! - 1;
      uses.set(oid, left);
      if (left === 0) versions.delete(oid);
    }
  }
  return newest;
}

async function versionAt(vault: VaultRepository, { oid, path, entry }: Step, sources: readonly Version[]): Promise<Version | undefined> {
  if (!entry || (await vault.entries.info(entry.name, entry.blob)).kind !== 'file') return undefined;
  const lines = textLines(await vault.entries.content(entry.name, entry.blob));
  if (!lines) return undefined;
  const origins: (Origin | undefined)[] = new Array<undefined>(lines.length).fill(undefined);
  for (const source of sources) inherit(source, lines, origins);
  const own: Origin = { oid, path };
  return { lines, origins: origins.map((origin) => origin ?? own) };
}

/** Gives the lines that a source has as well, and that nobody is known to have written, to whoever wrote them there. */
function inherit(source: Version, lines: readonly string[], origins: (Origin | undefined)[]): void {
  let [oldAt, newAt] = [0, 0];
  for (const { oldStart, oldCount, newStart, newCount } of [...diffLines(source.lines, lines), END]) {
    for (; oldAt < Math.min(oldStart, source.lines.length); oldAt += 1, newAt += 1) origins[newAt] ??= source.origins[oldAt]!;
    [oldAt, newAt] = [oldStart + oldCount, newStart + newCount];
  }
}

const END = { oldStart: Infinity, oldCount: 0, newStart: Infinity, newCount: 0 };

function lineOf(index: number, text: string, info: CommitInfo, path: MemoryPath): BlameLine {
  const { oid, time, op, session, toolUseId, model, actor } = logEntryOf(info);
  return {
    line: index + 1,
    text: text.replace(/\n$/, ''),
    oid,
    time,
    op,
    path: displayPath(path),
    ...(session === undefined ? {} : { session }),
    ...(toolUseId === undefined ? {} : { toolUseId }),
    ...(model === undefined ? {} : { model }),
    ...(actor === undefined ? {} : { actor }),
  };
}
