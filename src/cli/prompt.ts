/**
 * Asks for a secret on the terminal itself: nothing typed is shown, nothing is read from stdin, and a process without a
 * terminal is never kept waiting.
 */
import { openSync, writeSync } from 'node:fs';
import { ReadStream } from 'node:tty';
import { MemgitError } from '../errors.ts';

const CTRL_C = '\x03';
const CTRL_D = '\x04';
const CTRL_U = '\x15';

/** Returns the line that was typed; `undefined` for an empty one or Ctrl-D. @throws ABORTED at Ctrl-C, IO without a terminal */
export async function askOnTerminal(question: string): Promise<string | undefined> {
  const terminal = openTerminal();
  const input = new ReadStream(terminal);
  writeSync(terminal, question);
  // Raw mode is what turns the echo off; it also means that Ctrl-C and erasing arrive here as characters.
  input.setRawMode(true);
  try {
    const line = await readLine(input);
    return line === '' ? undefined : line;
  } finally {
    input.setRawMode(false);
    writeSync(terminal, '\n');
    input.destroy();
  }
}

function openTerminal(): number {
  try {
    return openSync('/dev/tty', 'r+');
  } catch (error) {
    throw new MemgitError('IO', 'expected a terminal to ask on, found none', { cause: error });
  }
}

async function readLine(input: ReadStream): Promise<string> {
  input.setEncoding('utf8');
  let line: string[] = [];
  for await (const chunk of input as AsyncIterable<string>) {
    for (const char of chunk) {
      if (char === '\r' || char === '\n') return line.join('');
      if (char === CTRL_C) throw new MemgitError('ABORTED', 'interrupted');
      if (char === CTRL_D && line.length === 0) return '';
      if (char === '\b' || char === '\x7f') line.pop();
      else if (char === CTRL_U) line = [];
      else line.push(char);
    }
  }
  return line.join('');
}
