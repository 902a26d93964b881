/**
 * Makes vaults with long histories, fast: the real write path, but nothing is synced while it runs. The clock goes on by a few
 * minutes for each commit. With sessions, each is started and ended as an agent would.
 */
import { utf8 } from '../src/bytes.ts';
import { nodeFileSystem } from '../src/git/fs.ts';
import type { Session } from '../src/session/session.ts';
import { parsePath } from '../src/vault/path.ts';
import type { Change } from '../src/vault/snapshot.ts';
import type { VaultRepository } from '../src/vault/vault-repository.ts';
import { withoutSyncs } from './file-systems.ts';
import { makeStore, type BenchStore } from './vaults.ts';
import { Workload, type Step } from './workload.ts';

export const MODEL = 'claude-opus-4-5';
const FIRST_TIME_MS = Date.UTC(2026, 0, 1, 9);
const STEP_MS = 4 * 60_000;

export interface HistoryPlan {
  readonly seed: number;
  readonly commits: number;
  readonly notes: number;
  readonly noteBytes: number;
  /** How many sessions the commits are spread over. Default none. */
  readonly sessions?: number;
}

/** Makes a store in the folder `dir` whose vault has about so many commits. */
export async function makeVault(dir: string, { seed, commits, notes, noteBytes, sessions = 0 }: HistoryPlan): Promise<BenchStore> {
  let timeMs = FIRST_TIME_MS;
  const clock = () => (timeMs += STEP_MS);
  const { vault, repository, ...store } = await makeStore(dir, { fs: withoutSyncs(nodeFileSystem), clock });
  const workload = new Workload({ seed, notes, noteBytes });
  await importFiles(repository, workload.files);

  // The empty vault and the import are commits too.
  const steps = commits - 2 - 2 * sessions;
  let session: Session | undefined;
  for (let i = 0; i < steps; i += 1) {
    if (sessions > 0 && i % Math.ceil(steps / sessions) === 0) {
      await session?.end({ handoff: 'what was planned is done; the next item of the checklist is next' });
      session = await vault.sessions.start({ agent: 'coder', model: MODEL, goal: 'work on the next items of the checklist' });
    }
    await applyStep(repository, workload.next(), session?.id);
  }
  await session?.end({ handoff: 'what was planned is done' });
  await vault.close();
  return store;
}

export async function importFiles(repository: VaultRepository, files: ReadonlyMap<string, string>): Promise<void> {
  const changes = [...files].map(([path, text]): Change => ({ kind: 'write', path: at(path), content: utf8(text) }));
  await repository.transact(async () => ({ changes, record: { op: 'import', paths: [parsePath('/memories')], actor: 'operator' }, result: undefined }));
}

/** One commit with the record that the memory tool would give it. */
export async function applyStep(repository: VaultRepository, step: Step, session?: string): Promise<void> {
  const { op, path, to, toolUseId } = step;
  const paths = [path, ...(to === undefined ? [] : [to])].map(at);
  const record = { op, paths, toolUseId, model: MODEL, actor: 'coder', session };
  await repository.transact(async () => ({ changes: [changeOf(step)], record, result: undefined }));
}

function changeOf({ op, path, to, text = '' }: Step): Change {
  if (op === 'delete') return { kind: 'remove', path: at(path) };
  if (to !== undefined) return { kind: 'move', from: at(path), to: at(to) };
  return { kind: 'write', path: at(path), content: utf8(text) };
}

function at(path: string) {
  return parsePath(`/memories/${path}`);
}
