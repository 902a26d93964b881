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

/** @throws INVALID_ARGUMENT, with the reason but never with the address, which may hold a secret */
export function parseRemoteUrl(url: string): RemoteUrl {
  if (/^[a-z]+:\/\/[^/@]*:[^/@]*@/i.test(url)) {
    throw new MemgitError('INVALID_ARGUMENT', 'expected the address of a remote without a password in it; give the token in the environment or a file');
  }
  const scheme = /^([a-z]+):\/\//.exec(url)?.[1];
  const protocol = scheme ?? (url.startsWith('/') ? 'file' : 'ssh');
  if (!isRemoteUrl(url) || !isProtocol(protocol)) {
    throw new MemgitError('INVALID_ARGUMENT', 'expected the address of a remote: https://…, ssh://…, host:path, file:///… or an absolute path, without spaces');
  }
  return { url, protocol };
}

export function isHttp({ protocol }: RemoteUrl): boolean {
  return protocol === 'http' || protocol === 'https';
}

function isProtocol(text: string): text is RemoteUrl['protocol'] {
  return ['http', 'https', 'ssh', 'file'].includes(text);
}
