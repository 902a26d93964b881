/**
 * How long a server is waited for that says nothing or next to nothing: node's own timeout of a socket begins when it is connected, and
 * anew with every byte, of which a server can send one now and then for years. How much is read at all is bounded elsewhere (http.ts).
 */

/** Less than this is no sign of life. A server that is still at work sends heartbeats of five bytes. */
const LEAST_BYTES = 1024;

/** The server said nothing, or next to nothing, for too long. */
export class Silence extends Error {}

export class Patience {
  #timer: NodeJS.Timeout | undefined;
  #heard = 0;

  /** @param end what ends the waiting. To be stopped in the end */
  constructor(ms: number, end: (reason: Silence) => void) {
    this.#timer = setTimeout(() => {
      end(new Silence());
    }, ms);
  }

  /** A step was made: the server may take its time again. */
  renew(): void {
    this.#heard = 0;
    this.#timer?.refresh();
  }

  /** Bytes came of something longer. */
  hear(bytes: number): void {
    this.#heard += bytes;
    if (this.#heard >= LEAST_BYTES) this.renew();
  }

  /** For good: node takes a timer that is refreshed for one that runs again. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
