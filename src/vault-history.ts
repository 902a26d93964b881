/**
 * The history of a vault as the host program and the auditor see it. Revisions are written as on the command line (an oid or
 * its beginning, `HEAD~3`, `@{yesterday}`, `tool-use:<id>`, `session:<id>`), paths as Claude writes them.
 */
import { blame, type BlameLine, type BlameOptions } from './history/blame.ts';
import type { UndoOptions, UndoResult } from './history/bench-commit.ts';
import { absolutePath, assertObject, assertOneOf, assertPattern, assertText, assertTexts, assertTime, assertWholeNumber } from './checks.ts';
import type { RepositoryStats } from './git/stats.ts';
import { diff, type FileDiff } from './history/diff.ts';
import { exportFolder, exportTar, type ExportOptions as InnerExportOptions, type ExportResult, type FolderExportOptions as InnerFolderExportOptions } from './history/export.ts';
import type { VerifyReport } from './history/findings.ts';
import { grep, type GrepMatch, type GrepOptions as InnerGrepOptions } from './history/grep.ts';
import { importFolder, type ImportOptions as InnerImportOptions, type ImportResult } from './history/import.ts';
import { log, type FilteredLogEntry, type LogFilter as InnerLogFilter } from './history/log.ts';
import { restore } from './history/restore.ts';
import { revert, type RevertOptions, type RevertTargets } from './history/revert.ts';
import { resolveRevision } from './history/revision.ts';
import { show, showFile, type ShownCommit } from './history/show.ts';
import { verify, type VerifyOptions } from './history/verify.ts';
import { isUndoable } from './session/review.ts';
import { parsePath } from './vault/path.ts';
import { VaultBase } from './vault-base.ts';

/** A path as Claude writes it, in place of the parsed one. */
type WithPath<T> = Omit<T, 'path'> & { readonly path?: string | undefined };

type WithInto<T> = Omit<T, 'into'> & { readonly into?: string | undefined };

export type LogFilter = WithPath<InnerLogFilter>;
export type GrepOptions = WithPath<InnerGrepOptions>;
export type ExportOptions = WithPath<InnerExportOptions>;
export type FolderExportOptions = WithPath<InnerFolderExportOptions>;
export type ImportOptions = WithInto<InnerImportOptions>;

export interface PathOptions {
  /** Only this file or folder. Default: the whole memory. */
  readonly path?: string | undefined;
}

export interface DiffContext extends PathOptions {
  /** Unchanged lines around each change. Default 3. */
  readonly context?: number | undefined;
}

export interface AtRevision {
  /** Default `HEAD`. */
  readonly revision?: string | undefined;
}

/** What a `gc` found and what it left. */
export interface GcResult {
  readonly before: RepositoryStats;
  readonly after: RepositoryStats;
}

export class VaultHistory extends VaultBase {
  /** The commits, newest first, each as soon as it is found. @throws BAD_REVISION, NOT_FOUND, INVALID_ARGUMENT, INVALID_PATH, ABORTED */
  log(filter: LogFilter = {}): AsyncGenerator<FilteredLogEntry> {
    assertWholeNumber('limit', filter.limit === Infinity ? undefined : filter.limit, 0);
    assertText('revision', filter.revision ?? 'HEAD');
    assertPattern('grep', filter.grep ?? '');
    for (const name of ['since', 'until'] as const) assertTime(name, filter[name] ?? '');
    const parsed = withParsedPath(filter);
    return this.timedSteps('log', () => log(this.repository, parsed));
  }

  /** The oid that a revision names. @throws BAD_REVISION, which says what it could be */
  async resolve(revision: string): Promise<string> {
    assertText('revision', revision);
    return this.timed('resolve', async () => resolveRevision(this.repository, revision));
  }

  /** One commit with what it changed. @throws BAD_REVISION */
  show(revision?: string, options?: DiffContext): Promise<ShownCommit>;
  /** The bytes of a file as a commit has it. @throws BAD_REVISION, NOT_A_FILE; NOT_FOUND, with `removedIn` when it once was there */
  show(revision: string, path: string): Promise<Uint8Array>;
  async show(revision = 'HEAD', what: string | DiffContext = {}): Promise<ShownCommit | Uint8Array> {
    assertText('revision', revision);
    if (typeof what !== 'string') assertObject('options', what);
    return this.timed('show', async () => {
      if (typeof what !== 'string') assertWholeNumber('context', what.context, 0);
      if (typeof what !== 'string') return show(this.repository, revision, withParsedPath(what));
      return Uint8Array.from(await showFile(this.repository, revision, parsePath(what)));
    });
  }

  /** What differs between two commits, file by file. @throws BAD_REVISION */
  async diff(from: string, to = 'HEAD', options: DiffContext = {}): Promise<FileDiff[]> {
    assertText('from', from);
    assertText('to', to);
    assertWholeNumber('context', options.context, 0);
    return this.timed('diff', async () => diff(this.repository, from, to, withParsedPath(options)));
  }

