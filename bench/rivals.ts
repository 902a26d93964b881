/** What memgit's users would pick instead, each as the same few jobs on a folder of text files. All are the real thing. */
import { mkdirSync, promises as fs } from 'node:fs';
import { dirname, join } from 'node:path';
import { BetaLocalFilesystemMemoryTool } from '@anthropic-ai/sdk/tools/memory/node';
import isomorphicGit from 'isomorphic-git';
import nodeFs from 'node:fs';
import { git, GIT_ENVIRONMENT, run } from './processes.ts';

/** Replaces a text in a file and keeps the result, however the rival keeps things. */
export interface Rival {
  replace(path: string, before: string, after: string): Promise<unknown>;
}

export type SdkTool = BetaLocalFilesystemMemoryTool;

/** The SDK's tool: plain files without a history. */
export async function makeSdkTool(dir: string, files: ReadonlyMap<string, string>): Promise<SdkTool> {
  const tool = await BetaLocalFilesystemMemoryTool.init(dir);
  await writeFiles(join(dir, 'memories'), files);
  return tool;
}

export function sdkRival(tool: SdkTool): Rival {
  return { replace: (path, before, after) => tool.str_replace({ command: 'str_replace', path: `/memories/${path}`, old_str: before, new_str: after }) };
}

/** A work tree in clear and isomorphic-git's add and commit. It syncs nothing. */
export async function makeIsomorphicRival(dir: string, files: ReadonlyMap<string, string>): Promise<Rival> {
  await makeWorkTree(dir, files);
  return {
    replace: async (path, before, after) => {
      await edit(join(dir, path), before, after);
      await isomorphicGit.add({ fs: nodeFs, dir, filepath: path });
      await isomorphicGit.commit({ fs: nodeFs, dir, message: `str_replace ${path}`, author: { name: 'agent', email: 'agent@localhost' } });
    },
  };
}

/** A work tree in clear and system git's add and commit, with git's own defaults for syncing. */
export async function makeGitRival(dir: string, files: ReadonlyMap<string, string>): Promise<Rival> {
  await makeWorkTree(dir, files);
  return {
    replace: async (path, before, after) => {
      await edit(join(dir, path), before, after);
      await run('git', ['-C', dir, 'add', '--', path], GIT_ENVIRONMENT);
      await run('git', ['-C', dir, 'commit', '-q', '-m', `str_replace ${path}`], GIT_ENVIRONMENT);
    },
  };
}

async function makeWorkTree(dir: string, files: ReadonlyMap<string, string>): Promise<void> {
  mkdirSync(dir, { recursive: true });
  await writeFiles(dir, files);
  git(['init', '-q', '-b', 'main'], { cwd: dir });
  git(['add', '-A'], { cwd: dir });
  git(['commit', '-q', '-m', 'import'], { cwd: dir });
}

export async function writeFiles(dir: string, files: ReadonlyMap<string, string>): Promise<void> {
  for (const [path, text] of files) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    await fs.writeFile(join(dir, path), text);
  }
}

async function edit(path: string, before: string, after: string): Promise<void> {
  const text = await fs.readFile(path, 'utf8');
  await fs.writeFile(path, text.replace(before, () => after));
}
