/**
 * What the command line is handed from outside: environment, streams, the terminal and Ctrl-C. `process-io.ts` gives the
 * process's own, tests give theirs.
 */
import type { Writable } from 'node:stream';

/** Where output goes; `isTTY` decides on colours, escaping and the pager, `columns` is the width of a terminal. */
export type OutputStream = Writable & { readonly isTTY?: boolean; readonly columns?: number };

export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Data. */
  readonly stdout: OutputStream;
  /** Talk: errors, hints, warnings, progress. */
  readonly stderr: OutputStream;
  /**
   * From now on Ctrl-C aborts `signal` instead of ending the process at once. For what must not stop halfway: a change of the
   * memory, and a pager that has the terminal. Everything else is best ended by the system, which never has to wait.
   */
  readonly catchInterrupts: () => void;
  readonly signal: AbortSignal;
  /** Asks for one line without showing it; `undefined` when nobody can be asked or nothing was typed. Never reads stdin. */
  readonly askSecret: (question: string) => Promise<string | undefined>;
  /** All of stdin as text, for an option that names `-`. */
  readonly readStdin: () => Promise<string>;
}
