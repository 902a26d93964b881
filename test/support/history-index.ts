/** Indexes of histories that are too short for memgit to make one itself. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Oid } from '../../src/git/objects.ts';
import { ChangeGraph } from '../../src/history/change-graph.ts';
import { IndexFile, Rows } from '../../src/history/index-file.ts';
import { walk } from '../../src/history/walk.ts';
import type { VaultRepository } from '../../src/vault/vault-repository.ts';

/** The index that a query from a commit would keep. */
export async function makeIndex(vault: VaultRepository, from: Oid): Promise<Uint8Array> {
  const graph = await ChangeGraph.open(vault);
  const rows = new Rows();
  for await (const visited of walk(graph, from)) {
    const { oid, commit } = visited.node;
    rows.add({ oid, parents: commit.parents, timeSec: commit.timeSec, differences: await graph.differences(visited) });
  }
  return IndexFile.empty.extended(rows, vault.keys.epoch.historyIndexKey());
}

export function indexPath(gitdir: string): string {
  return join(gitdir, 'memgit', 'history');
}

/** Puts bytes where the index of a repository is looked for, or removes what is there. */
export function placeIndex(gitdir: string, bytes: Uint8Array | undefined): void {
  mkdirSync(join(gitdir, 'memgit'), { recursive: true });
  if (bytes) writeFileSync(indexPath(gitdir), bytes);
  else rmSync(indexPath(gitdir), { force: true });
}
