/**
 * Strict JSON files: `store.json` and the keyring. A file is read only if it is, byte for byte, what memgit would have
 * written: that refuses repeated fields, unknown fields, other white space and other spellings all at once. The last field
 * is a keyed hash of the exact bytes before it.
 */
import { equalBytes, fromBase64, fromHex, utf8, utf8Decode, type Bytes } from '../bytes.ts';
import { blake2b } from '../crypto/kdf.ts';
import { MemgitError } from '../errors.ts';

export const FORMAT_VERSION = 1;
const MAX_JSON_BYTES = 1024 * 1024;
const MAC_BYTES = 32;
/** The keyring goes five deep. Writing it again, to compare, takes the stack and the spaces of every level. */
const MAX_DEPTH = 8;

export type JsonObject = Readonly<Record<string, unknown>>;

/** Reports what is wrong with a file in its own words. */
export type Malformed = (what: string) => MemgitError;

export function malformed(file: string): Malformed {
  return (what) => new MemgitError('CORRUPT', `${file} is damaged: ${what}`, { details: { file } });
}

/** Writes fields in their order, indented by one space for the reader of a diff, with the keyed hash last. */
export function encodeSigned(fields: JsonObject, macKey: Bytes): Bytes {
  const body = encodeBody(fields);
  return utf8(`${body},\n "mac": "${Buffer.from(blake2b(MAC_BYTES, utf8(body), macKey)).toString('hex')}"\n}\n`);
}

export interface SignedJson {
  readonly fields: JsonObject;
  /** Checks the keyed hash; a wrong one means that the file was altered. */
  readonly hasMac: (macKey: Bytes) => boolean;
}

/**
 * Parses a file that `encodeSigned` wrote; the keyed hash is checked later, once the key is known.
 *
 * @throws UNSUPPORTED_VERSION when its `format` is not 1, CORRUPT when it is anything but canonical
 */
export function decodeSigned(bytes: Bytes, fail: Malformed): SignedJson {
  if (bytes.length > MAX_JSON_BYTES) throw fail(`it has ${bytes.length} bytes, more than ${MAX_JSON_BYTES}`);
  const text = utf8Decode(bytes);
  if (text === undefined) throw fail('it is not UTF-8 text');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw fail('it is not JSON');
  }
  if (!isObject(value)) throw fail('it is not a JSON object');
  if (value['format'] !== FORMAT_VERSION) {
    if (!Number.isSafeInteger(value['format'])) throw fail('it names no format');
    throw new MemgitError('UNSUPPORTED_VERSION', `expected format ${FORMAT_VERSION}, got ${String(value['format'])}; use a newer memgit`, {
      details: { format: Number(value['format']) },
    });
  }
  const { mac, ...fields } = value;
  const macBytes = hex(mac, MAC_BYTES, () => fail('its keyed hash is malformed'));
  if (isDeeper(fields, MAX_DEPTH)) throw fail('it is nested deeper than any such file');
  const body = encodeBody(fields);
  if (`${body},\n "mac": "${String(mac)}"\n}\n` !== text) throw fail('it is not written in the one canonical way');
  return { fields, hasMac: (macKey) => equalBytes(macBytes, blake2b(MAC_BYTES, utf8(body), macKey)) };
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

function encodeBody(fields: JsonObject): string {
  return JSON.stringify(fields, undefined, 1).slice(0, -2);
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value as an object with exactly these fields, in this order. */
export function fieldsOf<K extends string>(value: unknown, names: readonly K[], fail: () => MemgitError): Readonly<Record<K, unknown>> {
  if (!isObject(value) || Object.keys(value).join() !== names.join()) throw fail();
  return value;
}

export function list(value: unknown, max: number, fail: () => MemgitError): readonly unknown[] {
  if (!Array.isArray(value) || value.length > max) throw fail();
  return value;
}

export function count(value: unknown, fail: () => MemgitError): number {
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw fail();
  return value as number;
}

/** Lower-case hex of exactly `length` bytes. */
export function hex(value: unknown, length: number, fail: () => MemgitError): Bytes {
  const bytes = typeof value === 'string' ? fromHex(value) : undefined;
  if (bytes?.length !== length) throw fail();
  return bytes;
}

/** Canonical base64, of exactly `length` bytes when it is given and of at most 4,096 otherwise. */
export function base64(value: unknown, length: number | undefined, fail: () => MemgitError): Bytes {
  const bytes = typeof value === 'string' ? fromBase64(value) : undefined;
  if (bytes === undefined || (length === undefined ? bytes.length > 4096 : bytes.length !== length)) throw fail();
  return bytes;
}

/** A short name in lower-case letters and dashes. */
export function word(value: unknown, fail: () => MemgitError): string {
  if (typeof value !== 'string' || !/^[a-z][a-z-]{0,31}$/.test(value)) throw fail();
  return value;
}
