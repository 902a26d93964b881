/**
 * The only place below the command line that reads the environment: where git is, the environment that git runs in, and which
 * proxy an address is reached through. What could redirect git (`GIT_*`) and what git has no business with
 * (`MEMGIT_*`) is taken out, the rest is left as the caller has it.
 */
import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** Returns the path of git; `undefined` when it is not installed. Relative folders on PATH are passed over. */
export function findGit(): string | undefined {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, 'git');
    if (isAbsolute(folder) && isExecutable(path)) return path;
  }
  return undefined;
}

/** The caller's environment without git's own variables and without memgit's, which hold keys, and with messages in English, which is how failures are told apart. */
export function gitEnvironment(settings: Readonly<Record<string, string>>): Record<string, string | undefined> {
  const kept = Object.entries(process.env).filter(([name]) => !/^(?:GIT_|MEMGIT_|LC_|LANG)/i.test(name));
  return {
    ...Object.fromEntries(kept),
    LC_ALL: 'C',
    GIT_ALLOW_PROTOCOL: 'https:http:ssh:file',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_NO_LAZY_FETCH: '1',
    ...settings,
  };
}

/** Returns the address of the proxy for a URL as curl and git choose it; `undefined` for none. */
export function proxyFor(url: URL): string | undefined {
  const variable = (name: string): string | undefined => process.env[name] ?? process.env[name.toUpperCase()];
  // Upper-case HTTP_PROXY is not read: a CGI program gets it from whoever sends the header `Proxy`.
  const own = url.protocol === 'https:' ? variable('https_proxy') : process.env['http_proxy'];
  const proxy = own ?? variable('all_proxy') ?? '';
  if (proxy === '' || isExempt(url.hostname, variable('no_proxy') ?? '')) return undefined;
  return proxy.includes('://') ? proxy : `http://${proxy}`;
}

function isExempt(host: string, list: string): boolean {
  return list.split(/[\s,]+/).some((entry) => {
    const suffix = entry.replace(/^\*?\./, '');
    return entry === '*' || (suffix !== '' && (host === suffix || host.endsWith(`.${suffix}`)));
  });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
