/**
 * The remotes in a repository's configuration. The text was checked by `checkConfig` before, so it has no line that would need
 * interpreting, and everything that is not about the remote in question stays as it is. Pure.
 */
import { MemgitError } from '../errors.ts';
import { checkConfig } from './config.ts';
import { parseRemoteUrl } from './remote-url.ts';

export interface Remote {
  readonly name: string;
  readonly url: string;
}

const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9_-])?$/;
const HEADER = /^\s*\[(.*)\]\s*$/;
const URL_LINE = /^\s*url\s*=\s*(\S+)\s*$/i;

/** @throws INVALID_ARGUMENT */
export function checkRemoteName(name: string): void {
  if (NAME.test(name) && !name.includes('..') && !name.endsWith('.lock')) return;
  throw new MemgitError('INVALID_ARGUMENT', 'expected the name of a remote: 1 to 64 letters, digits, dots, dashes and underscores, such as origin');
}

export function readRemotes(config: string): Remote[] {
  const remotes: Remote[] = [];
  let name: string | undefined;
  for (const line of config.split('\n')) {
    const header = HEADER.exec(line)?.[1];
    if (header !== undefined) name = /^remote "(.*)"$/i.exec(header)?.[1];
    const url = URL_LINE.exec(line)?.[1];
    if (name !== undefined && url !== undefined) remotes.push({ name, url });
  }
  return remotes;
}

/** @throws ALREADY_EXISTS, INVALID_ARGUMENT */
export function withRemote(config: string, { name, url }: Remote): string {
  checkRemoteName(name);
  parseRemoteUrl(url);
  if (readRemotes(config).some((remote) => remote.name === name)) {
    throw new MemgitError('ALREADY_EXISTS', 'expected a new name for the remote, got one that is taken; remove that remote first, or choose another name', { details: { remote: name } });
  }
  const text = `${config.replace(/\n*$/, '\n')}[remote "${name}"]\n\turl = ${url}\n`;
  checkConfig(text);
  return text;
}

/** @throws NOT_FOUND */
export function withoutRemote(config: string, name: string): string {
  const kept: string[] = [];
  let inside = false;
  let found = false;
  for (const line of config.split('\n')) {
    const header = HEADER.exec(line)?.[1];
    if (header !== undefined) inside = header === `remote "${name}"`;
    found ||= inside;
    if (!inside) kept.push(line);
  }
  if (!found) throw noSuchRemote(name);
  return kept.join('\n').replace(/\n*$/, '\n');
}

export function noSuchRemote(name: string): MemgitError {
  return new MemgitError('NOT_FOUND', 'there is no remote of this name; `memgit remote list` shows those there are, `memgit remote add` adds one', { details: { remote: name } });
}
