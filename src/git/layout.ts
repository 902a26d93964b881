/**
 * Where things stand in a repository on disk, and what must not stand there. `checkLayout` is the gate of every open, and again
 * of every run of git, which may come much later: each git feature that would make memgit and git disagree about what is stored,
 * or run a program, is refused with its own sentence.
 */
import { join } from 'node:path';
import { MemgitError } from '../errors.ts';
import { checkConfig } from './config.ts';
import type { FileSystem } from './fs.ts';
import { readPackedRefs } from './refs.ts';

/** The one branch of a repository. */
export const MAIN = 'refs/heads/main';


export interface Layout {
  readonly gitdir: string;
  readonly head: string;
  readonly config: string;
  readonly objects: string;
  readonly packs: string;
  readonly heads: string;
  readonly main: string;
  readonly packedRefs: string;
  readonly packedRefsLock: string;
  /** The lock file that git itself makes when it moves the branch. */
  readonly mainLock: string;
  /** memgit's own folder: owners of locks, temporaries, files that only save time. git ignores it. */
  readonly own: string;
}

export function layoutOf(gitdir: string): Layout {
  const main = join(gitdir, MAIN);
  return {
    gitdir,
    head: join(gitdir, 'HEAD'),
    config: join(gitdir, 'config'),
    objects: join(gitdir, 'objects'),
    packs: join(gitdir, 'objects', 'pack'),
    heads: join(gitdir, 'refs', 'heads'),
    main,
    packedRefs: join(gitdir, 'packed-refs'),
    packedRefsLock: join(gitdir, 'packed-refs.lock'),
    mainLock: `${main}.lock`,
    own: join(gitdir, 'memgit'),
  };
}

const REFUSED_FILES: Readonly<Record<string, string>> = {
  'objects/info/alternates': 'it borrows objects from another one (alternates)',
  'objects/info/http-alternates': 'it borrows objects from another one (http-alternates)',
  shallow: 'it is a shallow clone, without the beginning of its history',
  'info/grafts': 'it has grafts, which hide the real history',
  reftable: 'its refs are stored as a reftable',
  commondir: 'it is a linked work tree',
  'config.worktree': 'it has a configuration for work trees',
};

const MAX_SMALL_FILE_BYTES = 64 * 1024;

/** Returns the configuration. @throws VAULT_NOT_FOUND when there is nothing, UNSUPPORTED_REPOSITORY when it is not a repository that memgit may use */
export async function checkLayout(fs: FileSystem, layout: Layout): Promise<string> {
  const top = await fs.lstat(layout.gitdir);
  if (top === undefined) throw new MemgitError('VAULT_NOT_FOUND', 'expected a repository, found nothing at its place');
  if (top.kind !== 'directory') throw refused('it is not a folder, or is reached through a symbolic link');

  for (const folder of ['objects', 'objects/pack', 'refs', 'refs/heads']) {
    const stat = await fs.lstat(join(layout.gitdir, folder));
    if (stat?.kind !== 'directory') throw refused(`${folder} is not a folder of its own`);
  }
  // A clone made by git has no folders of memgit's own yet.
  for (const folder of ['memgit', 'refs/memgit', 'refs/memgit/seen']) {
    if (((await fs.lstat(join(layout.gitdir, folder)))?.kind ?? 'directory') !== 'directory') throw refused(`${folder} is not a folder of its own`);
  }
  for (const [file, reason] of Object.entries(REFUSED_FILES)) {
    if ((await fs.lstat(join(layout.gitdir, file))) !== undefined) throw refused(reason);
  }
  if ((await readSmallFile(fs, layout.head)) !== `ref: ${MAIN}\n`) throw refused(`its HEAD does not name ${MAIN}`);
  const config = await readConfig(fs, layout);
  await checkReplaceRefs(fs, layout);
  const packs = (await fs.readdir(layout.packs)) ?? [];
  if (packs.some((name) => name.endsWith('.promisor'))) throw refused('it is a partial clone, without all of its objects');
  return config;
}

/** Returns the configuration, checked. @throws UNSUPPORTED_REPOSITORY */
async function readConfig(fs: FileSystem, layout: Layout): Promise<string> {
  const text = (await readSmallFile(fs, layout.config)) ?? '';
  checkConfig(text);
  return text;
}

async function checkReplaceRefs(fs: FileSystem, layout: Layout): Promise<void> {
  const loose = (await fs.readdir(join(layout.gitdir, 'refs', 'replace'))) ?? [];
  const packed = [...(await readPackedRefs(fs, layout.gitdir)).keys()].filter((name) => name.startsWith('refs/replace/'));
  if (loose.length + packed.length > 0) throw refused('it has replace refs, which show other objects than the stored ones');
}

async function readSmallFile(fs: FileSystem, path: string): Promise<string | undefined> {
  const bytes = await fs.readFile(path, MAX_SMALL_FILE_BYTES);
  return bytes && Buffer.from(bytes).toString('latin1');
}

function refused(reason: string): MemgitError {
  return new MemgitError('UNSUPPORTED_REPOSITORY', `expected a plain bare repository as memgit makes it, but ${reason}`);
}
