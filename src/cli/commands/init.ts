/** `memgit init`: makes a store, and the key file that opens it. */
import { randomBytes } from 'node:crypto';
import { unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isMemgitError, MemgitError } from '../../errors.ts';
import type { KeyOptions } from '../../key.ts';
import { defineCommand } from '../command.ts';
import type { Context } from '../context.ts';
import { OK } from '../exits.ts';
import { HintedError } from '../failure.ts';
import { given } from '../globals.ts';
import { defaultKeyFile, exists, renameKeyFile, writeKeyFile } from '../key-file.ts';
import { flag, optional } from '../parameters.ts';
import { oneObject, string } from '../shape.ts';
import { findPassphrase, findSecret } from '../unlock.ts';

export const init = defineCommand({
  name: 'init',
  group: 'Set up',
  summary: 'Make a store and its key',
  details:
    'A new key is written to the file that --key-file or MEMGIT_KEY_FILE names, or else to ' +
    '$XDG_CONFIG_HOME/memgit/<store id>.key, where every command looks for it. A key that is given already is used as it is. ' +
    'Whoever loses the key has lost every memory in the store: keep a copy of it elsewhere.',
  args: { dir: optional('dir', 'Folder of the store; it must be absent or empty. Default: --store') },
  options: { passphrase: flag('--passphrase', 'Protect the store with a passphrase instead of a key') },
  json: oneObject(
    { storeId: string('Id of the store'), dir: string('Folder of the store') },
    { keyFile: string('File that the new key was written to; absent when a key or passphrase was given') },
  ),
  examples: [
    ['memgit init ./memory', 'make a store; the key goes to your configuration folder'],
    ['memgit init ./memory --key-file /run/secrets/memgit.key', 'choose where the key goes'],
    ['memgit init ./memory --passphrase', 'use a passphrase, asked for twice'],
  ],
  exits: [0, 1, 2, 10, 12, 130],
  run: async (context, { dir: named, passphrase }) => {
    const dir = given(named) ?? context.globals.store;
    if (dir === undefined) throw new MemgitError('INVALID_ARGUMENT', 'expected the folder of the new store; name one');
    if (await exists(join(dir, 'store.json'))) throw new MemgitError('STORE_EXISTS', 'there is already a store in this folder; nothing was changed');

    context.io.catchInterrupts();
    const made = await makeStore(context, dir, passphrase);
    if (context.json) await context.out.json({ dir: resolve(dir), ...made });
    else {
      await context.out.line(`made store ${made.storeId} in ${dir}`);
      if (made.keyFile !== undefined) await context.out.line(`its key is in ${made.keyFile}; losing it is losing the memory, so keep a copy elsewhere`);
    }
    return OK;
  },
});

async function makeStore(context: Context, dir: string, passphrase: boolean): Promise<{ storeId: string; keyFile?: string }> {
  const { globals: { keyFile, keyCommand }, io: { env } } = context;
  if (passphrase) {
    // The next command would try that key, and find that it opens nothing.
    const key = ['MEMGIT_KEY_FILE', 'MEMGIT_KEY_COMMAND', 'MEMGIT_KEY'].find((name) => given(env[name]) !== undefined);
    if (keyFile !== undefined || keyCommand !== undefined) throw new MemgitError('INVALID_ARGUMENT', 'expected a key or --passphrase, got both');
    if (key !== undefined) throw new MemgitError('INVALID_ARGUMENT', `expected a key or --passphrase, got both; unset ${key}, which every command would use`);
    return { storeId: await createStore(dir, { passphrase: await newPassphrase(context) }) };
  }
  const wanted = keyFile ?? (keyCommand === undefined ? given(env['MEMGIT_KEY_FILE']) : undefined);
  const secret = wanted === undefined || (await exists(wanted)) ? await findSecret(context) : undefined;
  if (secret) return { storeId: await createStore(dir, secret.options) };
  return makeStoreWithNewKey(context, dir, wanted);
}

/** The key is on the disk before the store is, so that no store is left without one. */
async function makeStoreWithNewKey({ io: { env } }: Context, dir: string, wanted: string | undefined): Promise<{ storeId: string; keyFile: string }> {
  const { generateKey } = await import('../library.ts');
  const key = await generateKey();
  // The name of a default key file is the store's id, which is not known yet.
  const first = wanted ?? defaultKeyFile(env, `new-${randomBytes(8).toString('hex')}`);
  if (first === undefined) throw new MemgitError('INVALID_ARGUMENT', 'expected a home to keep the new key in, got none; name a file with --key-file');
  await writeKeyFile(first, key, dir).catch((error: unknown) => {
    if (wanted !== undefined || isMemgitError(error, 'INVALID_ARGUMENT')) throw error;
    throw new MemgitError('INVALID_ARGUMENT', `expected to keep the new key in ${dirname(first)}, which cannot be done; name a file with --key-file`, { cause: error });
  });
  let storeId: string;
  try {
    storeId = await createStore(dir, { key });
  } catch (error) {
    await unlink(first);
    throw error;
  }
  if (wanted !== undefined) return { storeId, keyFile: wanted };
  const keyFile = join(dirname(first), `${storeId}.key`);
  await renameKeyFile(first, keyFile);
  return { storeId, keyFile };
}

async function createStore(dir: string, options: KeyOptions): Promise<string> {
  const { openStore } = await import('../library.ts');
  const store = await openStore({ dir, ...options });
  await store.close();
  return store.id;
}

async function newPassphrase(context: Context): Promise<string> {
  const found = await findPassphrase(context, (_, text) => text);
  if (found !== undefined) return found;
  const first = await context.io.askSecret('new passphrase: ');
  if (first === undefined) {
    throw new HintedError(new MemgitError('KEY_MISSING', 'expected a passphrase, got none'), 'type one on a terminal, or set MEMGIT_PASSPHRASE_FILE or MEMGIT_PASSPHRASE_COMMAND');
  }
  if ((await context.io.askSecret('the same again: ')) !== first) throw new MemgitError('INVALID_ARGUMENT', 'the two passphrases differ; nothing was made');
  return first;
}
