/**
 * Applies git's binary delta, as packs written by git hold it: copies from a base and inserts. memgit never writes one.
 * Every length is checked before it is used, and the result is bounded before it is allocated.
 */
import type { Bytes } from '../bytes.ts';
import { MemgitError } from '../errors.ts';
import { MAX_OBJECT_BYTES } from './objects.ts';

/** @throws CORRUPT when the delta is malformed or not made for this base */
export function applyDelta(base: Bytes, delta: Bytes): Bytes {
  const reader = new DeltaReader(delta);
  if (reader.size() !== base.length) throw corruptDelta('it was made for a base of another length');
  const size = reader.size();
  if (size > MAX_OBJECT_BYTES) throw corruptDelta(`its result would exceed ${MAX_OBJECT_BYTES} bytes`);
  // Written part by part: an instruction may be as short as two bytes, so a list of the parts could be far larger than the result.
  const result = new Uint8Array(size);
  let length = 0;
  while (!reader.done) {
    const part = nextPart(reader, base);
    if (length + part.length > size) throw corruptDelta('its parts exceed its declared size');
    result.set(part, length);
    length += part.length;
  }
  if (length !== size) throw corruptDelta('its parts fall short of its declared size');
  return result;
}

/** An instruction is a copy (bit 7 set; bits 0-3 say which bytes of the offset follow, bits 4-6 which of the length) or an insert of 1-127 bytes. */
function nextPart(reader: DeltaReader, base: Bytes): Bytes {
  const instruction = reader.byte();
  if (instruction === 0) throw corruptDelta('it uses the reserved instruction');
  if (instruction < 0x80) return reader.take(instruction);
  let offset = 0;
  let length = 0;
  for (let i = 0; i < 4; i += 1) if (instruction & (1 << i)) offset += reader.byte() * 2 ** (8 * i);
  for (let i = 0; i < 3; i += 1) if (instruction & (16 << i)) length += reader.byte() * 2 ** (8 * i);
  if (length === 0) length = 0x10000;
  if (offset + length > base.length) throw corruptDelta('it copies from behind the end of its base');
  return base.subarray(offset, offset + length);
}

class DeltaReader {
  readonly #bytes: Bytes;
  #at = 0;

  constructor(bytes: Bytes) {
    this.#bytes = bytes;
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length;
  }

  byte(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw corruptDelta('it is cut short');
    this.#at += 1;
    return byte;
  }

  take(length: number): Bytes {
    const part = this.#bytes.subarray(this.#at, this.#at + length);
    if (part.length < length) throw corruptDelta('it is cut short');
    this.#at += length;
    return part;
  }

  /** A number, least significant 7 bits first, the top bit saying that more follow. */
  size(): number {
    let size = 0;
    for (let scale = 1; scale <= 2 ** 35; scale *= 2 ** 7) {
      const byte = this.byte();
      size += (byte & 0x7f) * scale;
      if (byte < 0x80) return size;
    }
    throw corruptDelta('a size in it is longer than any object');
  }
}

function corruptDelta(got: string): MemgitError {
  return new MemgitError('CORRUPT', `expected a delta that fits its base, but ${got}`);
}
