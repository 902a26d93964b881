import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseTranscript, runTranscript } from './transcript.ts';

const scripts = readdirSync('test/e2e/scripts').filter((name) => name.endsWith('.txt'));

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'memgit-e2e-'));
});

afterEach(() => {
  rmSync(home, { recursive: true });
});

describe('the built program does what is written in', () => {
  test.each(scripts)('%s', (script) => {
    expect(run(parseTranscript(readFileSync(join('test/e2e/scripts', script), 'utf8')))).toEqual([]);
  });
});

test('every command has a transcript', async () => {
  const { COMMANDS } = await import('../../src/cli/commands/index.ts');
  const covered = scripts.map((script) => basename(script, '.txt'));
  expect(COMMANDS.map(({ name }) => name.replace(' ', '-')).filter((name) => !covered.includes(name))).toEqual([]);
});

describe('the runner sees', () => {
  test.each([
    ['a wrong status', '$ false\n', /exit 1/],
    ['a missing failure', '!3 true\n', /exit 0/],
    ['other output', '$ echo a\nb\n', /--- got\na/],
    ['output that is not expected', '$ echo a\n', /--- got\na/],
    ['output that is missing', '$ echo a\na\nb\n', /--- expected\na\nb/],
    ['stderr that is not expected', '$ echo a >&2\n', /2> a/],
    ['a text that a placeholder does not stand for', '$ echo xyz\n[OID]\n', /xyz/],
  ])('%s', (_, transcript, fault) => {
    expect(run(parseTranscript(transcript))).toEqual([expect.stringMatching(fault)]);
  });

  test('nothing wrong in what matches', () => {
    const transcript = '# comment\n$ cat a b; echo "at 2026-11-01 10:00:00 +0000" >&2\none\n\n...\nlast [..]\n2> at [TIME]\n\n-- a --\none\n\ntwo\n-- b --\nthree\nlast (line)\n';
    expect(run(parseTranscript(transcript))).toEqual([]);
  });
});

/** Runs in an empty folder, with a home, a configuration and a path that hold nothing of the machine's own. */
function run(transcript: ReturnType<typeof parseTranscript>): string[] {
  const bin = join(home, 'bin');
  const work = join(home, 'work');
  mkdirSync(bin);
  mkdirSync(work);
  symlinkSync(resolve('dist/cli.cjs'), join(bin, 'memgit'));
  writeFileSync(join(bin, 'agent'), `#!/bin/sh\nexec node '${resolve('test/e2e/agent.mjs')}' "$@"\n`, { mode: 0o755 });
  return runTranscript(transcript, work, {
    PATH: `${bin}:${process.env['PATH'] ?? ''}`,
    HOME: home,
    TZ: 'UTC',
    LC_ALL: 'C.UTF-8',
  });
}
