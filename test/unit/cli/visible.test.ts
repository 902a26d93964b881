/** Text that is shown is not obeyed. Seen to fail with C1 controls let through, and with characters that hide or reorder text. */
import fc from 'fast-check';
import { visibleBytes, visibleLine, visibleText } from '../../../src/cli/visible.ts';

test.each([
  ['\x1b[31mred\x1b]0;title\x07', '\\x1b[31mred\\x1b]0;title\\x07'],
  ['over\rwritten', 'over\\rwritten'],
  ['\0\b\x7f\x9b', '\\0\\x08\\x7f\\x9b'],
  ['right to left \u202e and \u2066', 'right to left \\u{202e} and \\u{2066}'],
  ['hidden\u{e0041}\u{e0042} and\u200b\ufeff\u{e0100}', 'hidden\\u{e0041}\\u{e0042} and\\u{200b}\\u{feff}\\u{e0100}'],
  ['a\ttab and\na line', 'a\ttab and\na line'],
  ['❤️ 👩‍👧 می‌خواهم', '❤️ 👩‍👧 می‌خواهم'],
  ['naïve 日本 😀', 'naïve 日本 😀'],
])('text %j is shown as %j', (text, shown) => {
  expect(visibleText(text)).toBe(shown);
});

test('a line stays one line', () => {
  expect(visibleLine('a\nb\tc')).toBe('a\\nb\\tc');
});

test('bytes that are no text are escaped, text is not', () => {
  expect(visibleBytes(Buffer.from('é\x1b'))).toBe('é\\x1b');
  expect(visibleBytes(Buffer.from([0x89, 0x50, 0x0a, 0xff]))).toBe('\\x89P\n\\xff');
  expect(visibleBytes(Buffer.from('a real \ufffd'))).toBe('a real \ufffd');
});

test('nothing that is shown can be obeyed by a terminal', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.string({ unit: 'binary' }), (bytes, text) => {
      expect(visibleBytes(bytes)).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f]/);
      expect(visibleLine(text)).not.toMatch(/[\0-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/);
    }),
  );
});
