/** With --json every failure is one line of JSON on stderr that docs/CLI.md describes. Seen to fail while they were lines for people. */
import { join } from 'node:path';
import { namingCandidates } from '../../../src/cli/candidates.ts';
import { Context } from '../../../src/cli/context.ts';
import { describeFailure, FAILURE_SHAPE, failureOf } from '../../../src/cli/failure.ts';
import { readGlobals } from '../../../src/cli/globals.ts';
import { Output } from '../../../src/cli/output.ts';
import { MemgitError } from '../../../src/errors.ts';
import { generateKey, openStore } from '../../../src/index.ts';
import { fakeIo, runCli } from '../../support/fake-io.ts';
import { temporaryFolder } from '../../support/git-repository.ts';
import { describedFields, faultsOf, shownFields } from '../../support/shape-check.ts';

const dir = join(temporaryFolder(), 'store');
const SECRET = 'the-planted-secret';
let env: Record<string, string>;

beforeAll(async () => {
  const key = await generateKey();
  env = { MEMGIT_STORE: dir, MEMGIT_USER: 'alice', MEMGIT_KEY: key };
  const store = await openStore({ dir, key });
  const vault = await store.vault('alice');
  await vault.write('/memories/a.md', `${SECRET}\n`);
  await vault.write('/memories/a.md', 'other\n');
  await vault.write('/memories/a.md', 'last\n');
  await store.close();
});

const FAILURES: readonly (readonly [line: string, exit: number, code: string])[] = [
  ['show nope', 2, 'BAD_REVISION'],
  ['log --path /memories/none', 2, 'NOT_FOUND'],
  ['revert HEAD~1', 13, 'CONFLICT'],
  ['ls --user bob', 10, 'VAULT_NOT_FOUND'],
  ['ls --key-file /nowhere', 12, 'KEY_MISSING'],
  ['log -C here --user bob', 2, 'INVALID_ARGUMENT'],
  ['log -n ten', 2, 'INVALID_ARGUMENT'],
  ['push nowhere', 2, 'NOT_FOUND'],
  ['lgo', 2, 'INVALID_ARGUMENT'],
  ['log --wat', 2, 'INVALID_ARGUMENT'],
  ['pull --strategy mine', 2, 'INVALID_ARGUMENT'],
  ['push --all-users', 2, 'NOT_FOUND'],
];

test('each is an object of its own, and between them they show every field', async () => {
  const shown = new Set<string>();
  for (const [line, exit, code] of FAILURES) {
    const ended = await runCli([...line.split(' '), '--json'], { env });
    expect([line, ended.exit, ended.stderr.split('\n').length]).toEqual([line, exit, 2]);
    const failure = JSON.parse(ended.stderr) as { error: { code: string } };
    expect([line, faultsOf(failure, FAILURE_SHAPE), failure.error.code]).toEqual([line, [], code]);
    for (const field of shownFields(failure)) shown.add(field);
    expect(ended.stderr).not.toMatch(new RegExp(`${SECRET}|${env['MEMGIT_KEY']!}`));
  }
  expect(describedFields(FAILURE_SHAPE).filter((field) => !shown.has(field))).toEqual([]);
});

test('it says what a person is told', async () => {
  for (const [line] of FAILURES.filter(([line]) => line !== 'push --all-users')) {
    const { error } = JSON.parse((await runCli([...line.split(' '), '--json'], { env })).stderr) as { error: { message: string; hint?: string } };
    const { stderr } = await runCli(line.split(' '), { env });
    expect(stderr).toBe(`error: ${error.message}\n${error.hint === undefined ? '' : `hint: ${error.hint}\n`}`);
  }
});

test('what a terminal would obey is escaped', async () => {
  const { stderr } = await runCli(['pull', '--strategy', '\u001b[2J', '--json'], { env, terminal: true });
  expect(stderr).toContain('\\u001b[2J');
  expect(stderr).not.toContain('\u001b');
});

/** Seen to fail with the names of candidates printed as they are. */
test('what was stored can add no line to a hint', async () => {
  const store = await openStore({ dir, key: env['MEMGIT_KEY']! });
  const vault = await store.vault('carol');
  await vault.execute({ command: 'create', path: '/memories/a', file_text: 'x' }, { toolUseId: 'id\nerror: all is lost' });
  const { io } = fakeIo();
  const context = new Context(io, new Output(io, { pager: false }), readGlobals({}, {}), false);
  const error = new MemgitError('BAD_REVISION', 'which', { details: { candidates: [await vault.resolve('HEAD')] } });
  const named: unknown = await namingCandidates(context, vault, async () => { throw error; }).catch((thrown: unknown) => thrown);
  await store.close();
  const lines = describeFailure(failureOf(named), { json: false }).trimEnd().split('\n');
  expect(lines).toEqual(['error: which', 'hint: it could be', expect.stringContaining('tool-use:id\\nerror: all is lost')]);
});
