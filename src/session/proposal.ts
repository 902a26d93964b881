/**
 * A mutation before it is written, as a policy sees it: plain files before and after. What it costs is paid only when the
 * policy asks.
 */
import { utf8Decode, type Bytes } from '../bytes.ts';
import { planEdit } from '../vault/draft.ts';
import { displayPath, isWithin, parsePath, type MemoryPath } from '../vault/path.ts';
import type { RecordFields } from '../vault/record.ts';
import type { Change, Snapshot } from '../vault/snapshot.ts';
import type { VaultRepository } from '../vault/vault-repository.ts';
import { findChecklistMaker } from './activity.ts';

/** A file that a mutation would change. */
export interface ProposedChange {
  readonly path: string;
  /** `undefined` where there is no file. The bytes must not be changed. */
  readonly before: Uint8Array | undefined;
  readonly after: Uint8Array | undefined;
}

/** A mutation that has not been written yet. */
export interface Proposal {
  /** A command of the memory tool; `write` or `remove` of the host program; `session_…`, `progress_…`, `features_…` of a session. */
  readonly op: string;
  /** Id of the session that it belongs to. */
  readonly session: string | undefined;
  /** Whether it may change something at or below a path. Costs nothing. */
  touches(path: string): boolean;
  /** Every file that would come, go or change. A renamed file is one that goes and one that comes. */
  changes(): Promise<readonly ProposedChange[]>;
  /** Id of the session that made the checklist which stands; `undefined` when none did since the session that writes started. */
  checklistMaker(): Promise<string | undefined>;
  /** A file of the memory as it stands; `undefined` when there is none, or it is no text. */
  readText(path: string): Promise<string | undefined>;
}

/** Returns the sentence that refuses the mutation, which should say what may be done instead; `undefined` lets it pass. */
export type Policy = (proposal: Proposal) => string | undefined | Promise<string | undefined>;

export class DraftedProposal implements Proposal {
  readonly op: string;
  readonly session: string | undefined;
  readonly #vault: VaultRepository;
  readonly #snapshot: Snapshot;
  readonly #changes: readonly Change[];

  constructor(vault: VaultRepository, snapshot: Snapshot, changes: readonly Change[], { op, session }: RecordFields) {
    this.op = op;
    this.session = session;
    this.#vault = vault;
    this.#snapshot = snapshot;
    this.#changes = changes;
  }

  touches(path: string): boolean {
    const place = parsePath(path);
    return this.#changes.some((change) => pathsOf(change).some((changed) => isWithin(changed, place) || isWithin(place, changed)));
  }

  async changes(): Promise<readonly ProposedChange[]> {
    const { put, removed } = await planEdit(this.#snapshot, this.#changes);
    const proposed: ProposedChange[] = [];
    for (const path of [...removed, ...put.keys()]) {
      const content = put.get(path);
      const change = { path: displayPath(path), before: await this.#read(path), after: content === 'directory' ? undefined : content };
      if (change.before !== undefined || change.after !== undefined) proposed.push(change);
    }
    return proposed;
  }

  async checklistMaker(): Promise<string | undefined> {
    return this.session === undefined ? undefined : findChecklistMaker(this.#vault, this.session);
  }

  async readText(path: string): Promise<string | undefined> {
    const content = await this.#read(parsePath(path));
    return content && utf8Decode(content);
  }

  async #read(path: MemoryPath): Promise<Bytes | undefined> {
    const node = await this.#snapshot.stat(path);
    return node?.kind === 'file' ? this.#snapshot.read(path) : undefined;
  }
}

function pathsOf(change: Change): MemoryPath[] {
  return change.kind === 'move' ? [change.from, change.to] : [change.path];
}
