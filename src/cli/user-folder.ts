/**
 * memgit's folders outside its stores, where the XDG Base Directory Specification (0.8, 8 May 2021) has them. As it says, a path that
 * is not absolute is passed over: a key would be kept, or code be run, in whatever folder somebody happens to stand.
 */
import { userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';

const FOLDERS = { XDG_CONFIG_HOME: '.config', XDG_CACHE_HOME: '.cache' };

/** `undefined` for a user without a home: none is named, and there is no account. */
export function userFolder(env: Readonly<Record<string, string | undefined>>, kind: keyof typeof FOLDERS): string | undefined {
  const named = env[kind] ?? '';
  if (isAbsolute(named)) return join(named, 'memgit');
  const home = homeOf(env['HOME'] ?? '');
  return isAbsolute(home) ? join(home, FOLDERS[kind], 'memgit') : undefined;
}

function homeOf(named: string): string {
  if (isAbsolute(named)) return named;
  try {
    return userInfo().homedir;
  } catch {
    return '';
  }
}
