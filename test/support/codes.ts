/** How a call ended: with its result, or with the code of a memgit error. Any other error is a fault of the test's subject. */
import { isMemgitError, type ErrorCode } from '../../src/errors.ts';

export function outcome<T>(call: () => T): { value: T } | { code: ErrorCode } {
  try {
    return { value: call() };
  } catch (error) {
    return coded(error);
  }
}

export async function outcomeOf<T>(call: () => Promise<T>): Promise<{ value: T } | { code: ErrorCode }> {
  try {
    return { value: await call() };
  } catch (error) {
    return coded(error);
  }
}

function coded(error: unknown): { code: ErrorCode } {
  if (!isMemgitError(error)) throw error;
  return { code: error.code };
}

/** A copy with one byte changed. `xor` is from 1 to 255. */
export function flipped(bytes: Uint8Array, at: number, xor = 1): Buffer {
  const copy = Buffer.from(bytes);
  copy[at]! ^= xor;
  return copy;
}

/** For `toThrow`. */
export function matching(code: ErrorCode): Error {
  return expect.objectContaining({ name: 'MemgitError', code }) as Error;
}
