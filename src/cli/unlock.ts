/**
 * Where the key comes from. The first of these that is given is the one that is used, whether it opens the store or not:
 *
 *     --key-file, --key-command, MEMGIT_KEY_FILE, MEMGIT_KEY_COMMAND, MEMGIT_KEY,
 *     MEMGIT_PASSPHRASE_FILE, MEMGIT_PASSPHRASE_COMMAND, the file where `init` puts a key, a prompt
 *
 * A secret is never an argument: arguments can be read by every process of the machine.
 */
import { spawn } from 'node:child_process';
import { text as readAll } from 'node:stream/consumers';
import { isMemgitError, MemgitError } from '../errors.ts';
import type { KeyOptions } from '../key.ts';
import type { Context } from './context.ts';
import { given } from './globals.ts';
import { defaultKeyFile, exists, readSecretFile } from './key-file.ts';

/** A key or a passphrase, and where it was found. */
export interface Secret {
  readonly source: string;
  readonly options: KeyOptions;
}

/** Opens with the first key that is given, asking for one only when there is none. @throws KEY_MISSING */
export async function unlock<T>(context: Context, open: (options: KeyOptions) => Promise<T>): Promise<{ opened: T; source: string }> {
  const secret = await findSecret(context);
  if (secret) return { opened: await open(secret.options), source: secret.source };

  let source = 'prompt';
  const kept: KeyOptions = {
    key: {
      getKey: async ({ storeId }) => {
        const file = defaultKeyFile(context.io.env, storeId);
        const missing = (where: string) => new MemgitError('KEY_MISSING', `expected the key of the store, got none, and there is ${where}`, { details: { storeId } });
        if (file === undefined) throw missing('no home to look for it in');
        // A home that may not be looked into, such as root's in a container that runs as somebody else, holds no key for this user.
        if (!(await exists(file).catch(() => false))) throw missing(`none at ${file}`);
        source = file;
        const { parseKey } = await import('./library.ts');
        return parseKey(await readSecretFile(context, file));
      },
    },
  };
  try {
    return { opened: await open(kept), source };
  } catch (error) {
    const typed = isMemgitError(error, 'KEY_MISSING') && source === 'prompt' ? await context.io.askSecret('key or passphrase of the store: ') : undefined;
    if (typed === undefined) throw error;
    return { opened: await open(isKeyText(typed) ? { key: typed } : { passphrase: typed }), source };
  }
}

/** The key or passphrase that was given by option or environment; `undefined` when none was. */
export async function findSecret(context: Context): Promise<Secret | undefined> {
  const { globals, io: { env } } = context;
  const key = (source: string, text: string): Secret => ({ source, options: { key: text } });
  const passphrase = (source: string, text: string): Secret => ({ source, options: { passphrase: text } });

  if (globals.keyFile !== undefined) return key('--key-file', await readSecretFile(context, globals.keyFile));
  if (globals.keyCommand !== undefined) return key('--key-command', await runSecretCommand(context, globals.keyCommand));
  const keyFile = given(env['MEMGIT_KEY_FILE']);
  if (keyFile !== undefined) return key('MEMGIT_KEY_FILE', await readSecretFile(context, keyFile));
  const keyCommand = given(env['MEMGIT_KEY_COMMAND']);
  if (keyCommand !== undefined) return key('MEMGIT_KEY_COMMAND', await runSecretCommand(context, keyCommand));
  const keyText = given(env['MEMGIT_KEY']);
  if (keyText !== undefined) return key('MEMGIT_KEY', keyText);
  return findPassphrase(context, passphrase);
}

/** The passphrase that was given by environment, for a store that is to be made with one too. */
export async function findPassphrase<T>(context: Context, found: (source: string, text: string) => T): Promise<T | undefined> {
  const { env } = context.io;
  const file = given(env['MEMGIT_PASSPHRASE_FILE']);
  if (file !== undefined) return found('MEMGIT_PASSPHRASE_FILE', await readSecretFile(context, file));
  const command = given(env['MEMGIT_PASSPHRASE_COMMAND']);
  if (command !== undefined) return found('MEMGIT_PASSPHRASE_COMMAND', await runSecretCommand(context, command));
  return undefined;
}

/**
 * The first line that a command prints, run by `sh` as git runs its credential helpers, so that pipes and `~` work. It talks
 * to the operator on stderr or on the terminal itself; stdin is closed, since it may be somebody's data.
 */
async function runSecretCommand({ io }: Context, command: string): Promise<string> {
  const child = spawn('sh', ['-c', command], { stdio: ['ignore', 'pipe', 'inherit'], signal: io.signal });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  const [printed, status] = await Promise.all([readAll(child.stdout), ended]);
  if (status !== 0) throw new MemgitError('KEY_MISSING', `the key command failed with exit status ${status ?? 'unknown'}; run it by itself to see why`);
  const [line = ''] = printed.split(/\r?\n/);
  if (line === '') throw new MemgitError('KEY_MISSING', 'expected the key command to print the key on its first line, got nothing');
  return line;
}

function isKeyText(text: string): boolean {
  return /^\s*memgit-key-/i.test(text);
}
