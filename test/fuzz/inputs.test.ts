/**
 * What a hostile model or a slipping hand can send: any JSON as a tool input, any words as a command line. The answer is a sentence
 * or an exit code that is documented, no object of the language is changed, and nothing of the host is told. Seen to fail with
 * commands dispatched by looking a property up.
 */
import { join } from 'node:path';
import fc from 'fast-check';
import { COMMANDS } from '../../src/cli/commands/index.ts';
import { EXITS } from '../../src/cli/exits.ts';
import { generateKey, openStore, type Vault } from '../../src/index.ts';
import { UNEXPECTED } from '../../src/memory/messages.ts';
import { runCli } from '../support/fake-io.ts';
import { temporaryFolder } from '../support/git-repository.ts';

jest.setTimeout(process.env['SLOW'] === '1' ? 3_600_000 : 300_000);

const folder = temporaryFolder();
const slow = process.env['SLOW'] === '1';

const names = fc.constantFrom('command', 'path', 'file_text', 'old_str', 'new_str', 'insert_line', 'insert_text', 'view_range', 'old_path', 'new_path', '__proto__', 'constructor', 'toString');
const texts = fc.oneof(
  fc.constantFrom('view', 'create', 'str_replace', 'insert', 'delete', 'rename', 'toString', '__proto__', 'constructor', 'hasOwnProperty'),
  fc.constantFrom('/memories', '/memories/', '/memories/a', '/memories/../etc/passwd', '/memories/%2e%2e/x', '/memories/__proto__', '/etc/passwd', '..', '\u0000', '\ud800', ' '),
  fc.string({ unit: 'binary' }),
);
const values = fc.oneof({ weight: 4, arbitrary: texts }, { weight: 1, arbitrary: fc.integer({ min: -2, max: 5 }) }, { weight: 1, arbitrary: fc.anything() });
/** As JSON.parse gives it: `__proto__` can be an own property. */
const inputs = fc.array(fc.tuple(names, values), { maxLength: 8 }).map((fields) => {
  const input: Record<string, unknown> = {};
  for (const [name, value] of fields) Object.defineProperty(input, name, { value, enumerable: true, configurable: true, writable: true });
  return input;
});

let vault: Vault;
const errors: unknown[] = [];
beforeAll(async () => {
  const store = await openStore({ dir: join(folder, 'store'), key: await generateKey(), onError: (error) => errors.push(error) });
  vault = await store.vault('alice');
});

test('any tool input gets a sentence', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof({ weight: 9, arbitrary: inputs }, { weight: 1, arbitrary: fc.anything() }), async (input) => {
      const { content } = await vault.execute(input);
      expect(content).not.toBe(UNEXPECTED);
      expect(JSON.stringify(content)).not.toContain(folder);
    }),
    { numRuns: slow ? 100_000 : 1_000 },
  );
  expect(errors).toEqual([]);
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect((await vault.verify()).ok).toBe(true);
});

test('any command line ends in a documented exit code', async () => {
  const dir = join(folder, 'cli');
  const words = fc.oneof(
    fc.constantFrom(...COMMANDS.flatMap(({ name }) => name.split(' '))),
    fc.constantFrom('--json', '--user', 'alice', '--store', dir, '-C', dir, '--dry-run', '-n', '1', 'HEAD', 'HEAD~1', '--', '-', '--help', '--version', '/memories', '--quick', '--since', '--__proto__', '__proto__=1', ''),
    fc.string(),
  );
  // A command that reads a password or waits for one gets no answer; one that would make a store elsewhere has no room to.
  await fc.assert(
    fc.asyncProperty(fc.array(words, { maxLength: 7 }), async (argv) => {
      fc.pre(!argv.includes('init') && !argv.includes('export') && !argv.includes('import'));
      const { exit, stderr } = await runCli(argv, { env: { HOME: folder, MEMGIT_STORE: dir } });
      expect(Object.keys(EXITS)).toContain(`${exit}`);
      expect(stderr).not.toMatch(/unexpected|\n\s+at .*\(|TypeError|undefined is not/);
    }),
    { numRuns: slow ? 20_000 : 300 },
  );
  expect(Object.keys(Object.prototype)).toEqual([]);
});
