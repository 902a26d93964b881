/** What every command is given: where to print, what was said for all commands, and how to talk to the operator. */
import { formatTime } from './format.ts';
import type { Io } from './io.ts';
import type { Output } from './output.ts';

/** The options that every command takes. */
export interface Globals {
  readonly repo: string | undefined;
  readonly store: string | undefined;
  readonly user: string | undefined;
  readonly keyFile: string | undefined;
  readonly keyCommand: string | undefined;
  readonly utc: boolean;
}

export class Context {
  readonly io: Io;
  readonly out: Output;
  readonly globals: Globals;
  /** Whether stdout is for a program. */
  readonly json: boolean;

  constructor(io: Io, out: Output, globals: Globals, json: boolean) {
    this.io = io;
    this.out = out;
    this.globals = globals;
    this.json = json;
  }

  /** An exact time as people read it. */
  time(timeMs: number): string {
    return formatTime(timeMs, this.globals.utc);
  }

  /** A line of talk on stderr. */
  say(text: string): void {
    this.io.stderr.write(`${text}\n`);
  }

  /** Tells a person at a terminal, to whom no output at all looks like a failure, that there is nothing to list. */
  sayNothing(text: string): void {
    if (this.out.terminal && !this.json) this.say(text);
  }

  warn(text: string): void {
    this.say(`warning: ${text}`);
  }
}
