/** How a failure is told: one `error:` line, and one `hint:` where there is something to do about it; with `--json` the same as one object. */
import { isNativeError } from 'node:util/types';
import { isMemgitError, MemgitError, type ErrorCode, type ErrorDetails } from '../errors.ts';
import { facts, object, string } from './shape.ts';
import { visibleJson, visibleLine } from './visible.ts';

const HINTS: Partial<Readonly<Record<ErrorCode, string>>> = {
  KEY_MISSING: 'give the key with --key-file, --key-command, MEMGIT_KEY_FILE, MEMGIT_KEY_COMMAND or MEMGIT_KEY, or a passphrase with MEMGIT_PASSPHRASE_FILE or MEMGIT_PASSPHRASE_COMMAND; see `memgit help key check`',
  KEY_MALFORMED: 'copy the key again from where it is kept; it is one line of 67 characters',
  WRONG_KEY: 'nothing can be read without the right key; look for the key file that `memgit init` wrote, or for a copy of it',
  DAMAGED_SLOT: 'another key or passphrase of the store may still open it; otherwise restore from a backup',
  ALTERED: 'restore from a backup what is damaged; `memgit verify` says what is, where it can look',
  CORRUPT: 'restore from a backup what is damaged; `memgit verify` says what is, where it can look',
  UNSUPPORTED_VERSION: 'use the newest version of memgit',
  VAULT_NOT_FOUND: '`memgit users` lists the users of the store; `memgit session start --create` makes a memory for a new one',
  INVALID_PATH: 'a path begins with /memories; `memgit ls` lists those that there are',
  PUSH_REJECTED: '`memgit pull` takes in what the remote has; then push again',
  REMOTE_REFUSED: 'a token is taken from --token-file or MEMGIT_REMOTE_TOKEN',
};

/** The same error, with a hint that only its place could give. */
export class HintedError extends MemgitError {
  readonly hint: string;

  constructor(error: MemgitError, hint: string) {
    super(error.code, error.message, { details: error.details, cause: error });
    this.hint = hint;
  }
}

export interface Failure {
  readonly code: ErrorCode | 'UNEXPECTED';
  readonly message: string;
  readonly hint?: string;
  readonly details?: ErrorDetails;
}

/** What stderr is told with `--json`. */
export const FAILURE_SHAPE = object('', {
  error: object('What went wrong', {
    code: string('Code of the error, as README lists them; UNEXPECTED for what has none'),
    message: string('What was expected, what was found, what to do; not stable'),
  }, {
    hint: string('What else can be done about it'),
    details: facts('Facts for programs and logs, which depend on the code: oids, counts, limits'),
  }),
});

/** Only errors of memgit and of the file system are expected; others are told as the faults they are. */
export function failureOf(error: unknown): Failure {
  if (isMemgitError(error)) {
    const hint = hintOf(error);
    return { code: error.code, message: error.message, ...(hint === undefined ? {} : { hint }), ...(Object.keys(error.details).length > 0 ? { details: error.details } : {}) };
  }
  if (isNativeError(error) && 'syscall' in error) return { code: 'UNEXPECTED', message: error.message };
  return { code: 'UNEXPECTED', message: `unexpected: ${isNativeError(error) ? (error.stack ?? error.message) : String(error)}` };
}

export function failureOfUsage(message: string, hint?: string): Failure {
  return { code: 'INVALID_ARGUMENT', message, ...(hint === undefined ? {} : { hint }) };
}

/** What stderr is told, for a person or, with `--json`, as one line for a program. */
export function describeFailure(failure: Failure, { json }: { readonly json: boolean }): string {
  if (json) return `${visibleJson(JSON.stringify({ error: failure }))}\n`;
  const { message, hint } = failure;
  return `error: ${visibleLines(message)}\n${hint === undefined ? '' : `hint: ${visibleLines(hint)}\n`}`;
}

function visibleLines(text: string): string {
  return text.split('\n').map(visibleLine).join('\n');
}

function hintOf(error: MemgitError): string | undefined {
  if (error instanceof HintedError) return error.hint;
  // What a policy says to Claude helps a person as well.
  if ('sentence' in error && typeof error.sentence === 'string') return error.sentence.replace(/^Error: /, '');
  if (error.details['from'] === 'remote') return 'nothing was taken in, and what is here is as it was; ask whoever runs the remote';
  return HINTS[error.code];
}
