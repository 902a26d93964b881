/**
 * Addresses of remotes. What is accepted here is what the configuration of a repository may hold (config.ts): a scheme by name,
 * `host:path` as scp writes it, or an absolute path. So no `ext::`, which is a program, and nothing that could pass for an option.
 */
import { MemgitError } from '../errors.ts';
import { isRemoteUrl } from './config.ts';

export interface RemoteUrl {
  readonly url: string;
  readonly protocol: 'http' | 'https' | 'ssh' | 'file';
}

/** Access tokens as large hosts make them, and whatever is too long for the name of a user. */
const TOKEN = /^(?:gh[a-z]_|github_pat_|gl[a-z]+-)|^.{36,}$/;

/** @throws INVALID_ARGUMENT, with the reason but never with the address, which may hold a secret */
export function parseRemoteUrl(url: string): RemoteUrl {
  const scheme = /^([a-z]+):\/\//.exec(url)?.[1];
  if (scheme !== undefined && holdsSecret(url)) {
    throw new MemgitError('INVALID_ARGUMENT', 'expected the address of a remote without a password or token in it, and without a query; give the token in the environment or a file');
  }
  const protocol = scheme ?? (url.startsWith('/') ? 'file' : 'ssh');
  if (!isRemoteUrl(url) || !isProtocol(protocol) || (scheme !== undefined && !URL.canParse(url))) {
    throw new MemgitError('INVALID_ARGUMENT', 'expected the address of a remote: https://…, ssh://…, host:path, file:///… or an absolute path, without spaces');
  }
  return { url, protocol };
}

/** What stands in an address is shown in lists of remotes and of processes. A password with a slash in it leaves an address that does not parse. */
function holdsSecret(url: string): boolean {
  if (!URL.canParse(url)) return url.includes('@');
  const { username, password, search } = new URL(url);
  return password !== '' || search !== '' || TOKEN.test(username);
}

export function isHttp({ protocol }: RemoteUrl): boolean {
  return protocol === 'http' || protocol === 'https';
}

function isProtocol(text: string): text is RemoteUrl['protocol'] {
  return ['http', 'https', 'ssh', 'file'].includes(text);
}
