/**
 * Questions that read a long history end in ABORTED wherever their signal fires. Seen to fail for each of them without the signal, and
 * for a blame that looked at it only while it collected versions.
 */
import { join } from 'node:path';
import { generateKey, openStore, type Store, type Vault } from '../../../src/index.ts';
import { temporaryFolder } from '../../support/git-repository.ts';

const VERSIONS = 12;
const dir = join(temporaryFolder(), 'store');

let store: Store;
let vault: Vault;

beforeAll(async () => {
  store = await openStore({ dir, key: await generateKey() });
  vault = await store.vault('alice');
  await vault.execute({ command: 'create', path: '/memories/first', file_text: 'first' }, { toolUseId: 'first' });
  for (let i = 0; i < VERSIONS; i += 1) {
    await vault.write('/memories/a', 'line\n'.repeat(i + 1));
    await vault.write(`/memories/${i}`, `text ${i}\n`);
  }
});

afterAll(async () => store.close());

/** A signal that fires when it is looked at for the n-th time, and how often it was looked at. */
function signalFiringAt(n: number): { signal: AbortSignal; looks: () => number } {
  let looks = 0;
  const signal = Object.defineProperty(new AbortController().signal, 'aborted', { get: () => (looks += 1) >= n });
  return { signal, looks: () => looks };
}

async function drain(steps: AsyncIterable<unknown>): Promise<void> {
  const all: unknown[] = [];
  for await (const step of steps) all.push(step);
}

test.each<[string, least: number, ask: (signal: AbortSignal) => Promise<unknown>]>([
  ['log', 2 * VERSIONS, async (signal) => drain(vault.log({ signal }))],
  ['log of a path', 2 * VERSIONS, async (signal) => drain(vault.log({ path: '/memories/0', signal }))],
  ['log in reverse', 2 * VERSIONS, async (signal) => drain(vault.log({ reverse: true, signal }))],
  ['blame', 3 * VERSIONS, async (signal) => vault.blame('/memories/a', { signal })],
  ['revert of an early commit', 2 * VERSIONS - 2, async (signal) => vault.revert(`HEAD~${2 * VERSIONS - 2}`, { dryRun: true, signal })],
  ['revert of a range', VERSIONS, async (signal) => vault.revert(`HEAD~${VERSIONS}..HEAD`, { dryRun: true, signal })],
  ['revert of a tool use', 2 * VERSIONS, async (signal) => vault.revert({ toolUseId: 'first' }, { dryRun: true, signal })],
  ['grep', VERSIONS, async (signal) => drain(vault.grep('none has it', { signal }))],
])('%s', async (_, least, ask) => {
  const never = signalFiringAt(Infinity);
  await ask(never.signal);
  expect(never.looks()).toBeGreaterThanOrEqual(least);
  for (let n = 1; n <= never.looks(); n += 1) await expect(ask(signalFiringAt(n).signal)).rejects.toMatchObject({ code: 'ABORTED' });
});
