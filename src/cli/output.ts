/**
 * stdout: data for people or, with `--json`, for programs. Knows whether a terminal reads it, waits for slow readers, and
 * notices when the reader has left. Talk goes to stderr by way of `Context`, never here.
 */
import type { Writable } from 'node:stream';
import type { Io } from './io.ts';
import { startPager, type Pager } from './pager.ts';
import { COLOURED, PLAIN, type Style } from './style.ts';
import { visibleBytes, visibleJson, visibleText } from './visible.ts';

/** The reader closed the pipe, as `head` does. Nothing is wrong; for a command that only shows something there is nothing more to do. */
export class ReaderGone extends Error {}

/** Small writes are gathered up to this many characters. */
const GATHERED_CHARS = 16_384;

/** More than a system keeps of what a pager has not read yet: when so much is gone, the pager reads. */
const UNREAD_MAX = 1024 * 1024;

type OutputIo = Pick<Io, 'stdout' | 'env' | 'catchInterrupts'>;

export class Output {
  /** Whether a person reads this on a terminal, with a pager or without. */
  readonly terminal: boolean;
  /** How wide the terminal is; `undefined` when none reads this. */
  readonly columns: number | undefined;
  readonly style: Style;
  readonly #io: OutputIo;
  readonly #mayPage: boolean;
  #paged = false;
  readonly #stdout: Writable;
  #pager: Pager | undefined;
  /** What a pager that cannot be run would lose; `undefined` once there is more than a pipe holds, which somebody has taken. */
  #unread: (string | Uint8Array)[] | undefined = [];
  #unreadSize = 0;
  #gathered = '';
  #started = false;
  /** Whether showing something is all that the command is for. */
  #onlyShows = false;
  #unheard = false;

  constructor(io: OutputIo, { pager }: { pager: boolean }) {
    const { stdout, env } = io;
    this.terminal = stdout.isTTY === true;
    this.columns = this.terminal ? stdout.columns : undefined;
    const coloured = this.terminal && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
    this.style = coloured ? COLOURED : PLAIN;
    this.#io = io;
    this.#mayPage = this.terminal && pager;
    this.#stdout = silenced(stdout);
  }

  get onlyShows(): boolean {
    return this.#onlyShows;
  }

  /**
   * A person is to read this through the pager, which starts with the first line. Showing it is all that the command is for: it ends
   * when the reader leaves. One that does something, or whose exit code says what it found, goes on to its end unheard.
   */
  page(): void {
    this.#onlyShows = true;
    this.#paged = this.#mayPage;
  }

  /** @throws ReaderGone, from what only shows; so do all that write */
  async write(text: string): Promise<void> {
    this.#gathered += text;
    // The first line is shown at once, however long the rest takes.
    if (!this.#started || this.#gathered.length >= GATHERED_CHARS) await this.flush();
  }

  async line(text: string): Promise<void> {
    await this.write(`${text}\n`);
  }

  async json(value: unknown): Promise<void> {
    await this.jsonText(JSON.stringify(value));
  }

  /** One line of what is JSON already. */
  async jsonText(json: string): Promise<void> {
    await this.line(this.terminal ? visibleJson(json) : json);
  }

  /** Text from a memory: as it is for a program, harmless for a terminal. */
  memoryText(text: string): string {
    return this.terminal ? visibleText(text) : text;
  }

  /** Bytes from a memory: exactly as they are for a program, harmless for a terminal. */
  async memoryBytes(bytes: Uint8Array): Promise<void> {
    if (this.terminal) return this.write(visibleBytes(bytes));
    await this.flush();
    await this.#send(bytes);
  }

  /** A stream of bytes that is no text at all, such as a tar archive. */
  async bytes(chunks: AsyncIterable<Uint8Array>): Promise<void> {
    this.#onlyShows = true;
    for await (const chunk of chunks) await this.#send(chunk);
  }

  async flush(): Promise<void> {
    const text = this.#gathered;
    this.#gathered = '';
    if (text !== '') await this.#send(text);
  }

  /** Writes what is left and waits until the reader has left the pager. Whether he left before the end is no matter any more. */
  async close(): Promise<void> {
    try {
      await this.flush();
    } catch (error) {
      if (!(error instanceof ReaderGone)) throw error;
    } finally {
      await this.#leavePager();
    }
  }

  #startPager(): void {
    this.#pager = startPager(this.#io.env);
    if (!this.#pager) return;
    this.#io.catchInterrupts();
    silenced(this.#pager.input);
  }

  /** Waits until the reader has left the pager. Returns false where that was never run, and what it was given is shown without it. */
  async #leavePager(): Promise<boolean> {
    this.#pager?.input.end();
    if ((await this.#pager?.done) !== false || this.#unread === undefined) return true;
    this.#pager = undefined;
    for (const chunk of this.#unread) await writeTo(this.#stdout, chunk);
    return false;
  }

  async #send(chunk: string | Uint8Array): Promise<void> {
    if (!this.#started && this.#paged) this.#startPager();
    this.#started = true;
    if (this.#unheard) return;
    try {
      await this.#sendToReader(chunk);
    } catch (error) {
      if (this.#onlyShows || !(error instanceof ReaderGone)) throw error;
      this.#unheard = true;
    }
  }

  async #sendToReader(chunk: string | Uint8Array): Promise<void> {
    if (!this.#pager) return writeTo(this.#stdout, chunk);
    this.#keepUnread(chunk);
    try {
      await writeTo(this.#pager.input, chunk);
    } catch (error) {
      if (!(error instanceof ReaderGone) || (await this.#leavePager())) throw error;
    }
  }

  #keepUnread(chunk: string | Uint8Array): void {
    if (this.#unreadSize > UNREAD_MAX) this.#unread = undefined;
    this.#unread?.push(chunk);
    this.#unreadSize += chunk.length;
  }
}

/** Waiting for each write keeps the memory small when the reader is slow, and is how a failure is learned. */
async function writeTo(stream: Writable, chunk: string | Uint8Array): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    stream.write(chunk, (error) => {
      if (!error) resolve();
      else reject(isGone(error) ? new ReaderGone() : error);
    });
  });
}

/** Failures are taken from the write that fails; without a listener the same failure would end the process as well. */
function silenced(stream: Writable): Writable {
  return stream.on('error', () => undefined);
}

function isGone(error: Error): boolean {
  return 'code' in error && (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED');
}
