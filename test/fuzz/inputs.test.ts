/**
 * What a hostile model or a slipping hand can send: any JSON as a tool input, any words as a command line. The answer is a sentence
 * or an exit code that is documented, no object of the language is changed, and nothing of the host is told. Seen to fail with
 * commands dispatched by looking a property up, and with numbers left to the library to refuse.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Parameter } from '../../src/cli/command.ts';
import { COMMANDS } from '../../src/cli/commands/index.ts';
import { EXITS } from '../../src/cli/exits.ts';
import { GLOBAL_OPTIONS } from '../../src/cli/globals.ts';
import { generateKey, openStore, type Vault } from '../../src/index.ts';
import { UNEXPECTED } from '../../src/memory/messages.ts';
import { runCli } from '../support/fake-io.ts';
import { temporaryFolder } from '../support/git-repository.ts';
import { pick, randomFrom, seed } from '../support/random.ts';

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
      await expectDocumented(argv, { HOME: folder, MEMGIT_STORE: dir });
    }),
    { numRuns: slow ? 20_000 : 300 },
  );
  expect(Object.keys(Object.prototype)).toEqual([]);
});

test(`any value of any option or argument ends in a documented exit code (SEED=${seed})`, async () => {
  // A folder below another: `..` must not lead to somebody else's.
  const [work, here] = [join(folder, 'some/where/work'), process.cwd()];
  mkdirSync(work, { recursive: true });
  process.chdir(work);
  try {
    const key = await generateKey();
    const store = await openStore({ dir: 'store', key });
    const alice = await store.vault('alice');
    const session = await alice.sessions.start({ process: false });
    await session.features.init('[{"id":"login","description":"x"}]');
    for (const text of ['one\n', 'one\ntwo\n']) await alice.write('/memories/a.md', text);
    execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', 'backup.git']);
    await alice.addRemote('origin', join(work, 'backup.git'));
    await store.close();

    const env = { HOME: work, MEMGIT_STORE: 'store', MEMGIT_USER: 'alice', MEMGIT_KEY: key };
    const lines = COMMANDS.flatMap((command) => trials(command).map((trial) => [...command.name.split(' '), ...trial]));
    const random = randomFrom(seed);
    for (const argv of slow ? lines : Array.from({ length: 300 }, () => pick(random, lines))) await expectDocumented(argv, env);
  } finally {
    process.chdir(here);
  }
});

/** What a name stands for where it must be given, but is not what is tried. */
const SAMPLES: Readonly<Record<string, string>> = {
  path: '/memories/a.md', url: 'backup.git', dir: 'out', pattern: 'one', revision: 'HEAD', from: 'HEAD~1', session: '1', remote: 'origin', action: 'list', shell: 'bash', id: 'login',
};
const ODD = ['', ' ', '0', '-1', '1.5', '1e9', '999999999', '99999999999', 'x'.repeat(600), '\u0001\u001b[31m', '\u{1f600}', '__proto__', '..', 'HEAD', 'HEAD~9999999', 'HEAD..', '@{yesterday}', '1..2', '2026-13-45', '//', '*', '(', '/memories', '/memories/a.md', '/memories/..'];
/** They read or write where they are told to, in this machine's own folders too. */
const REACH_OUTSIDE = new Set(['clone', 'export', 'import', 'init']);

/** Each argument and option of a command with each odd value, and what must stand before it. */
function trials({ name, args, options }: (typeof COMMANDS)[number]): string[][] {
  const values = REACH_OUTSIDE.has(name) ? ODD.filter((value) => !value.startsWith('/')) : ODD;
  const given = (key: string) => SAMPLES[key] ?? 'x';
  const keys = Object.keys(args);
  const needed = keys.filter((key) => args[key]!.syntax.startsWith('<')).map(given);
  const valued = (option: Parameter<unknown>) => option.syntax.includes('<');
  // The global ones mean the same everywhere; what --key-command names is run, which says what it likes.
  const { keyCommand: _, ...globals } = GLOBAL_OPTIONS;
  const all = Object.values({ ...options, ...(name === 'log' ? globals : {}) });
  return [
    ...keys.flatMap((_, at) => values.map((value) => ['--', ...keys.slice(0, at).map(given), value, ...needed.slice(at + 1)])),
    ...all.filter(valued).flatMap(({ syntax }) => values.map((value) => [`${/--[a-z-]+/.exec(syntax)![0]}=${value}`, ...needed])),
  ];
}

async function expectDocumented(argv: readonly string[], env: Record<string, string>): Promise<void> {
  const { exit, stderr } = await runCli(argv, { env });
  const fault = /unexpected:|\n\s+at .*\(|TypeError|RangeError|undefined is not/.exec(stderr)?.[0];
  expect({ argv, exit, documented: Object.keys(EXITS).includes(`${exit}`), fault }).toEqual({ argv, exit, documented: true });
}
