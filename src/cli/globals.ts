/** The options of every command, and where each comes from when it is not typed. */
import { MemgitError } from '../errors.ts';
import type { Context, Globals } from './context.ts';
import type { Io } from './io.ts';
import { flag, text } from './parameters.ts';

export const GLOBAL_OPTIONS = {
  repo: text('-C, --repo <repo>', 'Work on one vault\'s git repository, such as a clone from a backup, without a store'),
  store: text('--store <dir>', 'Folder of the store. Default: MEMGIT_STORE'),
  user: text('--user <id>', 'User whose memory it is. Default: MEMGIT_USER'),
  keyFile: text('--key-file <file>', 'Read the key from a file. Default: MEMGIT_KEY_FILE'),
  keyCommand: text('--key-command <command>', 'Run a command with sh; the first line it prints is the key. Default: MEMGIT_KEY_COMMAND'),
  utc: flag('--utc', 'Show times in UTC'),
  noPager: flag('--no-pager', 'Print straight to the terminal'),
} as const;

/** @throws INVALID_ARGUMENT when one is typed that is empty, or when -C is typed beside --store or --user: one of them would be passed over */
export function readGlobals(typed: Readonly<Record<string, unknown>>, env: Io['env']): Globals {
  const [repo, store, user, keyFile, keyCommand] = (['repo', 'store', 'user', 'keyFile', 'keyCommand'] as const).map((key) => {
    const { syntax, read } = GLOBAL_OPTIONS[key];
    const value = read(typed[key]);
    // A variable that is not set would lead to another memory than the one that was meant.
    if (value === '') throw new MemgitError('INVALID_ARGUMENT', `${syntax}: expected a value, got an empty one`);
    return value;
  });
  if (repo !== undefined && (store ?? user) !== undefined) {
    throw new MemgitError('INVALID_ARGUMENT', `expected -C or ${store === undefined ? '--user' : '--store'}, got both; -C names one vault, whoever's it is`);
  }
  return {
    repo,
    store: store ?? given(env['MEMGIT_STORE']),
    user: user ?? given(env['MEMGIT_USER']),
    keyFile,
    keyCommand,
    utc: GLOBAL_OPTIONS.utc.read(typed['utc']),
  } satisfies Context['globals'];
}

/** Of the environment, and of what can be left out, empty is the same as not given. */
export function given(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}
