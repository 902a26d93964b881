/** The same history, encrypted by other means: git-crypt with one commit a mutation, and one file of age for each version. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { VaultRepository } from '../src/vault/vault-repository.ts';
import { packBytes } from './folder-size.ts';
import { plainCommits } from './plain-twin.ts';
import { git, GIT_ENVIRONMENT } from './processes.ts';

/** What the history takes with git-crypt, after `git gc`. */
export async function gitCryptBytes(repository: VaultRepository, dir: string): Promise<number> {
  mkdirSync(dir, { recursive: true });
  git(['init', '-q', '-b', 'main'], { cwd: dir });
  execFileSync('git-crypt', ['init'], { cwd: dir, stdio: 'ignore', env: GIT_ENVIRONMENT });
  writeFileSync(join(dir, '.gitattributes'), '* filter=git-crypt diff=git-crypt\n.gitattributes !filter !diff\n');
  for await (const { message, changes } of plainCommits(repository)) {
    for (const { path, content } of changes) {
      mkdirSync(dirname(join(dir, path)), { recursive: true });
      if (content) writeFileSync(join(dir, path), content);
      else rmSync(join(dir, path));
    }
    git(['add', '-A'], { cwd: dir });
    git(['commit', '-q', '--allow-empty', '-F', '-'], { cwd: dir, input: message });
  }
  git(['gc', '-q'], { cwd: dir });
  return packBytes(join(dir, '.git'));
}

/** The lengths of all versions of all files, each encrypted by age. */
export async function ageBytes(repository: VaultRepository): Promise<number> {
  const recipient = /public key: (age1\w+)/.exec(execFileSync('age-keygen', { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }))![1]!;
  let bytes = 0;
  for await (const { changes } of plainCommits(repository)) {
    for (const { content } of changes) if (content) bytes += execFileSync('age', ['-r', recipient], { input: content, maxBuffer: 1 << 26 }).length;
  }
  return bytes;
}
