/**
 * An epoch: one generation of a vault's keys. Holds the subkeys for names, entries, records, labels and lists of paths, and
 * seals and opens with them. It knows nothing of trees or files.
 */
import { concat, toBase32, toHex, utf8, type Bytes } from '../bytes.ts';
import { open, seal, type EnvelopeContext, type EnvelopeKind } from '../crypto/envelope.ts';
import { blake2b, deriveKey } from '../crypto/kdf.ts';
import { LABELS } from '../crypto/labels.ts';
import { seedOf, type SigningKey } from '../crypto/signature.ts';
import type { RandomSource } from '../crypto/sodium.ts';
import type { MemoryPath } from './path.ts';

export const EPOCH_ID_BYTES = 8;
export const KEY_CHECK_BYTES = 16;
const NAME_BYTES = 20;

const SEAL_LABELS = { entry: LABELS.entrySeal, record: LABELS.recordSeal, label: LABELS.labelSeal } as const;
type ObjectKind = keyof typeof SEAL_LABELS;

/** `number(4, big endian) || id(8)`: how an epoch is named wherever it must be named. */
export function encodeEpochId(number: number, id: Bytes): Bytes {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(number);
  return concat(bytes, id);
}

export interface EpochFacts {
  readonly number: number;
  /** 8 random bytes. */
  readonly id: Bytes;
  readonly repositoryId: Bytes;
  readonly publicKey: Bytes;
}

export class Epoch {
  readonly facts: EpochFacts;
  /** `number(4) || id(8)`, as it stands in every envelope. */
  readonly tag: Bytes;
  /** The tag as hex: two epochs are one exactly when their ids are equal. */
  readonly id: string;
  /** 32 bytes: the secret that everything else of the epoch derives from. */
  readonly key: Bytes;
  /** `undefined` for an older epoch, and for a reader, who may open but not write. */
  readonly signingKey: SigningKey | undefined;
  readonly #sealKeys: Readonly<Record<ObjectKind, Bytes>>;
  readonly #nameKey: Bytes;

  constructor(facts: EpochFacts, key: Bytes, signingKey: SigningKey | undefined) {
    this.facts = facts;
    this.tag = encodeEpochId(facts.number, facts.id);
    this.id = toHex(this.tag);
    this.key = key;
    this.signingKey = signingKey;
    this.#sealKeys = {
      entry: deriveKey(key, SEAL_LABELS.entry),
      record: deriveKey(key, SEAL_LABELS.record),
      label: deriveKey(key, SEAL_LABELS.label),
    };
    this.#nameKey = deriveKey(key, LABELS.entryName);
  }

  seal(kind: ObjectKind, plaintext: Bytes, random: RandomSource): Bytes {
    return seal(plaintext, this.#sealKeys[kind], this.#context(kind), random);
  }

  /** @throws as `open` of an envelope */
  open(kind: ObjectKind, envelope: Bytes): Bytes {
    return open(envelope, this.#sealKeys[kind], this.#context(kind));
  }

  /**
   * What seals a list of paths; `undefined` for who cannot sign. A writer moves and removes by such a list without opening what it
   * tells of, so its key (32 bytes) comes from what only writers have.
   */
  pathsSeal(): { readonly key: Bytes; readonly context: EnvelopeContext } | undefined {
    return this.signingKey && { key: deriveKey(seedOf(this.signingKey), LABELS.pathsSeal), context: this.#context('paths') };
  }

  /** The name of a path's entry in the tree: 32 characters of base32, keyed by the epoch. */
  nameOf(path: MemoryPath): string {
    return toBase32(blake2b(NAME_BYTES, utf8(path), this.#nameKey));
  }

  /** Says that a key is this epoch's without opening anything (16 bytes). */
  keyCheck(): Bytes {
    return blake2b(KEY_CHECK_BYTES, this.tag, deriveKey(this.key, LABELS.keyCheck));
  }

  keyringMacKey(): Bytes {
    return deriveKey(this.key, LABELS.keyringMac);
  }

  /** The key (32 bytes) of the keyed hash of what is kept beside the repository to answer faster. */
  historyIndexKey(): Bytes {
    return deriveKey(this.key, LABELS.historyIndex);
  }

  /** The key (32 bytes) that wraps the previous epoch's. */
  epochWrapKey(): Bytes {
    return deriveKey(this.key, LABELS.epochWrap);
  }

  #context(kind: EnvelopeKind): EnvelopeContext {
    return { kind, epoch: this.tag, repositoryId: this.facts.repositoryId };
  }
}
