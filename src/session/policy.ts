/**
 * Policies: what may not be written into a memory, judged on the memory before and after, inside the mutation, for the tool
 * and for the host program alike. A refusal is a sentence for Claude. The rules of the progress log are one policy (rules.ts).
 */
import { CommandRefusal } from '../memory/messages.ts';
import type { RecordFields } from '../vault/record.ts';
import type { Change, Snapshot } from '../vault/snapshot.ts';
import type { VaultRepository } from '../vault/vault-repository.ts';
import { DraftedProposal, type Policy } from './proposal.ts';
import { progressRules } from './rules.ts';

/** `'enforce'`: the rules of the progress log. `'off'`: none. Or one's own. */
export type PolicySetting = 'enforce' | 'off' | Policy;

/** The policy of a vault, and of those of its sessions that have their own. */
export class Policies {
  readonly #vault: VaultRepository;
  readonly #policy: Policy | undefined;
  readonly #ofSessions = new Map<string, Policy | undefined>();

  constructor(vault: VaultRepository, setting: PolicySetting = 'enforce') {
    this.#vault = vault;
    this.#policy = policyOf(setting);
  }

  /** Gives a session a policy of its own, in this process. */
  set(session: string, policy: Policy | undefined): void {
    this.#ofSessions.set(session, policy);
  }

  /** @throws CommandRefusal with code REFUSED and the policy's sentence */
  async check(snapshot: Snapshot, changes: readonly Change[], record: RecordFields): Promise<void> {
    const { session } = record;
    const policy = session !== undefined && this.#ofSessions.has(session) ? this.#ofSessions.get(session) : this.#policy;
    if (!policy || changes.length === 0) return;
    const sentence = await policy(new DraftedProposal(this.#vault, snapshot, changes, record));
    if (sentence !== undefined) throw new CommandRefusal('REFUSED', sentence);
  }
}

/** `undefined` for no policy. @throws TypeError */
export function policyOf(setting: PolicySetting): Policy | undefined {
  if (setting === 'off') return undefined;
  if (setting === 'enforce') return progressRules;
  if (typeof setting !== 'function') throw new TypeError("policy: expected 'enforce', 'off' or a function");
  return setting;
}
