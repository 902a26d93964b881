/**
 * Judges what several agents were told by what one could have done alone: their commands, run on the model one after another in
 * the order of the log, must give the same answers and the same memory. Nothing acknowledged may be missing from the log.
 */
import { execute, type ToolResult } from '../../src/memory/execute.ts';
import type { LogEntry, Vault } from '../../src/index.ts';
import type { Outcome } from '../../src/memory/commands.ts';
import { displayPath, ROOT } from '../../src/vault/path.ts';
import type { Snapshot } from '../../src/vault/snapshot.ts';
import { MemoryModel } from './memory-model.ts';

/** What an agent tells: that it makes a call, and later what it was answered. */
export type Told = { readonly id: string; readonly input: unknown } | { readonly id: string; readonly result: ToolResult } | { readonly error: string };

export interface Call {
  readonly id: string;
  readonly input: unknown;
  /** `undefined` when its agent died before it was told. */
  result: ToolResult | undefined;
}

/** Every call of one agent in the order in which it made them. The last line of a process that was killed may be cut short. */
export function readTold(text: string): Call[] {
  const calls = new Map<string, Call>();
  for (const line of text.slice(0, text.lastIndexOf('\n') + 1).split('\n').filter((each) => each !== '')) {
    const told = JSON.parse(line) as Told;
    if ('error' in told) throw new Error(`expected an agent to meet no fault, got ${told.error}`);
    if ('input' in told) calls.set(told.id, { ...told, result: undefined });
    else calls.get(told.id)!.result = told.result;
  }
  return [...calls.values()];
}

export interface Judgement {
  readonly acknowledged: number;
  /** Mutations of agents that died before they were told. */
  readonly unacknowledged: number;
  readonly model: MemoryModel;
}

/**
 * @param agents the calls of each
 * @param log the oldest first; commits without a known tool use are left out
 */
export async function judge(agents: readonly (readonly Call[])[], log: readonly LogEntry[]): Promise<Judgement> {
  const place = new Map(log.flatMap(({ toolUseId }, index) => (toolUseId === undefined ? [] : [[toolUseId, index] as const])));
  expect(place.size).toBe(log.filter(({ toolUseId }) => toolUseId !== undefined).length);
  const calls = new Map(agents.flat().map((call) => [call.id, call]));
  const readings = agents.flatMap((own) => readingsOf(own, place, log.length));
  const model = new MemoryModel();
  // What is only tried changes nothing.
  const trial = { view: model.view, mutate: async (build: (snapshot: Snapshot) => Promise<Outcome>) => build(model.snapshot()) };
  let unacknowledged = 0;

  for (let index = 0; index <= log.length; index += 1) {
    // Before the commit of this index is made: whoever read here may have been told this.
    for (const reading of readings) {
      if (reading.explained || index < reading.from || index > reading.to) continue;
      reading.explained = same(await execute(trial, reading.call.input), reading.call.result);
    }
    const id = log[index]?.toolUseId;
    if (id === undefined) continue;
    const call = calls.get(id)!;
    const answer = await execute(model, call.input);
    if (call.result === undefined) unacknowledged += 1;
    else expect({ id, result: call.result }).toEqual({ id, result: answer });
  }
  expect(readings.filter(({ explained }) => !explained).map(({ call }) => call)).toEqual([]);
  return { acknowledged: agents.flat().filter(({ result }) => result !== undefined).length, unacknowledged, model };
}

interface Reading {
  readonly call: Call;
  /** The commits between which it was answered, by what its agent did before and after. */
  readonly from: number;
  readonly to: number;
  explained: boolean;
}

/** The calls that made no commit: views, refusals, and changes of nothing. */
function readingsOf(own: readonly Call[], place: ReadonlyMap<string, number>, end: number): Reading[] {
  const readings: Reading[] = [];
  for (const [index, call] of own.entries()) {
    if (place.has(call.id) || call.result === undefined) continue;
    const places = (some: readonly Call[]) => some.map(({ id }) => place.get(id)).find((at) => at !== undefined);
    const [before, after] = [places(own.slice(0, index).reverse()), places(own.slice(index + 1))];
    readings.push({ call, from: before === undefined ? 0 : before + 1, to: after ?? end, explained: false });
  }
  return readings;
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Every file's text by path, and every empty directory. */
export async function contentsOfVault(vault: Vault): Promise<Record<string, string>> {
  const contents: Record<string, string> = {};
  for (const { path, kind } of await vault.list()) contents[path] = kind === 'directory' ? '' : (await vault.readText(path))!;
  return contents;
}

/** The same of a model. */
export async function contentsOfModel(model: MemoryModel): Promise<Record<string, string>> {
  const contents: Record<string, string> = {};
  const snapshot = model.snapshot();
  for await (const { path, kind } of snapshot.walk(ROOT)) contents[displayPath(path)] = kind === 'directory' ? '' : Buffer.from(await snapshot.read(path)).toString();
  return contents;
}
