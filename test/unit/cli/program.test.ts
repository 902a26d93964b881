import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { cliReference } from '../../../scripts/cli-reference.ts';
import { COMMANDS, FAMILIES } from '../../../src/cli/commands/index.ts';
import { EXITS } from '../../../src/cli/exits.ts';
import { VERSION } from '../../../src/cli/version.ts';
import { ERRORS } from '../../../src/errors.ts';
import { generateKey } from '../../../src/key.ts';
import { runCli } from '../../support/fake-io.ts';

const words = COMMANDS.map(({ name }) => name.split(' '));

describe('mistakes', () => {
  test.each([
    [['usrs'], "error: unknown command 'usrs'\nhint: did you mean users?\n"],
    [['help', 'usrs'], "error: unknown command 'usrs'\nhint: did you mean users?\n"],
    [['key', 'chekc'], "error: unknown command 'chekc'\nhint: did you mean check?\n"],
    [['users', '--jsn'], "error: unknown option '--jsn'\nhint: did you mean --json?\n"],
    [['users', '--stor', 'x'], "error: unknown option '--stor'\nhint: did you mean --store?\n"],
    [['users', '--store'], "error: option '--store <dir>' argument missing\n"],
    [['users', 'extra'], "error: too many arguments for users: expected none, got 1\n"],
    // The command is looked for behind the options of every command; seen to fail without skipping their values.
    [['--store', 'log', 'usrs'], "error: unknown command 'usrs'\nhint: did you mean users?\n"],
    [['--store=log', '--utc', 'users', '--jsn'], "error: unknown option '--jsn'\nhint: did you mean --json?\n"],
    [['-C', 'users', 'completion', 'ksh'], "error: shell: expected bash, zsh or fish, got 'ksh'\n"],
    [['--stor', 'users'], "error: unknown option '--stor'\nhint: did you mean --store?\n"],
    [['completion', 'ksh'], "error: shell: expected bash, zsh or fish, got 'ksh'\n"],
    // Seen to fail: help was printed for the first, and no more than "unknown command" for the others.
    [['help', 'session', 'nope'], "error: unknown command 'nope'\nhint: the commands are session start, session end, session abandon, session list, session show, session diff and session revert\n"],
    [['help', 'session', 'strat'], "error: unknown command 'strat'\nhint: did you mean start?\n"],
    [['--utc', 'key', 'foo'], "error: unknown command 'foo'\nhint: the commands are key check\n"],
    [['help', 'zzzz'], "error: unknown command 'zzzz'\nhint: `memgit help` lists the commands\n"],
    [['zzzz'], "error: unknown command 'zzzz'\nhint: `memgit help` lists the commands\n"],
    [['constructor', 'x'], "error: unknown command 'constructor'\nhint: `memgit help` lists the commands\n"],
    [['pull', '--strategy', "it's"], "error: --strategy <strategy>: expected both, ours, theirs or manual, got 'it's'\n"],
    [['diff', 'a', 'b', 'c'], 'error: too many arguments for diff: expected at most 2, got 3\n'],
    [['completion'], "error: missing required argument 'shell'\n"],
    [['log', '-n', 'ten', '--user', 'u', '--store', 's'], 'error: -n, --limit <count>: expected a whole number, 0 to 999999999\n'],
    [['users'], 'error: expected the folder of a store; give --store or set MEMGIT_STORE\n'],
    [['users'].concat('--store='), 'error: --store <dir>: expected a value, got an empty one\n'],
    [['log', '-C', ''], 'error: -C, --repo <repo>: expected a value, got an empty one\n'],
    [['log', '--user', ''], 'error: --user <id>: expected a value, got an empty one\n'],
    [['clone', 'x', 'y', '-C', 'z'], 'error: expected the place of the new repository after the address, got -C, which is for one that is there\n'],
    [['push', '--jobs', '2', '--user', 'u', '--store', 's'], 'error: --jobs is for --all-users\n'],
    [['ls', '--store', 's'], 'error: expected a user; give --user or set MEMGIT_USER\n'],
  ])('%j', async (argv, stderr) => {
    expect(await runCli(argv)).toEqual({ exit: 2, stdout: '', stderr, questions: [] });
  });

  test('no command at all', async () => {
    const { exit, stdout, stderr } = await runCli([]);
    expect([exit, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^Usage: memgit /);
  });
});

describe('help', () => {
  test('lists every command', async () => {
    const { exit, stdout } = await runCli(['--help']);
    expect(exit).toBe(0);
    for (const [first] of words) expect(stdout).toMatch(new RegExp(`^  ${first!} `, 'm'));
    expect((await runCli(['help'])).stdout).toBe(stdout);
  });

  test('of what only holds commands says what they are about', async () => {
    const families = new Set(words.flatMap(([first, second]) => (second === undefined ? [] : [first!])));
    expect(Object.keys(FAMILIES).sort()).toEqual([...families].sort());
    const { stdout } = await runCli(['--help']);
    for (const [name, about] of Object.entries(FAMILIES)) {
      expect(about).toMatch(/^[A-Z].*[^.]$/);
      expect(stdout).toMatch(new RegExp(`^  ${name} +${about}$`, 'm'));
      expect((await runCli(['help', name])).stdout).toContain(`\n\n${about}.\n\n`);
    }
  });

  test.each([[['--help', 'log']], [['--user', 'log', '--help']], [['-Clog', '-h']]])('%j asks for it too', async (argv) => {
    expect((await runCli(argv)).stdout).toBe((await runCli(['--help'])).stdout);
  });

  // Seen to fail: the first ended the session, the second added the remote.
  test.each([
    [['help', 'session', '--utc', 'end', '--handoff', 'h'], ['help', 'session']],
    [['help', 'remote', '--user', 'alice', 'add', 'evil', '/tmp/evil'], ['help', 'remote']],
    [['help', 'log', '--oneline'], ['help', 'log']],
  ])('%j runs nothing', async (argv, same) => {
    expect(await runCli(argv)).toEqual(await runCli(same));
  });

  test.each(words.map((name) => [name.join(' '), name]))('%s', async (name, argv) => {
    const { exit, stdout } = await runCli([...argv, '--help']);
    const command = COMMANDS.find((candidate) => candidate.name === name)!;
    expect(exit).toBe(0);
    expect(stdout).toContain(`Usage: memgit ${name} `);
    for (const [line] of command.examples) expect(stdout).toContain(`$ ${line}\n`);
    for (const code of command.exits) expect(stdout).toMatch(new RegExp(`^  ${code} +${EXITS[code].slice(0, 20)}`, 'm'));
    expect((await runCli(['help', ...argv])).stdout).toBe(stdout);
  });
});

test('help loads nothing of the library', async () => {
  const { metafile } = await build({ entryPoints: ['src/cli/main.ts'], outdir: 'out', write: false, bundle: true, splitting: true, format: 'esm', platform: 'node', packages: 'external', metafile: true });
  const loaded = new Set<string>();
  const load = (file: string): void => {
    if (loaded.has(file)) return;
    loaded.add(file);
    for (const { path, kind, external } of metafile.outputs[file]!.imports) if (kind === 'import-statement' && external !== true) load(path);
  };
  load('out/main.js');
  const sources = [...loaded].flatMap((file) => Object.keys(metafile.outputs[file]!.inputs));
  expect(sources).toContain('src/cli/program.ts');
  expect(sources.filter((source) => /^src\/(?:crypto|git|vault|memory|sync)\/|^src\/(?:store|vault|key)/.test(source))).toEqual([]);
  const packages = [...loaded].flatMap((file) => metafile.outputs[file]!.imports).filter(({ external, path, kind }) => external === true && kind === 'import-statement' && !path.startsWith('node:'));
  expect(packages.map(({ path }) => path)).toEqual(['commander']);
});

test('the version is the package\'s', async () => {
  expect((JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }).version).toBe(VERSION);
  expect(await runCli(['--version'])).toEqual({ exit: 0, stdout: `${VERSION}\n`, stderr: '', questions: [] });
});

