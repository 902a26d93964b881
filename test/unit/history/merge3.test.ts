import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { mergeLines } from '../../../src/history/merge3.ts';
import { temporaryFolder } from '../../support/git-repository.ts';

const folder = temporaryFolder();

function gitMerge(base: readonly string[], ours: readonly string[], theirs: readonly string[], ...options: string[]): { text: string; conflict: boolean } {
  for (const [name, lines] of Object.entries({ base, ours, theirs })) writeFileSync(join(folder, name), lines.join(''));
  const { status, stdout } = spawnSync('git', ['merge-file', '-p', ...options, 'ours', 'base', 'theirs'], { cwd: folder, env: { PATH: process.env['PATH'] } });
  return { text: stdout.toString(), conflict: status !== 0 };
}

/** Edits of a text whose lines are all different: there is one right answer to what was changed. */
const edits = fc.array(fc.record({ line: fc.nat(11), how: fc.constantFrom('replace', 'insert', 'delete'), text: fc.nat(3) }), { maxLength: 4 });
type Edits = readonly { line: number; how: string; text: number }[];

function edit(base: readonly string[], changes: Edits): string[] {
  const lines: string[][] = base.map((line) => [line]);
  for (const { line, how, text } of changes) {
    if (how === 'insert') lines[line]!.unshift(`new ${line} ${text}\n`);
    else lines[line] = how === 'replace' ? [`other ${line} ${text}\n`] : [];
  }
  return lines.flat();
}

const base = Array.from({ length: 12 }, (_, i) => `line ${i}\n`);

test('merges as git merge-file does, and where it finds a conflict so does this', () => {
  fc.assert(
    fc.property(edits, edits, (left, right) => {
      const [ours, theirs] = [edit(base, left), edit(base, right)];
      const expected = gitMerge(base, ours, theirs);
      const merged = mergeLines(base, ours, theirs);
      expect(merged.conflicts.length > 0).toBe(expected.conflict);
      if (!expected.conflict) expect(merged.lines.join('')).toBe(expected.text);
    }),
    { numRuns: process.env['SLOW'] === '1' ? 2000 : 100 },
  );
});

test.each(['ours', 'theirs'] as const)('keeping %s is what git does with --%s', (side) => {
  const [ours, theirs] = [edit(base, [{ line: 3, how: 'replace', text: 0 }]), edit(base, [{ line: 3, how: 'delete', text: 0 }, { line: 9, how: 'insert', text: 0 }])];
  expect(mergeLines(base, ours, theirs, side).lines.join('')).toBe(gitMerge(base, ours, theirs, `--${side}`).text);
});

test('a conflict has the lines of each side and where they are in ours', () => {
  const merged = mergeLines(['a\n', 'b\n', 'c\n'], ['new\n', 'a\n', 'ours\n', 'c\n'], ['a\n', 'theirs\n', 'c\n']);
  // What was put before the first line touches it, but that one is unchanged between the two.
  expect(merged.conflicts).toEqual([{ line: 3, ours: ['ours\n'], base: ['b\n'], theirs: ['theirs\n'] }]);
});

test('the same change on both sides is one change', () => {
  expect(mergeLines(['a\n'], ['b\n'], ['b\n'])).toEqual({ lines: ['b\n'], conflicts: [] });
});

test('a final newline that one side adds is kept', () => {
  expect(mergeLines(['a\n', 'b'], ['A\n', 'b'], ['a\n', 'b\n']).conflicts).toHaveLength(1);
  expect(mergeLines(['a\n', 'x\n', 'b'], ['A\n', 'x\n', 'b'], ['a\n', 'x\n', 'b\n'])).toEqual({ lines: ['A\n', 'x\n', 'b\n'], conflicts: [] });
});

test('many equal lines take no longer than different ones', () => {
  const many = new Array<string>(20_000).fill('same\n');
  expect(mergeLines(many, ['first\n', ...many], [...many, 'last\n'])).toEqual({ lines: ['first\n', ...many, 'last\n'], conflicts: [] });
});
