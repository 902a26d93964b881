/**
 * Writes a memory, as it stands or stood, in clear: as files in a folder of the host or as a tar stream. Files are for their
 * owner only. Nothing is written outside the folder and no symbolic link is followed, whatever stands there already. What git
 * would take for a repository of its own is left out. No error names a path of the memory, which the file system's own do.
 */
import { constants } from 'node:fs';
import { lstat, mkdir, open, readdir, stat, unlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Bytes } from '../bytes.ts';
import { MemgitError } from '../errors.ts';
import { makeFolders } from '../git/create.ts';
import { nodeFileSystem } from '../git/fs.ts';
import { baseName, displayPath, ROOT, type MemoryPath } from '../vault/path.ts';
import type { NodeInfo, Snapshot } from '../vault/snapshot.ts';
import type { VaultRepository } from '../vault/vault-repository.ts';
import { isGitLookalike } from './git-lookalike.ts';
import { pathMissing } from './missing.ts';
import { resolveRevision } from './revision.ts';
import { tarEnd, tarEntry } from './tar.ts';

export interface ExportOptions {
  /** Default `HEAD`. */
  readonly revision?: string | undefined;
  /** Only this file, or what is in this directory. Default everything. */
  readonly path?: MemoryPath | undefined;
}

export interface FolderExportOptions extends ExportOptions {
  /** Lets files go into a folder that is not empty and replace files of the same names. Nothing else there is removed. */
  readonly overwrite?: boolean | undefined;
}

export interface ExportResult {
  readonly files: number;
  readonly bytes: number;
  /** Paths, as Claude spells them, that were left out: git could take the folder that holds them for a repository, and do what that says. */
  readonly skipped: readonly string[];
}

/**
 * Writes into a folder, which is made if it is not there.
 *
 * @throws ALREADY_EXISTS when the folder is not empty, or holds something in the way; IO; what was written until then stays
 * @throws BAD_REVISION, NOT_FOUND (with `removedIn`)
 */
export async function exportFolder(vault: VaultRepository, folder: string, options: FolderExportOptions = {}): Promise<ExportResult> {
  const { snapshot, nodes, result } = await contentsOf(vault, options);
  const overwrite = options.overwrite ?? false;
  try {
    // Not node's recursive mkdir, which never comes back from a parent that refuses with ENOENT, as /proc does.
    await makeFolders(nodeFileSystem, resolve(folder));
    if (!(await stat(folder)).isDirectory()) throw inTheWay('expected a folder to export to, found a file');
    if (!overwrite && (await readdir(folder)).length > 0) throw inTheWay('expected an empty folder to export to, got one that holds something');
    const made = new Set<string>();
    for await (const { name, node } of nodes) {
      const segments = name.split('/');
      const last = node.kind === 'file' ? segments.pop() : undefined;
      await makeInside(folder, segments, made);
      if (last === undefined) continue;
      const content = await snapshot.read(node.path);
      await writePlainFile(join(folder, ...segments, last), content, overwrite);
      count(result, content);
    }
    return result;
  } catch (error) {
    const { code: errno, syscall: call } = error as NodeJS.ErrnoException;
    if (error instanceof MemgitError || errno === undefined || call === undefined) throw error;
    throw new MemgitError('IO', `expected to write the export, got ${errno} from the file system`, { details: { call, errno } });
  }
}

/**
 * A tar archive, piece by piece, and in the end what is in it. Equal exports of one commit are equal bytes.
 *
 * @throws BAD_REVISION, NOT_FOUND (with `removedIn`)
 */
export async function* exportTar(vault: VaultRepository, options: ExportOptions = {}): AsyncGenerator<Bytes, ExportResult> {
  const { snapshot, nodes, timeMs, result } = await contentsOf(vault, options);
  for await (const { name, node } of nodes) {
    const content = node.kind === 'file' ? await snapshot.read(node.path) : undefined;
    yield* tarEntry(name, content, timeMs);
    if (content) count(result, content);
  }
  yield tarEnd();
  return result;
}

interface Counts extends ExportResult {
  files: number;
  bytes: number;
  readonly skipped: string[];
}

interface Contents {
  readonly snapshot: Snapshot;
  readonly timeMs: number;
  /** Files and empty directories under their names in the export. */
  readonly nodes: AsyncIterable<{ readonly name: string; readonly node: NodeInfo }>;
  /** What is left out is noted while the nodes are asked for. */
  readonly result: Counts;
}

async function contentsOf(vault: VaultRepository, { revision = 'HEAD', path = ROOT }: ExportOptions): Promise<Contents> {
  const oid = await resolveRevision(vault, revision);
  const snapshot = await vault.snapshot(oid);
  if (!(await snapshot.stat(path))) throw await pathMissing(vault, oid, path);
  const result: Counts = { files: 0, bytes: 0, skipped: [] };
  return { snapshot, timeMs: (await vault.commit(oid)).record.timeMs, nodes: named(snapshot, path, result.skipped), result };
}

async function* named(snapshot: Snapshot, path: MemoryPath, skipped: string[]): AsyncGenerator<{ name: string; node: NodeInfo }> {
  for await (const node of snapshot.walk(path)) {
    const read = async () => (node.kind === 'file' ? snapshot.read(node.path) : new Uint8Array());
    if (await isGitLookalike(node.path, read)) skipped.push(displayPath(node.path));
    else if (node.path !== path) yield { name: path === ROOT ? node.path : node.path.slice(path.length + 1), node };
    else if (node.kind === 'file') yield { name: baseName(path), node };
  }
}

function count(result: Counts, content: Bytes): void {
  result.files += 1;
  result.bytes += content.length;
}

async function makeInside(root: string, segments: readonly string[], made: Set<string>): Promise<void> {
  let folder = root;
  for (const segment of segments) {
    folder = join(folder, segment);
    if (made.has(folder)) continue;
    try {
      await mkdir(folder, { mode: 0o700 });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      if (!(await lstat(folder)).isDirectory()) throw inTheWay('expected room for a folder of the export, found a file or a link');
    }
    made.add(folder);
  }
}

async function writePlainFile(path: string, content: Bytes, overwrite: boolean): Promise<void> {
  if (overwrite) {
    const there = await lstat(path).catch(() => undefined);
    if (there?.isDirectory() === true) throw inTheWay('expected room for a file of the export, found a folder');
    if (there) await unlink(path);
  }
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const handle = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw inTheWay('expected names that differ on this file system, got two that are one to it');
  });
  try {
    await handle.writeFile(content);
  } finally {
    await handle.close();
  }
}

function inTheWay(message: string): MemgitError {
  return new MemgitError('ALREADY_EXISTS', `${message}; choose another folder`);
}
