/** Keys from passphrases: node's own asynchronous scrypt (RFC 7914), with bounds on what a file may ask for. */
import { scrypt } from 'node:crypto';
import { utf8, type Bytes } from '../bytes.ts';
import { MemgitError } from '../errors.ts';
import { KEY_BYTES } from './kdf.ts';

export const SALT_BYTES = 16;

export interface ScryptParameters {
  /** CPU and memory cost, a power of two. */
  readonly n: number;
  readonly r: number;
  readonly p: number;
}

/** 128 MiB and about half a second on a small machine (docs/FORMAT.md: N = 2^17, r = 8, p = 1). */
export const SCRYPT_DEFAULTS: ScryptParameters = { n: 2 ** 17, r: 8, p: 1 };

const MAX_PASSPHRASE_BYTES = 1024;
/** What one derivation may take: twice the default. */
const MAX_MEMORY_BYTES = 2 ** 28;

/** True for parameters that are neither weak nor able to exhaust the machine that reads them from a file. */
export function scryptParametersAllowed({ n, r, p }: ScryptParameters): boolean {
  const powerOfTwo = Number.isInteger(n) && n >= 2 ** 10 && n <= 2 ** 18 && (n & (n - 1)) === 0;
  return powerOfTwo && Number.isInteger(r) && r >= 1 && r <= 32 && Number.isInteger(p) && p >= 1 && p <= 4 && 128 * n * r <= MAX_MEMORY_BYTES;
}

/**
 * Derives 32 bytes from a passphrase, in NFC so that the keyboard it is typed on does not matter.
 *
 * @throws KEY_MALFORMED when it is empty or over 1,024 bytes; UNSUPPORTED_VERSION when the parameters are out of bounds
 */
export async function keyFromPassphrase(passphrase: string, salt: Bytes, parameters: ScryptParameters): Promise<Bytes> {
  const bytes = utf8(passphrase.normalize('NFC'));
  if (bytes.length === 0 || bytes.length > MAX_PASSPHRASE_BYTES) {
    throw new MemgitError('KEY_MALFORMED', `expected a passphrase of 1 to ${MAX_PASSPHRASE_BYTES} bytes, got ${bytes.length}`);
  }
  if (!scryptParametersAllowed(parameters)) {
    throw new MemgitError('UNSUPPORTED_VERSION', 'the passphrase slot asks for parameters outside the allowed range', { details: { ...parameters } });
  }
  const { n, r, p } = parameters;
  return new Promise((resolve, reject) => {
    scrypt(bytes, salt, KEY_BYTES, { N: n, r, p, maxmem: 2 * 128 * n * r }, (error, key) => {
      if (error) reject(error);
      else resolve(key);
    });
  });
}
