/**
 * git's framing of what goes over a connection (gitprotocol-common(5)): four hexadecimal digits that count themselves and the
 * bytes that follow; 0000 ends a section.
 */
import { concat, concatAll, utf8, type Bytes } from '../bytes.ts';
import { MemgitError } from '../errors.ts';

const LENGTH_BYTES = 4;

export const FLUSH: Bytes = utf8('0000');

/** One line of text, or bytes. A line ends in LF by custom; what is given is taken as it is. */
export function packet(content: string | Bytes): Bytes {
  const bytes = typeof content === 'string' ? utf8(content) : content;
  return concat(utf8((bytes.length + LENGTH_BYTES).toString(16).padStart(LENGTH_BYTES, '0')), bytes);
}

/** Takes packets off a stream of bytes that may be cut anywhere. */
export class PacketReader {
  readonly #source: AsyncIterator<Bytes>;
  #rest: Bytes = new Uint8Array();

  constructor(source: AsyncIterable<Bytes>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** The content of the next packet, or `'flush'`. @throws REMOTE_UNREACHABLE when the stream ends before, or is no packets */
  async next(): Promise<Bytes | 'flush'> {
    const digits = Buffer.from(await this.#take(LENGTH_BYTES)).toString('latin1');
    if (!/^[0-9a-f]{4}$/i.test(digits)) throw new MemgitError('REMOTE_UNREACHABLE', 'expected the remote to answer as a git server does, got other bytes');
    const length = Number.parseInt(digits, 16);
    return length < LENGTH_BYTES ? 'flush' : this.#take(length - LENGTH_BYTES);
  }

  async #take(length: number): Promise<Bytes> {
    const parts = [this.#rest];
    for (let got = this.#rest.length; got < length; ) {
      const step = await this.#source.next();
      if (step.done === true) {
        throw new MemgitError('REMOTE_UNREACHABLE', 'the connection to the remote broke off in the middle; nothing was changed here', { details: { passing: true } });
      }
      parts.push(step.value);
      got += step.value.length;
    }
    const bytes = parts.length === 1 ? parts[0]! : concatAll(parts);
    this.#rest = bytes.subarray(length);
    return bytes.subarray(0, length);
  }
}
