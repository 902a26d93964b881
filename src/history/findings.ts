/** What `verify` finds, step by step, and the one way in which a check is run and its failure noted. */
import { isMemgitError, type ErrorCode } from '../errors.ts';

export const VERIFY_STEPS = ['commits', 'signatures', 'records', 'keyring', 'trees', 'entries', 'contents', 'deltas', 'paths'] as const;
export type VerifyStep = (typeof VERIFY_STEPS)[number];

export interface VerifyProblem {
  readonly code: ErrorCode;
  /** What is wrong. Holds no text of the memory. */
  readonly message: string;
  /** The damaged object. */
  readonly oid?: string;
  /** The commit that brought it in: the memory before it is not concerned. */
  readonly since?: string;
  /** The file that is concerned, where it is known. */
  readonly path?: string;
}

export interface VerifyReport {
  readonly ok: boolean;
  readonly head: string;
  /** One for each `VerifyStep`, in the order of that type. */
  readonly steps: readonly { readonly name: VerifyStep; readonly checked: number; readonly problems: readonly VerifyProblem[] }[];
}

/** Collects what the steps find. */
export class Findings {
  readonly #steps = new Map(VERIFY_STEPS.map((name) => [name, { checked: 0, problems: [] as VerifyProblem[] }]));
  readonly #damaged = new Set<string>();

  /** Runs one check; `undefined` when it failed, which is then noted. An object that is known to be damaged is named only once. */
  async check<T>(step: VerifyStep, facts: Omit<VerifyProblem, 'code' | 'message'>, action: () => T | Promise<T>): Promise<T | undefined> {
    const { checked } = this.#steps.get(step)!;
    this.#steps.get(step)!.checked = checked + 1;
    try {
      return await action();
    } catch (error) {
      if (!isMemgitError(error)) throw error;
      const oid = typeof error.details['oid'] === 'string' ? error.details['oid'] : facts.oid;
      if (oid === undefined || !this.#damaged.has(oid)) {
        this.#steps.get(step)!.problems.push({ code: error.code, message: error.message, ...facts, ...(oid === undefined ? {} : { oid }) });
      }
      if (oid !== undefined) this.#damaged.add(oid);
      return undefined;
    }
  }

  report(head: string): VerifyReport {
    const steps = [...this.#steps].map(([name, found]) => ({ name, ...found }));
    return { ok: steps.every(({ problems }) => problems.length === 0), head, steps };
  }
}
