/** Finds the way to a remote: the git that is installed, or HTTP(S) without it, which is loaded only then, with the library that it needs. */
import { MemgitError } from '../errors.ts';
import { findGit } from './environment.ts';
import { nodeFileSystem } from './fs.ts';
import { GitTransport } from './git-transport.ts';
import { isHttp, parseRemoteUrl } from './remote-url.ts';
import type { Transport, TransportOptions } from './transport.ts';

/** @throws INVALID_ARGUMENT for an address that is not one of a remote, or that needs git where there is none; for certificates that are not there */
export async function openTransport(url: string, options: TransportOptions = {}): Promise<Transport> {
  const remote = parseRemoteUrl(url);
  if (options.caFile !== undefined && (await nodeFileSystem.lstat(options.caFile)) === undefined) {
    throw new MemgitError('INVALID_ARGUMENT', 'expected a file of certificates to trust (PEM), found none at the path given');
  }
  const git = findGit();
  if (git !== undefined) return new GitTransport(git, remote, options);
  if (!isHttp(remote)) throw new MemgitError('INVALID_ARGUMENT', `expected git on PATH for a remote over ${remote.protocol}, found none; install git, or use https`);
  const { HttpTransport } = await import('./http-transport.ts');
  return new HttpTransport(remote, options);
}
