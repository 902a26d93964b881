/** The process's own streams, environment and Ctrl-C as an `Io`. */
import { text } from 'node:stream/consumers';
import type { Io } from './io.ts';

export function processIo(): Io {
  const interruption = new AbortController();
  return {
    env: process.env,
    stdout: process.stdout,
    stderr: process.stderr,
    signal: interruption.signal,
    // The second Ctrl-C ends the process whatever it is doing.
    catchInterrupts: () => {
      process.once('SIGINT', () => interruption.abort());
    },
    askSecret: async (question) => {
      if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
      const { askOnTerminal } = await import('./prompt.ts');
      return askOnTerminal(question);
    },
    readStdin: async () => text(process.stdin),
  };
}
