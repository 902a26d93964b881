/** The same history in clear, by system git: what memgit's own answers are held against. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export class ClearGit {
  readonly folder: string;
  /** What `git fast-import` is to read: far quicker than one git for each commit. */
  #stream = 'commit refs/heads/main\ncommitter x <x> 1767268800 +0000\ndata 1\nx\n';
  #commits = 1;

  constructor(parent: string) {
    this.folder = mkdtempSync(join(parent, 'clear-'));
  }

  /** Adds a commit that sets files by path, or removes those whose text is `undefined`. */
  commit(files: Readonly<Record<string, string | undefined>>): void {
    this.#stream += `commit refs/heads/main\ncommitter x <x> ${1_767_268_800 + 60 * this.#commits} +0000\ndata 1\nx\n`;
    this.#commits += 1;
    for (const [path, text] of Object.entries(files)) {
      const name = JSON.stringify(path);
      this.#stream += text === undefined ? `D ${name}\n` : `M 100644 inline ${name}\ndata ${Buffer.byteLength(text)}\n${text}\n`;
    }
  }

  /** Writes the commits and checks out the last. Returns their oids, without the first one, which is empty. Called once. */
  finish(): string[] {
    this.git(['init', '-q', '-b', 'main']);
    this.git(['fast-import', '--quiet'], this.#stream);
    this.git(['reset', '--hard', '-q']);
    return this.git(['rev-list', '--reverse', 'main']).trim().split('\n').slice(1);
  }

  git(args: readonly string[], input = ''): string {
    const env = { PATH: process.env['PATH'], HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', LC_ALL: 'C' };
    const options = ['-c', 'user.name=x', '-c', 'user.email=x@x', '-c', 'core.autocrlf=false', '-c', 'core.fsync=none'];
    return execFileSync('git', [...options, ...args], { cwd: this.folder, env, input, stdio: 'pipe', maxBuffer: 2 ** 28 }).toString();
  }

  /** Whether git managed to revert, if only to find nothing to do. */
  revert(oid: string): boolean {
    try {
      this.git(['revert', '--no-edit', oid]);
      return true;
    } catch {
      return this.git(['status', '--porcelain']) === '';
    }
  }

  /** The checked out files as text by path. */
  files(): Record<string, string> {
    return filesIn(this.folder);
  }
}

/** The files of a folder as text by path, without git's own. */
export function filesIn(folder: string): Record<string, string> {
  const files: Record<string, string> = {};
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name).slice(folder.length + 1);
    if (entry.isFile() && !path.startsWith('.git/')) files[path] = readFileSync(join(folder, path), 'latin1');
  }
  return files;
}

/** Writes files by path into a folder. */
export function fillFolder(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text, 'latin1');
  }
}
