/** Nothing that somebody planted runs a program here: not in a repository that is pushed to on this machine, and not in a vault that is open. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateKey, openStore, type Store, type Vault } from '../../src/index.ts';
import { findGit } from '../../src/git/environment.ts';
import { runGit } from '../../src/git/system-git.ts';
import { gitInit } from '../support/remote-vault.ts';

const folder = mkdtempSync(join(tmpdir(), 'memgit-programs-'));
let store: Store;
let count = 0;

beforeAll(async () => {
  store = await openStore({ dir: join(folder, 'store'), key: await generateKey() });
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

/** A vault that was pushed to a repository on this machine, and went on from there. */
async function pushedVault(): Promise<{ vault: Vault; remote: string }> {
  const vault = await store.vault(`user ${(count += 1)}`);
  const remote = join(folder, `remote-${count}.git`);
  gitInit(remote);
  await vault.addRemote('origin', remote);
  await vault.push();
  await vault.write('/memories/a.md', 'a\n');
  return { vault, remote };
}

/** A program that leaves a file behind, and the name of that file. */
function trap(): { program: string; sprung: string } {
  const sprung = join(folder, `sprung-${(count += 1)}`);
  const program = `${sprung}.sh`;
  writeFileSync(program, `#!/bin/sh\ntouch ${sprung}\n`, { mode: 0o755 });
  return { program, sprung };
}

function git(gitdir: string, ...args: string[]): void {
  execFileSync('git', ['--git-dir', gitdir, ...args], { stdio: 'pipe' });
}

/** Each was seen to run its program with the setting of `RECEIVE_PACK` left out that keeps it from running. */
const PLANTED: [what: string, plant: (gitdir: string, program: string) => void][] = [
  ['hooks', (gitdir, program) => {
    for (const hook of ['pre-receive', 'update', 'post-receive', 'post-update', 'reference-transaction', 'proc-receive']) {
      writeFileSync(join(gitdir, 'hooks', hook), `#!/bin/sh\n${program}\n`, { mode: 0o755 });
    }
  }],
  ['a folder of hooks', (gitdir, program) => {
    mkdirSync(join(gitdir, 'others'));
    writeFileSync(join(gitdir, 'others/pre-receive'), `#!/bin/sh\n${program}\n`, { mode: 0o755 });
    git(gitdir, 'config', 'core.hooksPath', join(gitdir, 'others'));
  }],
  ['a command for alternates', (gitdir, program) => {
    const other = `${gitdir}.other`;
    gitInit(other);
    writeFileSync(join(gitdir, 'objects/info/alternates'), `${other}/objects\n`);
    git(gitdir, 'config', 'core.alternateRefsCommand', program);
  }],
  ['a work tree with a file system monitor', (gitdir, program) => {
    mkdirSync(`${gitdir}.tree`);
    for (const [name, value] of [['core.bare', 'false'], ['core.worktree', `${gitdir}.tree`], ['receive.denyCurrentBranch', 'updateInstead'], ['core.fsmonitor', program]] as const) git(gitdir, 'config', name, value);
  }],
];

test.each(PLANTED)('a push to a repository on this machine that has %s', async (_, plant) => {
  const { vault, remote } = await pushedVault();
  const { program, sprung } = trap();
  plant(remote, program);
  await vault.push().catch(() => undefined);
  await vault.fetch();
  expect(existsSync(sprung)).toBe(false);
});

// Seen to leave one pack with the setting left out. Maintenance runs what the configuration names (gc.recentObjectsHook).
test('a push to a repository on this machine sets off no maintenance there', async () => {
  const { vault, remote } = await pushedVault();
  for (const [name, value] of [['receive.unpackLimit', '1'], ['gc.autoPackLimit', '1'], ['gc.autoDetach', 'false']] as const) git(remote, 'config', name, value);
  git(remote, 'repack', '-q');
  await vault.push();
  expect(readdirSync(join(remote, 'objects/pack')).filter((name) => name.endsWith('.pack'))).toHaveLength(2);
});

/** A partial clone fetches what it misses from its promisor, whose configuration names the program for that. */
function makePartialClone(gitdir: string, program: string): void {
  const config = ['[core]', 'repositoryformatversion = 1', 'bare = true', '[extensions]', 'partialClone = evil', '[remote "evil"]', `url = file://${gitdir}.none`, 'promisor = true', `uploadpack = "${program}; false"`];
  writeFileSync(join(gitdir, 'config'), `${config.join('\n')}\n`);
  writeFileSync(join(gitdir, 'packed-refs'), `# pack-refs with: peeled fully-peeled sorted \n${'1'.repeat(40)} refs/heads/x\n`);
}

// Seen to run the program, and to say nothing, before the layout was looked at again.
test.each<[string, (vault: Vault) => Promise<unknown>]>([
  ['gc', async (vault) => vault.gc()],
  ['a push', async (vault) => vault.push()],
  ['a fetch', async (vault) => vault.fetch()],
])('%s in a vault that became a partial clone while it was open is refused', async (_, act) => {
  const { vault } = await pushedVault();
  const { program, sprung } = trap();
  makePartialClone(vault.gitdir, program);
  await expect(act(vault)).rejects.toMatchObject({ code: 'UNSUPPORTED_REPOSITORY' });
  expect(existsSync(sprung)).toBe(false);
});

test.each<[string, (gitdir: string) => void]>([
  ['alternates', (gitdir) => { mkdirSync(join(gitdir, 'objects/info'), { recursive: true }); writeFileSync(join(gitdir, 'objects/info/alternates'), '/elsewhere\n'); }],
  ['a configuration for work trees', (gitdir) => { writeFileSync(join(gitdir, 'config.worktree'), ''); }],
])('a push from a vault that got %s while it was open is refused', async (_, plant) => {
  const { vault } = await pushedVault();
  plant(vault.gitdir);
  await expect(vault.push()).rejects.toMatchObject({ code: 'UNSUPPORTED_REPOSITORY' });
});

// Seen to write, and to remove, below the folder that the link leads to.
test.each(['refs/memgit', 'refs/memgit/seen'])('where a remote was seen is not written through a link at %s', async (name) => {
  const { vault } = await pushedVault();
  const [moved, elsewhere] = [join(folder, `moved-${count}`), join(folder, `elsewhere-${count}`)];
  mkdirSync(join(elsewhere, 'seen'), { recursive: true });
  renameSync(join(vault.gitdir, name), moved);
  symlinkSync(elsewhere, join(vault.gitdir, name));
  for (const act of [async () => vault.push(), async () => vault.fetch(), async () => vault.removeRemote('origin')]) {
    await expect(act()).rejects.toMatchObject({ code: 'UNSUPPORTED_REPOSITORY' });
  }
  expect(readdirSync(elsewhere, { recursive: true })).toEqual(['seen']);
});

// Seen to run the program without GIT_NO_LAZY_FETCH.
test('git does not fetch what is missing from where the configuration says', async () => {
  const { vault } = await pushedVault();
  const { program, sprung } = trap();
  makePartialClone(vault.gitdir, program);
  await runGit(findGit()!, { args: [`--git-dir=${vault.gitdir}`, 'cat-file', '-p', '1'.repeat(40)], silenceMs: 60_000 });
  expect(existsSync(sprung)).toBe(false);
});
