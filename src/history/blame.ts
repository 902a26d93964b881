/**
 * Who wrote each line of a file. Versions are gone through from the oldest to the newest, so that each is built on the one
 * before it and only the versions of this one file are ever opened. A line that a revert or a restore brings back belongs to
 * the commit that first wrote it, not to the one that brought it back.
 */
import { MemgitError } from '../errors.ts';
import type { Oid } from '../git/objects.ts';
import type { CommitInfo } from '../vault/commit-info.ts';
import { displayPath, type MemoryPath } from '../vault/path.ts';
import type { VaultRepository } from '../vault/vault-repository.ts';
import { followPath, type FollowedCommit } from './follow.ts';
import { diffLines, textLines } from './lines.ts';
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

/** @throws BAD_REVISION, NOT_FOUND (with `removedIn`), NOT_A_FILE; NOT_TEXT when the file has no lines to speak of */
export async function blame(vault: VaultRepository, path: MemoryPath, revision = 'HEAD'): Promise<BlameLine[]> {
  const oid = await resolveRevision(vault, revision);
  const node = await (await vault.snapshot(oid)).stat(path);
  if (!node) throw await pathMissing(vault, oid, path);
  if (node.kind === 'directory') throw new MemgitError('NOT_A_FILE', 'expected the path of a file, got that of a directory');
  const version = await replay(vault, await collect(vault, oid, path));
  if (!version) throw new MemgitError('NOT_TEXT', 'expected a file of lines of text, got one of other bytes');
  return version.lines.map((text, i) => lineOf(i, text, version.origins[i]!));
}

interface Origin {
  readonly info: CommitInfo;
  readonly path: MemoryPath;
}

interface Version {
  readonly lines: readonly string[];
  /** Who wrote each of the lines. */
  readonly origins: readonly Origin[];
}

/** A commit on the file's way, and the commits whose versions its own is compared with: parents, then what it brought back. */
interface Step extends Pick<FollowedCommit, 'oid' | 'path' | 'changed' | 'sameAs'> {
  readonly sources: readonly Oid[];
}

/** From the oldest to the newest. */
async function collect(vault: VaultRepository, from: Oid, path: MemoryPath): Promise<Step[]> {
  const steps: Step[] = [];
  for await (const { oid, path: here, changed, sameAs, commit, info } of followPath(vault, from, path)) {
    steps.push({ oid, path: here, changed, sameAs, sources: changed ? [...commit.parents, ...(await broughtBack(vault, info()))] : [] });
  }
  return steps.reverse();
}

/** The commits whose state a revert or a restore went back to. */
async function broughtBack(vault: VaultRepository, { record }: CommitInfo): Promise<Oid[]> {
  const targets = (record.targets ?? []) as readonly Oid[];
  if (record.op === 'restore') return [...targets];
  const before: Oid[] = [];
  for (const target of record.op === 'revert' ? targets : []) before.push(...(await vault.commit(target)).commit.parents.slice(0, 1));
  return before;
}

async function replay(vault: VaultRepository, steps: readonly Step[]): Promise<Version | undefined> {
  const uses = new Map<Oid, number>();
  for (const { sameAs, sources } of steps) for (const oid of sameAs ? [sameAs] : sources) uses.set(oid, (uses.get(oid) ?? 0) + 1);

  const versions = new Map<Oid, Version | undefined>();
  let newest: Version | undefined;
  for (const step of steps) {
    const sources = (step.sameAs ? [step.sameAs] : step.sources).map((oid) => versions.get(oid));
    newest = step.changed ? await versionAt(vault, step, sources.filter((source) => source !== undefined)) : sources[0];
    if (uses.has(step.oid)) versions.set(step.oid, newest);
    for (const oid of step.sameAs ? [step.sameAs] : step.sources) {
      // A version that nothing later is compared with is let go.
      const left = uses.get(oid)! - 1;
      uses.set(oid, left);
      if (left === 0) versions.delete(oid);
    }
  }
  return newest;
}

async function versionAt(vault: VaultRepository, { oid, path }: Step, sources: readonly Version[]): Promise<Version | undefined> {
  const snapshot = await vault.snapshot(oid);
  if ((await snapshot.stat(path))?.kind !== 'file') return undefined;
  const lines = textLines(await snapshot.read(path));
  if (!lines) return undefined;
  const origins: (Origin | undefined)[] = new Array<undefined>(lines.length).fill(undefined);
  for (const source of sources) inherit(source, lines, origins);
  const own: Origin = { info: await vault.commit(oid), path };
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

function lineOf(index: number, text: string, { info, path }: Origin): BlameLine {
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
