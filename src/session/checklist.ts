/**
 * The checklist, `features.json`: an array of features, each with its steps and whether it passes. Reading is strict, because a
 * list that does not parse must never count as an empty one. Pure.
 */
import { repeatedFieldLine } from './json-fields.ts';

export interface Feature {
  readonly id: string;
  readonly description: string;
  /** How to try it, end to end. */
  readonly steps: readonly string[];
  readonly passes: boolean;
  /** What was run and seen; a feature that passes has some. */
  readonly evidence: string;
  readonly notes: string;
}

/** What is wrong with a text that should be a checklist. `at` counts items from 1. */
export type ChecklistFault =
  | { readonly kind: 'not-json'; readonly line: number | undefined }
  | { readonly kind: 'repeated-field'; readonly line: number }
  | { readonly kind: 'not-a-list' }
  | { readonly kind: 'field'; readonly at: number; readonly field: string; readonly wanted: string }
  | { readonly kind: 'repeated-id'; readonly at: number; readonly id: string };

export type Checklist = readonly Feature[];

/** The only fields of an item that may change once the list is fixed. */
const OPEN_FIELDS: readonly string[] = ['passes', 'evidence', 'notes'] satisfies (keyof Feature)[];

/** One field a line, so that changes of different features merge. */
export function encodeChecklist(features: Checklist): string {
  return `${JSON.stringify(features, undefined, 2)}\n`;
}

/**
 * Reads a checklist. `evidence` and `notes` may be absent, and fields of other names are kept.
 *
 * @param defaults what an item has that does not say so itself
 */
export function parseChecklist(text: string, defaults: Partial<Feature> = {}): Checklist | ChecklistFault {
  const json = parseJson(text);
  if ('kind' in json) return json;
  const line = repeatedFieldLine(text);
  if (line !== undefined) return { kind: 'repeated-field', line };
  const items = json.value;
  if (!Array.isArray(items)) return { kind: 'not-a-list' };
  const ids = new Set<string>();
  const features: Feature[] = [];
  for (const [index, found] of items.entries()) {
    const at = index + 1;
    const item: unknown = isObject(found) ? { ...defaults, ...found } : found;
    const fault = faultOf(item, at);
    if (fault) return fault;
    const { evidence = '', notes = '' } = item as Partial<Feature>;
    // In this order, so that fields stay where they stand and only what changes is rewritten.
    const feature: Feature = { ...(item as Feature), evidence, notes };
    if (ids.has(feature.id)) return { kind: 'repeated-id', at, id: feature.id };
    ids.add(feature.id);
    features.push(feature);
  }
  return features;
}

export function isChecklist(parsed: Checklist | ChecklistFault): parsed is Checklist {
  return Array.isArray(parsed);
}

/** Parses JSON; where it does not, tells the line at which it broke, if that can be told. */
export function parseJson(text: string): { readonly value: unknown } | Extract<ChecklistFault, { kind: 'not-json' }> {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    // The engine's own message quotes the text, and may cut a character in half.
    const position = /at position (\d+)/.exec((error as Error).message)?.[1];
    return { kind: 'not-json', line: position === undefined ? undefined : text.slice(0, Number(position)).split('\n').length };
  }
}

/** Whether two lists have the same items in the same order, but for the fields that may change. */
export function isSameList(before: Checklist, after: Checklist): boolean {
  return before.length === after.length && before.every((item, index) => fixedPart(item) === fixedPart(after[index]!));
}

/** A letter or a digit: spaces and invisible characters are no evidence. */
const SAYS_SOMETHING = /[\p{L}\p{N}]/u;

/** The first feature that `after` says passes without evidence, and `before` does not say the same of. */
export function passedWithoutEvidence(before: Checklist, after: Checklist): Feature | undefined {
  return after.find((feature) => {
    const old = before.find(({ id }) => id === feature.id);
    const untouched = old?.passes === true && old.evidence === feature.evidence;
    return feature.passes && !SAYS_SOMETHING.test(feature.evidence) && !untouched;
  });
}

/** Ids of the features that came to pass between two states of the list, and of those that did no longer. */
export function comparePasses(before: Checklist, after: Checklist): { passed: string[]; regressed: string[] } {
  const passing = new Map(before.map(({ id, passes }) => [id, passes]));
  return {
    passed: after.filter(({ id, passes }) => passes && passing.get(id) !== true).map(({ id }) => id),
    regressed: after.filter(({ id, passes }) => !passes && passing.get(id) === true).map(({ id }) => id),
  };
}

export function nextFeature(features: Checklist): Feature | undefined {
  return features.find(({ passes }) => !passes);
}

function fixedPart(feature: Feature): string {
  const fields = Object.entries(feature).filter(([name]) => !OPEN_FIELDS.includes(name));
  return JSON.stringify(fields.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function faultOf(item: unknown, at: number): ChecklistFault | undefined {
  if (!isObject(item)) return { kind: 'field', at, field: 'id', wanted: 'a text that is not empty' };
  const { id, description, steps, passes, evidence = '', notes = '' } = item as Partial<Record<keyof Feature, unknown>>;
  if (typeof id !== 'string' || id.trim() === '') return { kind: 'field', at, field: 'id', wanted: 'a text that is not empty' };
  if (typeof description !== 'string') return { kind: 'field', at, field: 'description', wanted: 'a text' };
  if (!Array.isArray(steps) || !steps.every((step) => typeof step === 'string')) return { kind: 'field', at, field: 'steps', wanted: 'a list of texts' };
  if (typeof passes !== 'boolean') return { kind: 'field', at, field: 'passes', wanted: 'true or false' };
  if (typeof evidence !== 'string') return { kind: 'field', at, field: 'evidence', wanted: 'a text' };
  if (typeof notes !== 'string') return { kind: 'field', at, field: 'notes', wanted: 'a text' };
  return undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
