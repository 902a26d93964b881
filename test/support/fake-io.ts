/** An `Io` without a process: what the command line writes is kept, and what it is told about its surroundings is made up. */
import { Writable } from 'node:stream';
import type { Io, OutputStream } from '../../src/cli/io.ts';
import { run } from '../../src/cli/program.ts';

interface Surroundings {
  env?: Record<string, string>;
  /** Whether stdout is a terminal. */
  terminal?: boolean;
  /** How wide it is. */
  columns?: number;
  /** What is typed at each prompt, in turn. */
  typed?: string[];
  signal?: AbortSignal;
  stdin?: string;
}

export interface FakeIo {
  readonly io: Io;
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly questions: string[];
}

export function fakeIo({ env = {}, terminal = false, columns = 80, typed = [], signal = new AbortController().signal, stdin = '' }: Surroundings = {}): FakeIo {
  const questions: string[] = [];
  const [stdout, out] = keeper(terminal, columns);
  const [stderr, err] = keeper(terminal, columns);
  const askSecret = async (question: string) => {
    questions.push(question);
    return typed.shift();
  };
  return { io: { env, stdout, stderr, signal, catchInterrupts: () => undefined, askSecret, readStdin: async () => stdin }, stdout: out, stderr: err, questions };
}

/** Runs one command line and gives all that came of it. */
export async function runCli(argv: readonly string[], surroundings?: Surroundings): Promise<{ exit: number; stdout: string; stderr: string; questions: string[] }> {
  const { io, stdout, stderr, questions } = fakeIo(surroundings);
  const { exit } = await run(argv, io);
  return { exit, stdout: stdout(), stderr: stderr(), questions };
}

function keeper(isTTY: boolean, columns: number): [stream: OutputStream, kept: () => string] {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk);
      done();
    },
  });
  return [Object.assign(stream, { isTTY, columns }), () => Buffer.concat(chunks).toString()];
}
