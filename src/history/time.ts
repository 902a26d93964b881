/**
 * Points in time as a person types them: a date, a date and a time, or so long ago. Without a zone they are local; a date
 * alone is its first moment. An hour that the local clock skips is the one after it. Pure but for the zone of the machine.
 */

const UNIT_MS: Readonly<Record<string, number>> = {
  second: 1000, minute: 60_000, hour: 3_600_000, day: 86_400_000, week: 604_800_000, month: 2_629_800_000, year: 31_557_600_000,
};
const AGO = /^(\d{1,6}) (second|minute|hour|day|week|month|year)s? ago$/;
const DATE = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,3}))?)?)?(Z|[+-]\d\d:?\d\d)?$/;

/** Milliseconds since 1970; `undefined` for a text that is none of the forms, or a day or an hour that no calendar has. */
export function parseTime(text: string, nowMs: number): number | undefined {
  const phrase = text.trim().toLowerCase();
  if (phrase === 'now') return nowMs;
  if (phrase === 'yesterday') return nowMs - UNIT_MS['day']!;
  const [, count, unit] = AGO.exec(phrase) ?? [];
  if (count !== undefined && unit !== undefined) return nowMs - Number(count) * UNIT_MS[unit]!;
  return parseDate(text.trim());
}

function parseDate(text: string): number | undefined {
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone] = DATE.exec(text) ?? [];
  if (year === undefined || month === undefined || day === undefined) return undefined;
  const parts = [Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second), Number(fraction.padEnd(3, '0'))] as const;
  const utc = new Date(Date.UTC(...parts));
  // A day or an hour that no calendar has would roll over into the next.
  const rolled = utc.getUTCMonth() !== parts[1] || utc.getUTCDate() !== parts[2] || utc.getUTCHours() !== parts[3] || Number(minute) > 59 || Number(second) > 59;
  if (rolled) return undefined;
  if (zone === undefined) return new Date(...parts).getTime();
  const [, sign, hours = '0', minutes = '0'] = /^([+-])(\d\d):?(\d\d)$/.exec(zone) ?? [];
  const offset = (Number(hours) * 60 + Number(minutes)) * UNIT_MS['minute']!;
  return utc.getTime() + (sign === '-' ? offset : -offset);
}
