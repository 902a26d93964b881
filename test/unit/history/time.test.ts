import { parseTime } from '../../../src/history/time.ts';

const now = Date.UTC(2026, 10, 30, 12);
const local = (year: number, month: number, day: number, hour = 0, minute = 0, second = 0) => new Date(year, month, day, hour, minute, second).getTime();

test.each([
  ['now', now],
  ['yesterday', now - 86_400_000],
  ['3 days ago', now - 3 * 86_400_000],
  ['1 hour ago', now - 3_600_000],
  ['2 Weeks Ago', now - 14 * 86_400_000],
  ['2026-11-01', local(2026, 10, 1)],
  ['2026-11-01 14:00', local(2026, 10, 1, 14)],
  ['2026-11-01T14:00:05', local(2026, 10, 1, 14, 0, 5)],
  ['2026-11-01T14:00:00Z', Date.UTC(2026, 10, 1, 14)],
  ['2026-11-01T14:00:00.5Z', Date.UTC(2026, 10, 1, 14) + 500],
  ['2026-11-01 14:00+02:00', Date.UTC(2026, 10, 1, 12)],
  ['2026-11-01 14:00-0130', Date.UTC(2026, 10, 1, 15, 30)],
])('%s', (text, expected) => {
  expect(parseTime(text, now)).toBe(expected);
});

test.each(['', 'soon', '2026-13-01', '2026-02-30', '2026-11-01 24:00', '2026-11-01 12:60', '11/01/2026', '-1 days ago', '2026-11-1'])('%j is no time', (text) => {
  expect(parseTime(text, now)).toBeUndefined();
});
