/**
 * Brings a remote up to this vault's head: only ever forward, only from where the remote was seen, and only objects that were
 * looked at. There is no force. A remote that went back since it was seen is an error and is not quietly filled up again.
 */
import { MemgitError } from '../errors.ts';
import type { Oid } from '../git/objects.ts';
import type { Remote } from '../git/remotes.ts';
import { openTransport } from '../git/open-transport.ts';
import type { Transport, TransportOptions } from '../git/transport.ts';
import type { VaultRepository } from '../vault/vault-repository.ts';
import { relateInVault } from './ancestry.ts';
import { describeEmptied, fetchRemote } from './fetch.ts';
import { Outgoing } from './outgoing.ts';
import { describeRegression, regressionOf } from './remote.ts';

export interface Pushed {
  readonly remote: string;
  /** Where the remote's branch is now. */
  readonly head: Oid;
  /** Where it was; `undefined` when the remote was empty. */
  readonly from: Oid | undefined;
  /** Commits that are new there. */
  readonly commits: number;
}

/** @throws PUSH_REJECTED, ROLLBACK_DETECTED, REMOTE_UNREACHABLE, REMOTE_REFUSED, ABORTED, READ_ONLY; CORRUPT for an object that must not leave */
export async function pushRemote(vault: VaultRepository, remote: Remote, options: TransportOptions = {}): Promise<Pushed> {
  const { repository } = vault;
  // Where the remote is will have to be noted.
  repository.assertWritable();
  const { oid: head } = await vault.head();
  const transport = await openTransport(remote.url, options);
  const seen = await repository.seenAt(remote.name);
  // Where the remote was seen is where it must be: asking first would cost a connection. Without news to bring, asking is all.
  const from = seen === undefined || seen === head ? await transport.readHead() : seen;
  if (from !== seen) await checkMoved(vault, remote.name, seen, from);
  if (from === head) {
    if (seen !== head) await note(vault, remote, { before: seen, now: head }, options);
    return { remote: remote.name, head, from, commits: 0 };
  }
  const since = from === undefined ? undefined : await commitsSince(vault, head, from, remote.name, options.signal);
  const source = since !== undefined && since.length <= FEW_COMMITS ? repository : await repository.bulkReader();
  const outgoing = new Outgoing((oid) => source.read(oid), options.signal);
  const commits = since ?? (await outgoing.history(head));
  await send(vault, transport, remote.name, { seen, from, head, objects: () => outgoing.objects(commits) }, options);
  await note(vault, remote, { before: seen, now: head }, options);
  return { remote: remote.name, head, from, commits: commits.length };
}

/** Notes where the remote is; when somebody else has noted something since, what the remote shows then is looked at instead. */
async function note(vault: VaultRepository, remote: Remote, seen: { before: Oid | undefined; now: Oid }, options: TransportOptions): Promise<void> {
  if (!(await vault.repository.acceptFrom(remote.name, seen))) await fetchRemote(vault, remote, options);
}

/** @throws PUSH_REJECTED unless the head goes on from there */
async function commitsSince(vault: VaultRepository, head: Oid, from: Oid, remote: string, signal: AbortSignal | undefined): Promise<readonly Oid[]> {
  const { ahead, behind } = await relateInVault(vault, head, from, signal);
  if (behind.length > 0) throw rejected(remote);
  return ahead;
}

/** For more commits than this it pays to read whole packs. */
const FEW_COMMITS = 100;

interface Sending {
  readonly seen: Oid | undefined;
  readonly from: Oid | undefined;
  readonly head: Oid;
  readonly objects: () => AsyncIterable<Oid>;
}

async function send(vault: VaultRepository, transport: Transport, remote: string, { seen, from, head, objects }: Sending, { onProgress }: TransportOptions): Promise<void> {
  const counted = async function* () {
    let done = 0;
    for await (const oid of objects()) {
      done += 1;
      onProgress?.({ phase: 'checking objects', done, total: undefined });
      yield oid;
    }
  };
  if ((await transport.push({ repository: vault.repository, from, to: head, objects: counted })) === 'pushed') return;
  const now = await transport.readHead();
  if (now === head) return;
  if (now === from) {
    throw new MemgitError('REMOTE_REFUSED', 'the branch of the remote could not be moved, and nobody else has moved it; a git that was killed there may have left its lock, refs/heads/main.lock', {
      details: { remote },
    });
  }
  await checkMoved(vault, remote, seen, now);
  throw rejected(remote);
}

/** Tells a remote that went back from one that others have pushed to. @throws ROLLBACK_DETECTED, FORK_DETECTED, PUSH_REJECTED; returns when it is where this vault can push from */
async function checkMoved(vault: VaultRepository, remote: string, seen: Oid | undefined, now: Oid | undefined): Promise<void> {
  if (now === undefined) {
    if (seen !== undefined) throw await describeEmptied(vault, remote, seen);
    return;
  }
  // What is not here came from someone else; fetching it will tell whether it goes on from what was seen.
  if (!(await vault.repository.has(now))) throw rejected(remote);
  if (seen === undefined) return;
  const relation = await relateInVault(vault, now, seen);
  const missing = relation.behind.length;
  if (missing > 0) throw describeRegression(regressionOf(relation), { remote, seen, got: now, missing });
}

function rejected(remote: string): MemgitError {
  return new MemgitError('PUSH_REJECTED', `the remote has commits that are not here; nothing was sent: run memgit pull ${remote}, then push again`, { details: { remote } });
}
