/**
 * The record of a commit (docs/FORMAT.md, "Record"): the description of one mutation, as canonical CBOR with integer keys,
 * padded with zeros to a multiple of 64 bytes and sealed into the commit message. Keys that this version does not know are
 * skipped: a later 1.x may add some.
 */
import { toHex, type Bytes } from '../bytes.ts';
import { MemgitError } from '../errors.ts';
import { oidToBytes, parseOid } from '../git/objects.ts';
import { asBytes, asCount, asList, asText, decodeMap, encodeMap, type CborValue } from './cbor.ts';
import { isPadding, pad, paddedRecordLength } from './padding.ts';
import { ROOT, type MemoryPath } from './path.ts';
import { isStoredPath } from './stored-path.ts';

const KEYS = {
  op: 0, timeMs: 1, sequence: 2, generation: 3, paths: 4, session: 5, toolUseId: 6, model: 7, actor: 8, note: 9, targets: 10,
  addedBytes: 11, removedBytes: 12,
} as const;

/** What the caller says about a mutation. Every text is a claim of whoever wrote it. */
export interface RecordFields {
  /** `create`, `str_replace`, … for the memory tool's commands; `write`, `remove`, `import`, `revert`, `restore`, `init` for others. */
  readonly op: string;
  /** The paths that the operation named, at most 64; a rename has the old one and then the new one. */
  readonly paths: readonly MemoryPath[];
  readonly session?: string | undefined;
  readonly toolUseId?: string | undefined;
  readonly model?: string | undefined;
  readonly actor?: string | undefined;
  readonly note?: string | undefined;
  /** Oids of the commits that a revert undoes, or that a restore goes back to; at most 256. */
  readonly targets?: readonly string[] | undefined;
}

export interface CommitRecord extends RecordFields {
  /** Milliseconds since 1970, by the writer's clock; before 31 December 9999. */
  readonly timeMs: number;
  /** One more than the largest of the parents': for display, never for decisions. */
  readonly sequence: number;
  /** Which writing of the history this is; 0 until one is rewritten. */
  readonly generation: number;
  /** Bytes of text that came and went, leaving out what each changed file shares at its ends. */
  readonly addedBytes: number;
  readonly removedBytes: number;
}

/** The last moment whose year has four digits in every time zone, as whatever shows a time expects. */
const TIME_MS_MAX = Date.UTC(9999, 11, 31) - 1;
const MAX_PATHS = 64;
const MAX_TARGETS = 256;
const LIMITS = { op: 64, session: 256, toolUseId: 256, model: 256, actor: 256, note: 4096 } as const;
type TextField = keyof typeof LIMITS;
const OPTIONAL_TEXTS = ['session', 'toolUseId', 'model', 'actor', 'note'] as const satisfies readonly TextField[];

/**
 * @throws TOO_LARGE when a text passes its limit in UTF-8 bytes (op 64, note 4,096, others 256); TypeError when a text, a number or
 *   an oid is ill-formed: a record that could not be read again would make the whole vault unreadable
 */
export function encodeRecord(record: CommitRecord): Bytes {
  const map = new Map<number, CborValue>([
    [KEYS.op, limited('op', record.op)],
    [KEYS.timeMs, counted('timeMs', record.timeMs, TIME_MS_MAX)],
    [KEYS.sequence, counted('sequence', record.sequence)],
    [KEYS.generation, counted('generation', record.generation)],
    [KEYS.paths, record.paths.slice(0, MAX_PATHS)],
    [KEYS.addedBytes, counted('addedBytes', record.addedBytes)],
    [KEYS.removedBytes, counted('removedBytes', record.removedBytes)],
  ]);
  for (const field of OPTIONAL_TEXTS) {
    const text = record[field];
    if (text !== undefined) map.set(KEYS[field], limited(field, text));
  }
  if (record.targets !== undefined) map.set(KEYS.targets, record.targets.slice(0, MAX_TARGETS).map(targetBytes));
  const bytes = encodeMap(map);
  return pad(bytes, paddedRecordLength(bytes.length));
}

/** @throws CORRUPT */
export function decodeRecord(plaintext: Bytes): CommitRecord {
  const decoded = decodeMap(plaintext);
  const record = decoded && readRecord(decoded.map);
  if (!record || plaintext.length % 64 !== 0 || decoded.rest.length >= 64 || !isPadding(decoded.rest)) {
    throw new MemgitError('CORRUPT', 'a commit holds no valid record');
  }
  return record;
}

function readRecord(map: ReadonlyMap<number, CborValue>): CommitRecord | undefined {
  const op = asText(map.get(KEYS.op));
  const timeMs = asCount(map.get(KEYS.timeMs));
  const sequence = asCount(map.get(KEYS.sequence));
  const generation = asCount(map.get(KEYS.generation));
  const paths = asList(map.get(KEYS.paths))?.map(asText);
  const addedBytes = asCount(map.get(KEYS.addedBytes));
  const removedBytes = asCount(map.get(KEYS.removedBytes));
  if (op === undefined || timeMs === undefined || sequence === undefined || generation === undefined || !paths?.every(isRecordedPath)) return undefined;
  if (addedBytes === undefined || removedBytes === undefined) return undefined;

  const texts: Partial<Record<TextField, string>> = {};
  for (const field of OPTIONAL_TEXTS) {
    const value = map.get(KEYS[field]);
    const text = asText(value);
    if (value !== undefined && text === undefined) return undefined;
    if (text !== undefined) texts[field] = text;
  }
  const rawTargets = map.get(KEYS.targets);
  const targets = asList(rawTargets)?.map(asBytes);
  if (rawTargets !== undefined && !targets?.every((bytes) => bytes?.length === 20)) return undefined;
  return {
    op, timeMs: Math.min(timeMs, TIME_MS_MAX), sequence, generation, paths, addedBytes, removedBytes, ...texts,
    ...(targets ? { targets: targets.map((bytes) => toHex(bytes!)) } : {}),
  };
}

/** @throws as `encodeRecord`: for texts that are fixed long before there is a record */
export function checkRecordTexts(texts: Partial<Readonly<Record<TextField, string | undefined>>>): void {
  for (const field of OPTIONAL_TEXTS) {
    const text = texts[field];
    if (text !== undefined) limited(field, text);
  }
}

function limited(field: TextField, text: string): string {
  if (typeof text !== 'string') throw new TypeError(`${field}: expected text, got ${typeof text}`);
  if (!text.isWellFormed()) throw new TypeError(`${field}: expected well-formed text, got a lone surrogate`);
  if (Buffer.byteLength(text) > LIMITS[field]) {
    throw new MemgitError('TOO_LARGE', `expected a ${field} of at most ${LIMITS[field]} bytes, got ${Buffer.byteLength(text)}`, {
      details: { field, limit: LIMITS[field] },
    });
  }
  return text;
}

function counted(field: string, value: number, most = Number.MAX_SAFE_INTEGER): number {
  if (asCount(value) === undefined || value > most) throw new TypeError(`${field}: expected a whole number from 0 to ${most}`);
  return value;
}

function targetBytes(text: string): Bytes {
  const oid = parseOid(text);
  if (oid === undefined) throw new TypeError('targets: expected full oids of commits');
  return oidToBytes(oid);
}

function isRecordedPath(text: string | undefined): text is MemoryPath {
  return text !== undefined && (text === ROOT || isStoredPath(text));
}