  /** Who wrote each line of a file, through renames and reverts. @throws BAD_REVISION, NOT_FOUND, NOT_A_FILE, NOT_TEXT, TOO_LARGE, ABORTED */
  async blame(path: string, options: BlameOptions = {}): Promise<BlameLine[]> {
    assertText('revision', options.revision ?? 'HEAD');
    return this.timed('blame', async () => blame(this.repository, parsePath(path), options));
  }

  /** The lines that hold a text or match a pattern. @throws BAD_REVISION, NOT_FOUND, INVALID_ARGUMENT, ABORTED */
  grep(pattern: string | RegExp, options: GrepOptions = {}): AsyncGenerator<GrepMatch> {
    assertPattern('pattern', pattern);
    assertText('revision', options.revision ?? 'HEAD');
    const parsed = withParsedPath(options);
    return this.timedSteps('grep', () => grep(this.repository, pattern, parsed));
  }

  /**
   * Undoes commits as one new commit, by a three-way merge on the text: later edits elsewhere stay. Of a session its work is
   * undone; that there was one, and its log, stay.
   *
   * @param what a revision, or all commits of a range, a session or a tool use
   * @throws CONFLICT when later edits touch the same lines and `keep` does not decide; `conflictsOf` has them, and nothing was
   *   changed
   */
  async revert(what: string | RevertTargets, options: RevertOptions = {}): Promise<UndoResult> {
    assertOneOf('keep', options.keep, ['ours', 'theirs']);
    const targets = typeof what === 'string' ? { revisions: [what] } : what;
    assertObject('what', targets);
    if (targets.revisions !== undefined) assertTexts('revisions', targets.revisions);
    return this.timed('revert', async () => revert(this.repository, targets, options, { isWork: isUndoable }));
  }

  /** Sets the memory, or some files and folders, to what it was, as a new commit. @throws BAD_REVISION, NOT_FOUND, NOT_A_DIRECTORY */
  async restore(revision: string, paths: readonly string[] = [], options: UndoOptions = {}): Promise<UndoResult> {
    assertText('revision', revision);
    assertTexts('paths', paths);
    return this.timed('restore', async () => restore(this.repository, revision, paths.map(parsePath), options));
  }

  /** Checks everything, or with `quick` the head alone, and tells what is damaged and since when. Repairs nothing. */
  async verify(options: VerifyOptions = {}): Promise<VerifyReport> {
    return this.timed('verify', async () => verify(this.repository, options));
  }

  /**
   * Brings a folder of plain files of the host in, as one commit; one made by the SDK's file tool comes in right. What a memory
   * cannot hold is skipped and listed.
   *
   * @throws INVALID_ARGUMENT when there is no such folder; READ_ONLY, LOCKED, IO
   */
  async importFiles(folder: string, options: ImportOptions = {}): Promise<ImportResult> {
    const source = absolutePath('folder', folder);
    const { into, ...others } = options;
    const parsed = into === undefined ? others : { ...others, into: parsePath(into) };
    return this.timed('import', async () => importFolder(this.repository, source, parsed));
  }

  /**
   * Writes the memory, or a part of it, as plain files, but for what git would take for a repository; `skipped` names that.
   *
   * @throws ALREADY_EXISTS, BAD_REVISION, NOT_FOUND, IO
   */
  async exportFiles(folder: string, options: FolderExportOptions = {}): Promise<ExportResult> {
    const target = absolutePath('folder', folder);
    return this.timed('export', async () => exportFolder(this.repository, target, withParsedPath(options)));
  }

  /** As `exportFiles`, as a tar archive, piece by piece; what the generator returns tells what is in it. @throws BAD_REVISION, NOT_FOUND */
  exportTar(options: ExportOptions = {}): AsyncGenerator<Uint8Array, ExportResult> {
    const parsed = withParsedPath(options);
    return this.timedSteps('export', () => exportTar(this.repository, parsed));
  }

  /**
   * Makes the repository as small as it gets: packs all of it anew with the git that is installed, or else merges packs bit by
   * bit. Others read and write meanwhile. Nothing is dropped.
   *
   * @throws READ_ONLY, CORRUPT when something is damaged; LOCKED, ABORTED
   */
  async gc(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<GcResult> {
    return this.timed('gc', async () => {
      const { repository } = this.repository;
      const before = await repository.stats();
      await repository.gc(options);
      return { before, after: await repository.stats() };
    });
  }
}

function withParsedPath<T extends PathOptions>(options: T): Omit<T, 'path'> & { path?: ReturnType<typeof parsePath> } {
  const { path, ...others } = options;
  return path === undefined ? others : { ...others, path: parsePath(path) };
}
