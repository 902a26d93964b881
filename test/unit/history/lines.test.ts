import fc from 'fast-check';
import { utf8 } from '../../../src/bytes.ts';
import { diffLines, mergeableLines, textLines, type LineEdit } from '../../../src/history/lines.ts';

/** Few different lines, so that many of them are alike. */
const someLines = fc.array(fc.constantFrom('a\n', 'b\n', 'c\n', '\n'), { maxLength: 30 });

function apply(before: readonly string[], after: readonly string[], edits: readonly LineEdit[]): string[] {
  const result: string[] = [];
  let at = 0;
  for (const { oldStart, oldCount, newStart, newCount } of edits) {
    result.push(...before.slice(at, oldStart), ...after.slice(newStart, newStart + newCount));
    at = oldStart + oldCount;
  }
  return [...result, ...before.slice(at)];
}

test('the edits turn one text into the other, apart from each other and in order', () => {
  fc.assert(
    fc.property(someLines, someLines, (before, after) => {
      const edits = diffLines(before, after);
      expect(apply(before, after, edits)).toEqual(after);
      edits.slice(1).forEach((edit, i) => {
        expect(edit.oldStart).toBeGreaterThan(edits[i]!.oldStart + edits[i]!.oldCount);
      });
    }),
  );
});

test('equal texts have no edits', () => {
  expect(diffLines(['a\n'], ['a\n'])).toEqual([]);
  expect(diffLines([], [])).toEqual([]);
});

test('of equal lines the last is the one that came or went, as git has it', () => {
  fc.assert(
    fc.property(someLines, someLines, (before, after) => {
      for (const { oldStart, oldCount, newStart, newCount } of diffLines(before, after)) {
        if (oldCount === 0 && newStart + newCount < after.length) expect(after[newStart]).not.toBe(after[newStart + newCount]);
        if (newCount === 0 && oldStart + oldCount < before.length) expect(before[oldStart]).not.toBe(before[oldStart + oldCount]);
      }
    }),
  );
});

test('texts with nothing in common are one edit, whatever their size', () => {
  const before = Array.from({ length: 100_000 }, (_, i) => `before ${i}\n`);
  const after = Array.from({ length: 100_000 }, (_, i) => `after ${i}\n`);
  expect(diffLines(['first\n', ...before], ['first\n', ...after])).toEqual([{ oldStart: 1, oldCount: 100_000, newStart: 1, newCount: 100_000 }]);
});

test.each([
  ['', []],
  ['a', ['a']],
  ['a\n', ['a\n']],
  ['a\r\n\nb', ['a\r\n', '\n', 'b']],
  ['a\0b\nc', ['a\0b\n', 'c']],
])('%j has the lines %j', (text, lines) => {
  expect(textLines(utf8(text))).toEqual(lines);
});

test.each([
  ['invalid UTF-8', Uint8Array.of(0x61, 0xff)],
  ['more than a million lines', new Uint8Array(1_000_001).fill(10)],
])('%s is not text', (_, bytes) => {
  expect(textLines(bytes)).toBeUndefined();
});

test('a text with a NUL is not merged', () => {
  expect(mergeableLines(utf8('a\0b\n'))).toBeUndefined();
  expect(mergeableLines(utf8('a\nb'))).toEqual(['a\n', 'b']);
});

test('one line of ten megabytes is one line', () => {
  expect(textLines(new Uint8Array(10_000_000).fill(97))).toHaveLength(1);
});
