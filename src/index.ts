/** The public names of memgit. */
export { ERRORS, MemgitError, isMemgitError } from './errors.ts';
export type { ErrorCode, ErrorDetails, MemgitErrorOptions } from './errors.ts';
