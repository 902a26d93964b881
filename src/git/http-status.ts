/** Says in memgit's words what an HTTP status means for whoever talks to a remote. */
import { MemgitError, type ErrorCode } from '../errors.ts';

/** Returns `undefined` for success. */
export function describeStatus(status: number): MemgitError | undefined {
  if (status === 200) return undefined;
  const [code, message] = meaningOf(status);
  return new MemgitError(code, message, { details: { status, ...(status >= 500 ? { passing: true } : {}) } });
}

function meaningOf(status: number): [code: ErrorCode, message: string] {
  if (status === 401 || status === 407) return ['REMOTE_REFUSED', 'the remote refused the credentials, or wanted some and got none; give a token, with the user name that the host wants in the address (https://name@host/…)'];
  if (status === 403) return ['REMOTE_REFUSED', 'the remote refused the request: these credentials may not do this there'];
  if (status === 404 || status === 410) return ['REMOTE_UNREACHABLE', 'expected a git repository at the address of the remote, found none; check the address, or make the repository there first'];
  if (status === 413) return ['REMOTE_REFUSED', 'the remote refused so large a request; its administrator can allow it'];
  if (status >= 300 && status < 400) return ['REMOTE_UNREACHABLE', 'the remote has moved: it answered with another address; find out whether that is meant, and use it'];
  if (status >= 500) return ['REMOTE_UNREACHABLE', 'the remote reported an error of its own; try again later'];
  return ['REMOTE_UNREACHABLE', 'expected the remote to answer as a git server does, got another status'];
}
