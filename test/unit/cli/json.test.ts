import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { COMMANDS } from '../../../src/cli/commands/index.ts';
import { array, boolean, integer, object, string } from '../../../src/cli/shape.ts';
import { clone, generateKey, openRepository, openStore, type Vault } from '../../../src/index.ts';
import { runCli } from '../../support/fake-io.ts';
import { describedFields, faultsOf, shownFields } from '../../support/shape-check.ts';

/** Command lines that between them print every field; `[dir]` is a folder for their files. */
const LINES: Readonly<Record<string, readonly string[]>> = {
  init: ['[dir]/second --key-file [dir]/second.key'],
  users: [''],
  ls: [''],
  log: ['--path /memories/plan.md --patch', '--stat'],
  show: ['HEAD~2', 'session:s-1', 'HEAD'],
  diff: ['HEAD~1 HEAD', 'HEAD~6 HEAD~1'],
  blame: ['/memories/plan.md'],
  grep: ['three'],
  revert: ['HEAD~3 --dry-run', 'HEAD~4', '--session s-2 --note why --actor me'],
  restore: ['HEAD~1 --note why --actor me'],
  status: [''],
  gc: [''],
  'key check': [''],
  verify: ['', '--quick', '--store [dir]/damaged'],
  import: ['[dir]/plain'],
  export: ['[dir]/exported'],
  'remote list': [''],
  push: ['origin', '--all-users'],
  fetch: ['origin'],
  pull: ['other'],
  clone: ['[dir]/other.git [dir]/cloned.git'],
};

let dir: string;
let env: Record<string, string>;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'memgit-json-'));
  env = { MEMGIT_STORE: join(dir, 'store'), MEMGIT_USER: 'alice', MEMGIT_KEY: await generateKey() };
  const store = await openStore({ dir: env['MEMGIT_STORE']!, key: env['MEMGIT_KEY'] });
  const vault = await store.vault('alice');
  await diverge(vault, env['MEMGIT_KEY']!);
  await store.setBackup(join(dir, 'nowhere', '{vault}.git'));
  const said = { session: 's-1', toolUseId: 'toolu_1', model: 'claude', actor: 'alice' };
  await vault.execute({ command: 'create', path: '/memories/draft.md', file_text: 'one\ntwo\nthree\n' }, said);
  await vault.execute({ command: 'str_replace', path: '/memories/draft.md', old_str: 'two', new_str: 'TWO' }, said);
  await vault.execute({ command: 'str_replace', path: '/memories/draft.md', old_str: 'TWO', new_str: '2' }, said);
  await vault.execute({ command: 'create', path: '/memories/late.md', file_text: 'x' }, { ...said, session: 's-2' });
  await vault.write('/memories/image.png', Uint8Array.of(0x89, 0xff), { note: 'a picture' });
  await vault.execute({ command: 'rename', old_path: '/memories/draft.md', new_path: '/memories/plan.md' }, said);
  await store.close();
  damageFirstMutation(vault.gitdir, join(dir, 'store'), join(dir, 'damaged'));
  mkdirSync(join(dir, 'plain'));
  writeFileSync(join(dir, 'plain', 'a.md'), 'a');
  writeFileSync(join(dir, 'plain', 'back\\slash.md'), 'b');
});

afterAll(() => {
  rmSync(dir, { recursive: true });
});

/** The commands about sessions are held to their shapes where they are tested. */
const reporting = COMMANDS.filter(({ json, group }) => json !== undefined && group !== 'Sessions');

const shown = new Set<string>();

test.each(reporting.map((command) => [command.name, command] as const))('%s --json prints what docs/CLI.md says', async (name, { json }) => {
  const { lines, shape } = json!;
  for (const line of LINES[name] ?? []) {
    const words = line.replaceAll('[dir]', dir).split(' ').filter(Boolean);
    const { exit, stdout } = await runCli([...name.split(' '), ...words, '--json'], { env });
    expect([0, 1, 3, 13]).toContain(exit);
    const values = stdout.trimEnd().split('\n').map((text): unknown => JSON.parse(text));
    if (!lines) expect(values).toHaveLength(1);
    expect(values.flatMap((value) => faultsOf(value, shape))).toEqual([]);
    for (const field of shownFields(values)) shown.add(leafOf(field));
  }
});

test('every field that docs/CLI.md describes was printed above', () => {
  const described = reporting.filter(({ name }) => name in LINES).flatMap(({ json }) => describedFields(json!.shape)).map(leafOf);
  // Whether it is told depends on which object is hit; the function behind it has a test of its own.
  expect([...new Set(described)].filter((field) => !shown.has(field) && field !== 'since')).toEqual([]);
});

test('every command with --json was tried', () => {
  expect(reporting.map(({ name }) => name).filter((name) => !(name in LINES))).toEqual([]);
});

describe('the check sees', () => {
  const shape = object('', { a: integer('a'), b: array('b', string('b', 'x', 'y')) }, { c: boolean('c') });

  test.each<[unknown, string]>([
    [{ a: 1 }, '$.b is missing'],
    [{ a: 1.5, b: [] }, '$.a is no integer'],
    [{ a: 1, b: 'x' }, '$.b is no array'],
    [{ a: 1, b: ['x', 'z'] }, '$.b[1] is not one of its values'],
    [{ a: 1, b: [], c: 'yes' }, '$.c is no boolean'],
    [{ a: 1, b: [], d: 1 }, '$.d is not described'],
    [[], '$ is no object'],
  ])('%j: %s', (value, fault) => {
    expect(faultsOf(value, shape)).toEqual([fault]);
  });
});

/** Gives a vault a remote that is empty, and one that has written the same file. */
async function diverge(vault: Vault, key: string): Promise<void> {
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', join(dir, 'empty.git')]);
  await vault.addRemote('origin', join(dir, 'empty.git'));
  await vault.write('/memories/shared.md', 'before');
  const gitdir = join(dir, 'other.git');
  await clone({ url: vault.gitdir, gitdir, key });
  const other = await openRepository({ gitdir, key });
  await other.write('/memories/shared.md', 'there');
  await other.close();
  await vault.addRemote('other', gitdir);
  await vault.write('/memories/shared.md', 'here');
}

/** Copies a store and spoils the pack of one vault's first mutation, which nothing needs to open the vault. */
function damageFirstMutation(gitdir: string, from: string, to: string): void {
  cpSync(from, to, { recursive: true, preserveTimestamps: true });
  const packs = join(to, relative(from, gitdir), 'objects', 'pack');
  const byAge = readdirSync(packs).filter((name) => name.endsWith('.pack')).map((name) => join(packs, name)).sort((a, b) => statSync(a).mtimeMs - statSync(b).mtimeMs);
  const bytes = readFileSync(byAge[1]!);
  const middle = Math.floor(bytes.length / 2);
  bytes.fill(0, middle, middle + 4);
  chmodSync(byAge[1]!, 0o600);
  writeFileSync(byAge[1]!, bytes);
}

function leafOf(field: string): string {
  return field.replace(/^.*\./, '').replaceAll('[]', '');
}
