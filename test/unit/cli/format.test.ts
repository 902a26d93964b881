import { execFileSync } from 'node:child_process';
import { formatBytes, formatTime, largest, plural } from '../../../src/cli/format.ts';

const TIME_MS = Date.UTC(2026, 10, 1, 23, 4, 5);

test('UTC', () => {
  expect(formatTime(TIME_MS, true)).toBe('2026-11-01 23:04:05 +0000');
});

test('local time is what git and date show', () => {
  const dated = execFileSync('date', ['-d', `@${TIME_MS / 1000}`, '+%Y-%m-%d %H:%M:%S %z'], { encoding: 'utf8' }).trim();
  expect(formatTime(TIME_MS, false)).toBe(dated);
});

test.each([[300, '+0500'], [-90, '-0130'], [345, '+0545'], [0, '+0000']])('an offset of %d minutes is %s', (minutes, zone) => {
  const offset = jest.spyOn(Date.prototype, 'getTimezoneOffset').mockReturnValue(-minutes);
  const shown = formatTime(TIME_MS, false);
  offset.mockRestore();
  expect(shown.slice(-5)).toBe(zone);
  expect(Date.parse(shown.replace(' ', 'T').replace(' ', ''))).toBe(TIME_MS);
});

test.each([[0, '0 B'], [1023, '1023 B'], [1024, '1.0 KiB'], [1_300_000, '1.2 MiB'], [5 * 1024 ** 4, '5120.0 GiB']])('%d bytes are %s', (bytes, shown) => {
  expect(formatBytes(bytes)).toBe(shown);
});

test('one and many', () => {
  expect([plural(1, 'file'), plural(0, 'file'), plural(2, 'entry', 'entries')]).toEqual(['1 file', '0 files', '2 entries']);
});

test('the largest of none, of some, and of more than fit a call', () => {
  expect([[], ['a', 'ccc', 'bb'], Array<string>(500_000).fill('dddd')].map((all) => largest(all, ({ length }) => length))).toEqual([0, 3, 4]);
});
