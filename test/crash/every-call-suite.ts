/**
 * Each operation, with each kind of fault at each of its calls to the file system: what is left is the state before or the state
 * after, whole, and after only if it was not said to have failed. A sample of the calls, or with SLOW=1 all of them. Seen to fail without
 * the sync of a file, of the packs' folder or of the ref's; with the ref moved before the pack is there, or removed before the new one
 * takes its place; with packs removed before the one that they are folded into is there, all of them or the first two; with an unknown outcome called a failure.
 */
import { FAULTS, type FaultName } from '../support/fault-fs.ts';
import { Template, type Operation } from '../support/doomed-vault.ts';
import { temporaryFolder } from '../support/git-repository.ts';
import { pick, randomFrom, seed } from '../support/random.ts';

jest.setTimeout(process.env['SLOW'] === '1' ? 3_600_000 : 300_000);

const names = Object.keys(FAULTS) as FaultName[];
const everything = process.env['SLOW'] === '1';
const SAMPLE = 50;

export function everyCallOf(operations: readonly Operation[]): void {
  const folder = temporaryFolder();
  test.each(operations.map((operation) => [operation.name, operation] as const))('%s', async (_, operation) => {
    const template = await Template.make(folder, operation);
    const random = randomFrom(seed);
    let injected = 0;
    const attempt = async (fault: FaultName, n: number): Promise<boolean> => {
      try {
        const met = await template.try(fault, n, random);
        if (met) injected += 1;
        return met;
      } catch (error) {
        throw new Error(`${operation.name}, ${fault} at call ${n}, SEED=${seed}: ${String(error)}`, { cause: error });
      }
    };
    const places = names.flatMap((fault) => template.calls.filter((call) => FAULTS[fault].at.some((one) => one === call)).map((_call, i) => ({ fault, n: i + 1 })));
    if (!everything) {
      for (let i = 0; i < SAMPLE; i += 1) {
        const { fault, n } = pick(random, places);
        await attempt(fault, n);
      }
    } else {
      for (const fault of names) for (let n = 1; await attempt(fault, n); n += 1);
    }
    process.stderr.write(`${operation.name}: ${injected} faults injected\n`);
  });
}
