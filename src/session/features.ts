/**
 * The checklist as the host program uses it. Every change is a mutation of the checklist's file under the vault's policy, so
 * the rules that bind Claude bind the host too.
 */
import { assertObject, assertTexts } from '../checks.ts';
import { MemgitError } from '../errors.ts';
import type { Snapshot } from '../vault/snapshot.ts';
import { encodeChecklist, isChecklist, nextFeature, parseChecklist, type Checklist, type Feature } from './checklist.ts';
import { FEATURES } from './layout.ts';
import { discreetFault, requireChecklist, writeText } from './progress-files.ts';
import { boundedText, requiredText } from './text.ts';
import type { SessionHost } from './world.ts';

/** A feature as `init` takes it. */
export interface NewFeature {
  readonly id: string;
  readonly description: string;
  /** How to try it, end to end. */
  readonly steps?: readonly string[] | undefined;
}

export interface FeatureSummary {
  readonly total: number;
  readonly passing: number;
  /** Ids of those that do not pass, in order. */
  readonly failing: readonly string[];
  /** There is at least one feature, and all of them pass. */
  readonly done: boolean;
}

/** What the record of a change says of its writer. */
export interface Writer {
  readonly session?: string | undefined;
  readonly actor?: string | undefined;
  readonly model?: string | undefined;
}

const ID_CHARACTERS_MAX = 100;
const TEXT_CHARACTERS_MAX = 4000;

export class Features {
  readonly #host: SessionHost;
  readonly #writer: Writer;

  /** @internal */
  constructor(host: SessionHost, writer: Writer = {}) {
    this.#host = host;
    this.#writer = writer;
  }

  /**
   * Makes the checklist, with nothing passing yet; the order is the order of work.
   *
   * @param features the features, or the text of a JSON list of them
   * @throws REFUSED when there is one already and this is not the initializer session that made it; INVALID_ARGUMENT for an id that
   *   is repeated, or a text that is no such list
   */
  async init(features: readonly NewFeature[] | string): Promise<void> {
    const given = typeof features === 'string' ? parseFeatures(features) : features;
    if (!Array.isArray(given)) throw new TypeError('features: expected a list of features, or its JSON text');
    const list = (given as readonly NewFeature[]).map(newFeature);
    const repeated = list.find(({ id }, index) => list.findIndex((other) => other.id === id) < index);
    if (repeated) throw new MemgitError('INVALID_ARGUMENT', 'expected every feature to have an id of its own, got one twice');
    await this.#change('features_init', async () => list);
  }

  /** Every feature, in order; `[]` when there is no checklist. @throws CORRUPT when it cannot be read */
  async list(): Promise<readonly Feature[]> {
    return this.#host.ask('features_list', async (repository) => (await requireChecklist(await repository.snapshot())) ?? []);
  }

  /** The first feature that does not pass; `undefined` when there is none. @throws CORRUPT */
  async next(): Promise<Feature | undefined> {
    return nextFeature(await this.list());
  }

  /** @throws CORRUPT */
  async summary(): Promise<FeatureSummary> {
    return summarize(await this.list());
  }

  /** Whether there is a checklist and every feature of it passes: when a loop may stop. @throws CORRUPT */
  async done(): Promise<boolean> {
    return (await this.summary()).done;
  }

  /** @throws NOT_FOUND for an id that is not in the list; REFUSED without evidence */
  async pass(id: string, proven: { readonly evidence: string; readonly notes?: string | undefined }): Promise<void> {
    assertObject('what proves it', proven);
    const { evidence, notes } = proven;
    const proof = boundedText('evidence', evidence, TEXT_CHARACTERS_MAX);
    const remark = notes === undefined ? {} : { notes: boundedText('note', notes, TEXT_CHARACTERS_MAX) };
    await this.#update('features_pass', id, { passes: true, evidence: proof, ...remark });
  }

  /** Says that a feature does not pass, or does no longer; its evidence is void. @throws NOT_FOUND, INVALID_ARGUMENT without a reason */
  async fail(id: string, why: { readonly reason: string }): Promise<void> {
    assertObject('why', why);
    await this.#update('features_fail', id, { passes: false, evidence: '', notes: requiredText('reason', why.reason, TEXT_CHARACTERS_MAX) });
  }

  async #update(op: string, id: string, fields: Partial<Feature>): Promise<void> {
    await this.#change(op, async (snapshot) => {
      const list = (await requireChecklist(snapshot)) ?? [];
      if (!list.some((feature) => feature.id === id)) throw new MemgitError('NOT_FOUND', 'there is no feature of this id in the checklist; `features list` shows the ids');
      return list.map((feature) => (feature.id === id ? { ...feature, ...fields } : feature));
    });
  }

  async #change(op: string, edit: (snapshot: Snapshot) => Promise<Checklist>): Promise<void> {
    await this.#host.transact(op, async (snapshot) => ({
      changes: [writeText(FEATURES, encodeChecklist(await edit(snapshot)))],
      record: { op, paths: [FEATURES], ...this.#writer },
      result: undefined,
    }));
  }
}

export function summarize(list: Checklist): FeatureSummary {
  const failing = list.filter(({ passes }) => !passes).map(({ id }) => id);
  return { total: list.length, passing: list.length - failing.length, failing, done: list.length > 0 && failing.length === 0 };
}

function parseFeatures(text: string): readonly NewFeature[] {
  const list = parseChecklist(text, { steps: [], passes: false });
  if (isChecklist(list)) return list;
  throw new MemgitError('INVALID_ARGUMENT', `expected a JSON list of features, but ${discreetFault(list)}; each has an id, a description and, where there are some, steps`);
}

function newFeature(feature: NewFeature): Feature {
  assertObject('feature', feature);
  const { id, description, steps = [] } = feature;
  assertTexts('steps', steps);
  return {
    id: requiredText('feature id', id, ID_CHARACTERS_MAX),
    description: requiredText('description', description, TEXT_CHARACTERS_MAX),
    steps: steps.map((step) => requiredText('step', step, TEXT_CHARACTERS_MAX)),
    passes: false,
    evidence: '',
    notes: '',
  };
}
