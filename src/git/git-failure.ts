/**
 * Says in memgit's words why git could not do what it was asked, from what it printed (in English: environment.ts). The text
 * itself may come from the remote and may hold addresses, so only a cleaned line of it goes into the details.
 */
import { MemgitError, type ErrorCode } from '../errors.ts';
import type { GitResult } from './system-git.ts';

interface Failure {
  readonly pattern: RegExp;
  readonly code: ErrorCode;
  readonly message: string;
  /** Whether trying again may help. */
  readonly passing?: true;
}

/** The first that matches counts. */
const FAILURES: readonly Failure[] = [
  {
    pattern: /attempting to allocate|exceeds maximum allowed size|index-pack (?:died|failed)|fsck error|bad object|inflate|pack has bad object|did not send all necessary objects|missing necessary objects/,
    code: 'CORRUPT',
    message: 'expected whole objects from the remote, got damaged, missing or oversized ones; nothing was taken in',
  },
  {
    pattern: /Authentication failed|could not read (?:Username|Password)|returned error: 401|Permission denied \(|terminal prompts disabled/,
    code: 'REMOTE_REFUSED',
    message: 'the remote refused the credentials, or wanted some and got none; give a token, with the user name that the host wants in the address (https://name@host/…), or set up git\'s credential helper or ssh keys',
  },
  { pattern: /returned error: 403|access denied|not exported/i, code: 'REMOTE_REFUSED', message: 'the remote refused the request: these credentials may not do this there' },
  {
    pattern: /returned error: 404|repository '.*' not found|does not appear to be a git repository|does not exist|no such (?:file|repository)/i,
    code: 'REMOTE_UNREACHABLE',
    message: 'expected a git repository at the address of the remote, found none; check the address, or make the repository there first',
  },
  { pattern: /pre-receive hook declined|hook declined|protected branch|remote rejected|unpacker error/, code: 'REMOTE_REFUSED', message: 'the remote refused to take the commits; its administrator can say why' },
  { pattern: /certificate|SSL|server verification failed/i, code: 'REMOTE_UNREACHABLE', message: 'expected a remote with a certificate that is trusted here, got another; give the file of its authority' },
  { pattern: /Host key verification failed/, code: 'REMOTE_UNREACHABLE', message: 'expected a known host key of the remote, got none or another; connect once with ssh to accept it' },
  { pattern: /returned error: 5\d\d/, code: 'REMOTE_UNREACHABLE', message: 'the remote reported an error of its own; try again later', passing: true },
  {
    pattern: /early EOF|unexpected disconnect|hung up unexpectedly|RPC failed|Connection reset|Empty reply|transfer closed|expected flush|bad line length|protocol error|invalid .*response/i,
    code: 'REMOTE_UNREACHABLE',
    message: 'the connection to the remote broke off in the middle; nothing was changed here',
    passing: true,
  },
  {
    pattern: /Could not resolve|Couldn't connect|Failed to connect|Connection refused|timed out|Connection closed|Network is unreachable|No route to host/i,
    code: 'REMOTE_UNREACHABLE',
    message: 'expected to reach the remote, but no connection came about; check the address and the network',
    passing: true,
  },
];

const OTHER: Omit<Failure, 'pattern'> = { code: 'REMOTE_UNREACHABLE', message: 'expected the remote to answer as a git server does, but it did not' };

export function describeGitFailure({ code: exit, stdout, stderr }: GitResult): MemgitError {
  const text = `${stderr}\n${stdout}`;
  const { code, message, passing } = FAILURES.find(({ pattern }) => pattern.test(text)) ?? OTHER;
  const status = /returned error: (\d{3})/.exec(text)?.[1];
  return new MemgitError(code, message, {
    details: { exit, said: lastWords(stderr), ...(status === undefined ? {} : { status: Number(status) }), ...(passing ? { passing } : {}), ...(code === 'CORRUPT' ? { from: 'remote' } : {}) },
  });
}

/** Tells whether git fetched nothing because the remote has no such branch: an empty repository, and a reachable one. */
export function isMissingRef(stderr: string): boolean {
  return /^fatal: couldn't find remote ref /m.test(stderr);
}

/** git's own last complaint, without addresses, quoted words and anything that a terminal would act on. */
function lastWords(stderr: string): string {
  const line = stderr.split(/[\r\n]+/).findLast((text) => /^(?:fatal|error): /.test(text)) ?? '';
  return line.replace(/\S*:\/\/\S*/g, '<url>').replace(/'[^']*'/g, "'…'").replace(/[^ -~…]/g, '?').slice(0, 200);
}