test('docs/CLI.md is current; `npm run docs:cli` writes it', () => {
  expect(readFileSync('docs/CLI.md', 'utf8')).toBe(cliReference());
});

test('every exit code of an error has a meaning', () => {
  expect(Object.values(ERRORS).map(({ exit }) => exit).filter((exit) => !(exit in EXITS))).toEqual([]);
});

describe('the data of the commands', () => {
  test.each(COMMANDS.map((command) => [command.name, command] as const))('%s', (_, { summary, details, args, options, examples, exits }) => {
    expect(summary).toMatch(/^[A-Z].*[^.]$/);
    expect(details ?? 'A.').toMatch(/^[A-Z`].*\.$/);
    expect(examples.length).toBeGreaterThan(0);
    expect(exits).toContain(0);
    expect(Object.keys(args).filter((key) => key in options)).toEqual([]);
    for (const { syntax } of Object.values(args)) expect(syntax).toMatch(/^(?:<[\w-]+>|\[[\w|:-]+(?:\.\.\.)?\])$/);
    for (const option of Object.values(options)) expect(option.syntax).toMatch(/^(?:-\w, )?--[a-z-]+(?: <[\w|-]+>)?$/);
  });
});

describe('the key', () => {
  let dir: string;
  const store = () => join(dir, 'store');

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'memgit-cli-'));
  });

  afterEach(() => {
    rmSync(dir, { recursive: true });
  });

  test('is asked for when there is no other, and a passphrase in its place', async () => {
    const env = { XDG_CONFIG_HOME: join(dir, 'config') };
    const made = await runCli(['init', store(), '--passphrase'], { env, typed: ['correct horse', 'correct horse'] });
    expect(made).toMatchObject({ exit: 0, questions: ['new passphrase: ', 'the same again: '] });
    const asked = await runCli(['key', 'check', '--store', store()], { env, typed: ['correct horse'] });
    expect(asked).toMatchObject({ exit: 0, questions: ['key or passphrase of the store: '], stdout: expect.stringContaining('from prompt') });
    expect(await runCli(['users', '--store', store()], { env, typed: ['wrong horse'] })).toMatchObject({ exit: 12, stderr: expect.stringContaining('the passphrase does not open') });
    expect(await runCli(['users', '--store', store()], { env })).toMatchObject({ exit: 12, stderr: expect.stringContaining('got none') });
  });

  test('typed at the prompt is a key', async () => {
    const file = join(dir, 'key');
    await runCli(['init', store(), '--key-file', file]);
    const key = readFileSync(file, 'utf8').trim();
    const env = { XDG_CONFIG_HOME: join(dir, 'config') };
    expect(await runCli(['users', '--store', store()], { env, typed: [key] })).toMatchObject({ exit: 0, stderr: '' });
    expect(await runCli(['users', '--store', store()], { env, typed: [key.slice(0, -1)] })).toMatchObject({ exit: 12, stderr: expect.stringContaining('cut short') });
  });

  test('is not asked for beside one that every command would try first', async () => {
    for (const env of [{ MEMGIT_KEY: 'x' }, { MEMGIT_KEY_FILE: 'x' }] as Record<string, string>[]) {
      expect(await runCli(['init', store(), '--passphrase'], { env })).toMatchObject({ exit: 2, questions: [], stderr: expect.stringContaining(`unset ${Object.keys(env)[0]!}`) });
    }
    expect(await runCli(['init', store(), '--passphrase', '--key-file', 'x'])).toMatchObject({ exit: 2, stderr: 'error: expected a key or --passphrase, got both\n' });
  });

  test('that a command prints is used where a file of the environment is not there', async () => {
    const key = await generateKey();
    const env = { MEMGIT_KEY_FILE: join(dir, 'not-there') };
    const argv = ['--store', store(), '--key-command', `echo ${key}`];
    expect(await runCli(['init', ...argv], { env })).toMatchObject({ exit: 0 });
    expect(existsSync(env.MEMGIT_KEY_FILE)).toBe(false);
    expect(await runCli(['users', ...argv], { env })).toMatchObject({ exit: 0 });
  });

  test('two different passphrases make nothing', async () => {
    expect(await runCli(['init', store(), '--passphrase'], { typed: ['one', 'two'] })).toMatchObject({ exit: 2, stderr: expect.stringContaining('differ') });
    expect(() => readFileSync(join(store(), 'store.json'))).toThrow('ENOENT');
  });

  test('never reaches an error', async () => {
    const key = `memgit-key-${'a'.repeat(55)}`;
    const { stderr, stdout } = await runCli(['users', '--store', store()], { env: { MEMGIT_KEY: key } });
    expect(stderr + stdout).not.toContain('aaaa');
  });
});

test('Ctrl-C that was waited for ends with 130 and says what it leaves open', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'memgit-cli-'));
  await runCli(['init', join(dir, 'store'), '--key-file', join(dir, 'key')]);
  const interrupted = await runCli(['users', '--store', join(dir, 'store'), '--key-file', join(dir, 'key')], { signal: AbortSignal.abort() });
  rmSync(dir, { recursive: true });
  expect(interrupted).toEqual({ exit: 130, stdout: '', stderr: 'error: interrupted; what was begun may have been done: look before doing it again\n', questions: [] });
});
