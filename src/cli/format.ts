/** How times, sizes and counts are written for people. `--json` has the plain values instead. */

/** `2026-11-01 14:00:05 +0100`: local time with its offset, or UTC. */
export function formatTime(timeMs: number, utc: boolean): string {
  const time = new Date(timeMs);
  // Minutes that local time is ahead; the platform's own sign is the other way round.
  const offset = utc ? 0 : -time.getTimezoneOffset();
  const shifted = new Date(timeMs + offset * 60_000).toISOString();
  const sign = offset < 0 ? '-' : '+';
  const zone = `${two(Math.trunc(Math.abs(offset) / 60))}${two(Math.abs(offset) % 60)}`;
  return `${shifted.slice(0, 10)} ${shifted.slice(11, 19)} ${sign}${zone}`;
}

/** `512 B`, `4.0 KiB`, `1.2 MiB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB'];
  let size = bytes;
  let unit = 0;
  while (size >= 1024 && unit < units.length - 1) {
    size /= 1024;
    unit += 1;
  }
  return unit === 0 ? `${size} B` : `${size.toFixed(1)} ${units[unit]!}`;
}

/** `1 file`, `3 files`. */
export function plural(count: number, noun: string, many = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : many}`;
}

/** The largest measure of some things; 0 of none. As arguments of `Math.max`, the lines of a long file would not fit a call. */
export function largest<T>(things: readonly T[], measure: (thing: T) => number): number {
  return things.reduce((most, thing) => Math.max(most, measure(thing)), 0);
}

/** An oid as people read it. */
export function shortOid(oid: string): string {
  return oid.slice(0, 10);
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
