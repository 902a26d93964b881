/**
 * Whatever stands where the history index is looked for, every question is answered as without it: on random histories with
 * merges and with renames of files and folders. Seen to fail with `before` and `after` exchanged in a row, with the keyed hash not
 * checked, and with the differences of a merge read in the wrong order.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { isMemgitError } from '../../src/errors.ts';
import type { Oid } from '../../src/git/objects.ts';
import { blame } from '../../src/history/blame.ts';
import { log } from '../../src/history/log.ts';
import { revert } from '../../src/history/revert.ts';
import type { VaultRepository } from '../../src/vault/vault-repository.ts';
import type { Change } from '../../src/vault/snapshot.ts';
import { temporaryFolder } from '../support/git-repository.ts';
import { makeIndex, placeIndex } from '../support/history-index.ts';
import { at, collect, contentsOf, copyVault, createTmpVault, mergeCopy, removePath, renamePath, reopen, writeFile, type TmpVault } from '../support/tmp-vault.ts';

const folder = temporaryFolder();
const numRuns = process.env['SLOW'] === '1' ? 200 : 6;

const FILES = ['a.md', 'x/b.md', 'x/c.md', 'y/b.md', 'y/z/d.md'];
const ASKED = ['', 'y', 'moved', 'moved/b.md', 'renamed.md', 'a.md', 'x/b.md', 'y/z/d.md'];

interface Step {
  readonly do: 'write' | 'remove' | 'rename' | 'revert';
  readonly number: number;
}

interface Line {
  readonly ours: readonly Step[];
  /** On the other side of a merge. */
  readonly theirs: readonly Step[];
  /** Whether the merge takes a file as the other side has it. */
  readonly takes: boolean;
}
const number = fc.nat(999);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('write' as const), number }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), number }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('rename' as const), number }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('revert' as const), number }) },
);
const history: fc.Arbitrary<Line[]> = fc.array(fc.record({ ours: fc.array(step, { maxLength: 4 }), theirs: fc.array(step, { maxLength: 3 }), takes: fc.boolean() }), { minLength: 1, maxLength: 4 });

/** Takes a step if it can be taken now. */
async function take(vault: VaultRepository, { do: what, number: n }: Step): Promise<void> {
  const contents = await contentsOf(await vault.snapshot());
  const present = Object.keys(contents).filter((path) => !path.endsWith('/'));
  const chosen = present[n % Math.max(1, present.length)];
  if (what === 'revert') {
    await revert(vault, { revisions: [`HEAD~${n % 3}`] }, { keep: 'theirs' }).catch(expectRefusal);
  } else if (what === 'write' || chosen === undefined) {
    const path = FILES[n % FILES.length]!;
    if (`${path}/` in contents) return;
    const text = contents[path] ?? 'one\ntwo\nthree\n';
    await writeFile(vault, path, n % 2 === 0 ? `${text}line ${n}\n` : text.replace(/^.*$/m, `line ${n}`), { op: 'str_replace' }).catch(() => undefined);
  } else if (what === 'remove') {
    await removePath(vault, chosen);
  } else {
    const [from, to] = chosen.includes('/') && n % 2 === 0 ? [chosen.split('/')[0]!, 'moved'] : [chosen, 'renamed.md'];
    if (await (await vault.snapshot()).stat(at(to))) return;
    await renamePath(vault, from, to);
  }
}

function expectRefusal(error: unknown): undefined {
  if (!isMemgitError(error, 'BAD_REVISION') && !isMemgitError(error, 'CONFLICT')) throw error;
  return undefined;
}

async function make(home: string, lines: readonly Line[]): Promise<TmpVault> {
  const tmp = await createTmpVault(home);
  for (const { ours, theirs, takes } of lines) {
    const copy = theirs.length > 0 ? await copyVault(tmp) : undefined;
    for (const each of ours) await take(tmp.vault, each);
    if (!copy) continue;
    for (const each of theirs) await take(copy.vault, each);
    const other = await contentsOf(await copy.vault.snapshot());
    const here = await contentsOf(await tmp.vault.snapshot());
    const taken = takes ? Object.keys(other).find((path) => !path.endsWith('/') && path in here) : undefined;
    const changes: Change[] = taken === undefined ? [] : [{ kind: 'write', path: at(taken), content: Buffer.from(other[taken]!, 'latin1') }];
    await mergeCopy(tmp, copy, changes);
    await copy.vault.close();
    rmSync(copy.gitdir, { recursive: true });
  }
  return tmp;
}

/** Everything that questions about paths have as answers, asked by a vault that has seen nothing. */
async function answers(tmp: TmpVault, oids: readonly Oid[]): Promise<unknown[]> {
  const vault = await reopen(tmp);
  const told: unknown[] = [];
  const ask = async (question: () => Promise<unknown>) => told.push(await question().catch((error: unknown) => (isMemgitError(error) ? { code: error.code, ...error.details } : error)));
  const middle = oids[oids.length >> 1]!;
  for (const path of ASKED.map(at)) {
    await ask(() => collect(log(vault, { path })));
    await ask(() => collect(log(vault, { path, revision: `${middle}..HEAD` })));
    await ask(() => collect(log(vault, { path, revision: middle, limit: 1 })));
    await ask(() => collect(log(vault, { path, since: '2026-01-02' })));
    await ask(() => blame(vault, path));
    await ask(() => blame(vault, path, { revision: middle }));
  }
  await vault.close();
  return told;
}

async function allOids(vault: VaultRepository): Promise<Oid[]> {
  return (await collect(log(vault))).map(({ oid }) => oid as Oid);
}

test('every question has the answer that it has without an index, whatever stands in its place', async () => {
  await fc.assert(
    fc.asyncProperty(history, number, async (lines, choice) => {
      const home = mkdtempSync(join(folder, 'run-'));
      const tmp = await make(home, lines);
      const other = await make(home, lines.slice(1));
      const oids = await allOids(tmp.vault);
      const expected = await answers(tmp, oids);
      const whole = await makeIndex(tmp.vault, oids[0]!);
      const flipped = Uint8Array.from(whole, (byte, i) => (i === (choice * 7919) % whole.length ? byte ^ (1 << choice % 8) : byte));
      const places: Record<string, Uint8Array> = {
        whole,
        stale: await makeIndex(tmp.vault, oids[choice % oids.length]!),
        truncated: whole.subarray(0, choice % whole.length),
        flipped,
        foreign: await makeIndex(other.vault, (await other.vault.head()).oid),
      };
      for (const [what, bytes] of Object.entries(places)) {
        placeIndex(tmp.gitdir, bytes);
        expect({ what, told: await answers(tmp, oids) }).toEqual({ what, told: expected });
      }
      await Promise.all([tmp.vault.close(), other.vault.close()]);
      rmSync(home, { recursive: true });
    }),
    { numRuns },
  );
});
