/**
 * The same history in clear: every commit of a vault as a plain git commit that holds the files themselves, with the fields of
 * its record in the message. It is what somebody would have who kept the memory in git without memgit.
 */
import { once } from 'node:events';
import { spawn } from 'node:child_process';
import type { CommitInfo } from '../src/vault/commit-info.ts';
import type { CommitRecord } from '../src/vault/record.ts';
import type { VaultRepository } from '../src/vault/vault-repository.ts';
import { git } from './processes.ts';

/** A file as it is from a commit on; `content` is undefined where it goes. */
export interface PlainChange {
  readonly path: string;
  readonly content: Uint8Array | undefined;
}

export interface PlainCommit {
  readonly message: string;
  readonly timeSec: number;
  readonly changes: readonly PlainChange[];
}

/** The commits of a vault in clear, the oldest first. Markers of empty directories, which git cannot hold, are left out. */
export async function* plainCommits(repository: VaultRepository): AsyncGenerator<PlainCommit> {
  const line: CommitInfo['oid'][] = [];
  for (let info: CommitInfo | undefined = await repository.head(); info; ) {
    line.push(info.oid);
    const parent: CommitInfo['oid'] | undefined = info.commit.parents[0];
    info = parent && (await repository.commit(parent));
  }
  for (const oid of line.reverse()) {
    const info = await repository.commit(oid);
    const changes: PlainChange[] = [];
    for (const { name, before, after } of await repository.changesOf(info)) {
      const { header } = await repository.entries.open(name, (after ?? before)!);
      if (header.kind === 'directory') continue;
      changes.push({ path: header.path, content: after && (await repository.entries.content(name, after)) });
    }
    yield { message: messageOf(info.record), timeSec: Math.floor(info.record.timeMs / 1000), changes };
  }
}

/** Makes a bare repository with the history in clear at `gitdir`, packed as `git gc` packs what was committed one by one. */
export async function makePlainTwin(repository: VaultRepository, gitdir: string): Promise<void> {
  git(['init', '-q', '--bare', '-b', 'main', gitdir]);
  const child = spawn('git', ['-C', gitdir, 'fast-import', '--quiet', '--force'], { stdio: ['pipe', 'inherit', 'inherit'] });
  const ended = once(child, 'exit');
  for await (const { message, timeSec, changes } of plainCommits(repository)) {
    const parts: (string | Uint8Array)[] = [
      `commit refs/heads/main\ncommitter agent <agent@localhost> ${timeSec} +0000\n`,
      `data ${Buffer.byteLength(message)}\n${message}\n`,
    ];
    for (const { path, content } of changes) {
      if (content) parts.push(`M 100644 inline ${path}\ndata ${content.length}\n`, content, '\n');
      else parts.push(`D ${path}\n`);
    }
    for (const part of parts) if (!child.stdin.write(part)) await once(child.stdin, 'drain');
  }
  child.stdin.end();
  const [code] = (await ended) as [number | null];
  if (code !== 0) throw new Error(`expected git fast-import to end with 0, got ${code}`);
  // fast-import leaves deltas that are worse than those of git gc, which would keep them.
  git(['repack', '-adfq'], { cwd: gitdir });
  git(['gc', '-q'], { cwd: gitdir });
}

function messageOf({ op, paths, session, toolUseId, model, actor, note }: CommitRecord): string {
  const trailers = Object.entries({ Session: session, 'Tool-Use': toolUseId, Model: model, Actor: actor }).flatMap(([key, value]) => (value === undefined ? [] : [`${key}: ${value}`]));
  return [`${op} ${paths.join(' ')}`, ...(note === undefined ? [] : ['', note]), '', ...trailers, ''].join('\n');
}
