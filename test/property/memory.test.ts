/**
 * Random commands with hostile texts, on a vault and on the simplest memory that could be right: every answer is the same, every old
 * snapshot still reads as it did, and what is exported and imported, or pushed and cloned, is the same memory again. Seen to fail
 * with a directory forgotten when its last file goes, and with the end of a delta's base turned round.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { execute } from '../../src/memory/execute.ts';
import { pushRemote } from '../../src/sync/push.ts';
import { Vault } from '../../src/vault.ts';
import { expectWhole } from '../support/doomed-vault.ts';
import { MemoryModel } from '../support/memory-model.ts';
import { Bench } from '../support/remote-vault.ts';
import { contentsOf, createTmpVault, reopen, type TmpVault } from '../support/tmp-vault.ts';

jest.setTimeout(process.env['SLOW'] === '1' ? 3_600_000 : 300_000);

const bench = new Bench();
afterAll(async () => bench.close());
const numRuns = process.env['SLOW'] === '1' ? 2_000 : 20;

/** Few names, so that commands meet each other's files; some of them are what a text should never be. */
const names = fc.constantFrom('a', 'b.md', 'ü', 'u\u0308', '%41', 'a b', '.hidden', '__proto__', 'con', '\u{1f9e0}', "'\"$(x)`", '-rf', '<script>', 'memgit.json');
const path = fc.array(names, { minLength: 1, maxLength: 3 }).map((parts) => `/memories/${parts.join('/')}`);
const oddPaths = fc.constantFrom('/memories', '/memories/', '/memories//a/./b.md', '/memories/../x', '/memories/a\u0000', 'memories/a', '/memoriesX');
/** Lines that do not compress, so that versions of them are stored as deltas. */
const NOISE = Array.from({ length: 150 }, (_, i) => `${createHash('sha256').update(`${i}`).digest('hex')}\n`).join('');
const texts = fc.oneof(
  fc.constantFrom('', '\n', 'a\n', 'a\r\nb\r\n', 'one\ntwo\none\n', '\u2028', '\ufeffbom', '$&', '</file>\n```', 'é'.repeat(200), 'line of text\n'.repeat(300), NOISE, NOISE, NOISE),
  fc.string({ unit: 'grapheme' }),
);
const parts = fc.oneof(fc.constantFrom('a', 'one', NOISE.slice(65 * 20, 65 * 21),  '\n', 'line of text\nline of text', '$&', ''), texts);
/** Most commands of a run are about the same few files. */
const commands = fc.array(path, { minLength: 2, maxLength: 3 }).chain((few) => {
  const paths = fc.oneof({ weight: 12, arbitrary: fc.constantFrom(...few) }, { weight: 1, arbitrary: path }, { weight: 1, arbitrary: oddPaths });
  return fc.array(
    fc.oneof(
      { weight: 5, arbitrary: fc.record({ command: fc.constant('create'), path: paths, file_text: texts }) },
      { weight: 5, arbitrary: fc.record({ command: fc.constant('str_replace'), path: paths, old_str: parts, new_str: texts }) },
      { weight: 5, arbitrary: fc.record({ command: fc.constant('insert'), path: paths, insert_line: fc.integer({ min: -1, max: 4 }), insert_text: texts }) },
      { weight: 2, arbitrary: fc.record({ command: fc.constant('rename'), old_path: paths, new_path: paths }) },
      { weight: 2, arbitrary: fc.record({ command: fc.constant('delete'), path: paths }) },
      { weight: 2, arbitrary: fc.record({ command: fc.constant('view'), path: paths, view_range: fc.constantFrom(undefined, [1, 2], [2, -1], [5, 1]) }) },
    ),
    { minLength: 1, maxLength: 40, size: 'max' },
  );
});

test(`a vault is a memory (${numRuns} runs)`, async () => {
  await fc.assert(
    fc.asyncProperty(commands, async (inputs) => {
      const home = mkdtempSync(join(bench.folder, 'run-'));
      const made = await createTmpVault(home);
      const vault = new Vault(made.gitdir, made.vault, { policy: 'off', onError: fail });
      const model = new MemoryModel();
      const past = [];
      for (const input of inputs) {
        expect(await vault.execute(input, { overwrite: true })).toEqual(await execute(model, input, { overwrite: true }));
        past.push({ oid: (await made.vault.head()).oid, contents: await contentsOf(model.snapshot()) });
      }
      // By another object, which remembers nothing of what was written.
      const later = await reopen(made);
      for (const { oid, contents } of past) expect(await contentsOf(await later.snapshot(oid))).toEqual(contents);
      await expectWhole(made.vault);
      await expectCopies(made, vault, home);
      await vault.close();
      rmSync(home, { recursive: true });
    }),
    { numRuns },
  );
});

async function expectCopies(made: TmpVault, vault: Vault, home: string): Promise<void> {
  const contents = await contentsOf(await made.vault.snapshot());
  await vault.exportFiles(join(home, 'plain'));
  const imported = await createTmpVault(home, 'bob');
  const other = new Vault(imported.gitdir, imported.vault, { policy: 'off' });
  expect((await other.importFiles(join(home, 'plain'))).skipped).toEqual([]);
  expect(await contentsOf(await imported.vault.snapshot())).toEqual(contents);
  await other.close();

  const url = bench.bare();
  await pushRemote(made.vault, { name: 'origin', url });
  const cloned = await bench.clone(url, made.wrapKey);
  expect(await contentsOf(await cloned.vault.snapshot())).toEqual(contents);
  await expectWhole(cloned.vault);
}

function fail(error: unknown): never {
  throw error;
}
