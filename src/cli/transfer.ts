/** What the commands that talk to remotes have in common: how to get in, and showing how far a transfer is. */
import { isMemgitError, MemgitError } from '../errors.ts';
import type { TransportOptions } from '../git/transport.ts';
import type { Context } from './context.ts';
import type { Exit } from './exits.ts';
import { CHANGING } from './exits.ts';
import { given } from './globals.ts';
import { readSecretFile } from './key-file.ts';
import { count, text } from './parameters.ts';
import { Progress } from './progress.ts';
import { array, object, string } from './shape.ts';

/** About as long as a timer of node can be set for, in seconds. */
const MAX_TIMEOUT = 2_000_000;

export const TRANSFER_OPTIONS = {
  tokenFile: text('--token-file <file>', 'Read the access token for HTTP(S) from a file. Default: MEMGIT_REMOTE_TOKEN, else git\'s credential helper'),
  caFile: text('--ca-file <file>', 'Trust the certificates in this file for HTTPS. Default: MEMGIT_REMOTE_CA_FILE, else the system\'s'),
  timeout: count('--timeout <seconds>', 'Give up when the remote says nothing for so long. Default 120', 1, MAX_TIMEOUT),
} as const;

/** What every command that talks to a remote can end in. */
export const TRANSFERRING: readonly Exit[] = [...CHANGING, 13, 15];

export const CONFLICT_FIELD = array(
  'Places that both sides had changed; no version is lost',
  object('One of them', { path: string('Path that both sides want'), kind: string('What clashed', 'content', 'file-and-directory') }, { kept: string('Where the other version is now; absent when a strategy left it to the history') }),
);

interface Typed {
  readonly tokenFile: string | undefined;
  readonly caFile: string | undefined;
  readonly timeout: number | undefined;
}

/** Runs a transfer, with its progress on a terminal. */
export async function transferring<T>(context: Context, { tokenFile, caFile, timeout }: Typed, run: (options: TransportOptions) => Promise<T>): Promise<T> {
  const { io } = context;
  const progress = new Progress(io);
  try {
    return await run({
      token: await findToken(context, tokenFile),
      caFile: caFile ?? given(io.env['MEMGIT_REMOTE_CA_FILE']),
      timeoutMs: timeout === undefined ? undefined : timeout * 1000,
      interactive: io.stderr.isTTY === true,
      signal: io.signal,
      onProgress: ({ phase, done, total }) => progress.show(total === undefined ? `${phase}: ${done}` : `${phase}: ${done} of ${total}`),
    });
  } finally {
    progress.clear();
  }
}

async function findToken(context: Context, file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return given(context.io.env['MEMGIT_REMOTE_TOKEN']);
  try {
    return await readSecretFile(context, file);
  } catch (error) {
    if (!isMemgitError(error, 'KEY_MISSING')) throw error;
    throw new MemgitError('INVALID_ARGUMENT', 'expected a token in the file that --token-file names, got none');
  }
}
