/**
 * The one error class of memgit and the table of its codes.
 *
 * Codes are stable within a major version, messages are not. `details` holds facts for tests and logs (oids, counts,
 * limits, expected and got) and never plaintext, memory paths, keys or credentials. Wrong use of the API is a
 * `TypeError` or a `RangeError` and is not meant to be caught. Something absent is `undefined`, never an error.
 */

/** Code -> what it means in one sentence, and the exit code of the command line that ends with it. */
export const ERRORS = {
  // Ways in.
  KEY_MISSING: { exit: 12, summary: 'no key was given' },
  KEY_MALFORMED: { exit: 12, summary: 'the key text is not a memgit key, or was mistyped' },
  WRONG_KEY: { exit: 12, summary: 'the key or passphrase does not open this store or vault' },
  DAMAGED_SLOT: { exit: 14, summary: 'a wrapped key is damaged: its checksum does not match' },
  ALTERED: { exit: 14, summary: 'authenticated data was altered, or belongs to another vault' },

  // Stores and vaults.
  STORE_NOT_FOUND: { exit: 10, summary: 'there is no store at this place' },
  STORE_EXISTS: { exit: 2, summary: 'there is already a store, or something else, at this place' },
  STORE_INVALID: { exit: 10, summary: 'the place holds something that is not a memgit store' },
  VAULT_NOT_FOUND: { exit: 10, summary: 'this user has no vault in the store' },
  UNSUPPORTED_VERSION: { exit: 14, summary: 'the data was written by a newer format than this version reads' },
  UNSUPPORTED_REPOSITORY: { exit: 14, summary: 'the repository uses a git feature that memgit refuses' },
  CORRUPT: { exit: 14, summary: 'an object, ref or file is damaged or missing' },
  LOCKED: { exit: 11, summary: 'another process holds the lock of this vault' },
  READ_ONLY: { exit: 2, summary: 'the store was opened read-only' },
  CLOSED: { exit: 2, summary: 'the store or vault is closed' },
  ABORTED: { exit: 130, summary: 'the operation was aborted by its caller' },
  IO: { exit: 1, summary: 'the file system refused an operation' },

  // The memory itself.
  INVALID_PATH: { exit: 2, summary: 'the path is not one that a memory can hold' },
  INVALID_ARGUMENT: { exit: 2, summary: 'an argument is missing or of the wrong kind' },
  NOT_FOUND: { exit: 2, summary: 'there is nothing at this path' },
  NOT_A_FILE: { exit: 2, summary: 'the path is a directory where a file is needed' },
  NOT_A_DIRECTORY: { exit: 2, summary: 'the path is a file where a directory is needed' },
  ALREADY_EXISTS: { exit: 2, summary: 'there is already something at this path' },
  NO_MATCH: { exit: 2, summary: 'the text to replace does not occur' },
  MULTIPLE_MATCHES: { exit: 2, summary: 'the text to replace occurs more than once' },
  LINE_OUT_OF_RANGE: { exit: 2, summary: 'a line number is outside the file' },
  NOT_TEXT: { exit: 2, summary: 'the bytes are not valid UTF-8 text' },
  TOO_LARGE: { exit: 2, summary: 'something is larger than its limit' },
  REFUSED: { exit: 2, summary: 'a policy of the vault refuses this change' },

  // History and remotes.
  BAD_REVISION: { exit: 2, summary: 'the revision is unknown or ambiguous' },
  CONFLICT: { exit: 13, summary: 'later edits touch the same lines' },
  PUSH_REJECTED: { exit: 13, summary: 'the remote has commits that are not here' },
  REMOTE_UNREACHABLE: { exit: 1, summary: 'the remote did not answer as a git server should' },
  REMOTE_REFUSED: { exit: 1, summary: 'the remote refused the credentials or the request' },
  ROLLBACK_DETECTED: { exit: 15, summary: 'the remote shows an older state than was seen before' },
  FORK_DETECTED: { exit: 15, summary: 'the remote shows a history beside the one seen before' },
  HISTORY_REWRITTEN: { exit: 15, summary: 'the history was replaced by another generation' },
} as const satisfies Record<string, { exit: number; summary: string }>;

export type ErrorCode = keyof typeof ERRORS;

/** Facts about a failure. Values are short and safe to log. */
export type ErrorDetails = Readonly<Record<string, string | number | boolean | readonly (string | number)[]>>;

/** Shared by the ES and the CommonJS build, so that each recognises the other's errors. */
const BRAND = Symbol.for('memgit.MemgitError');

export interface MemgitErrorOptions {
  details?: ErrorDetails;
  cause?: unknown;
}

export class MemgitError extends Error {
  override readonly name = 'MemgitError';
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  /** @param message what was expected, what was got, what to do next; lower case, no full stop */
  constructor(code: ErrorCode, message: string = ERRORS[code].summary, options: MemgitErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details ?? {};
    Object.defineProperty(this, BRAND, { value: true });
  }

  toJSON(): { name: string; code: ErrorCode; message: string; details: ErrorDetails } {
    return { name: this.name, code: this.code, message: this.message, details: this.details };
  }
}

/** Tells whether a caught value is a memgit error, from this build or the other one. With `code`, also which one. */
export function isMemgitError(value: unknown, code?: ErrorCode): value is MemgitError {
  return (
    typeof value === 'object' &&
    value !== null &&
    (value as Record<symbol, unknown>)[BRAND] === true &&
    (code === undefined || (value as MemgitError).code === code)
  );
}
