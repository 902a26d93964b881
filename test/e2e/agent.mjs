/**
 * Plays an agent in a transcript: one command of the memory tool on the store and user of the environment, through the built
 * library. `\n` and other JSON escapes in arguments are read as such. TOOL, SESSION, MODEL and ACTOR go into the record.
 * PASSPHRASE opens the store where no MEMGIT_KEY_FILE is set.
 *
 *     agent create <path> <text>           agent str_replace <path> <old> <new>     agent insert <path> <line> <text>
 *     agent delete <path>                  agent rename <old path> <new path>
 */
import { readFileSync } from 'node:fs';
import { openStore } from 'memgit';

/** @type {Record<string, string[]>} */
const FIELDS = {
  create: ['path', 'file_text'],
  str_replace: ['path', 'old_str', 'new_str'],
  insert: ['path', 'insert_line', 'insert_text'],
  delete: ['path'],
  rename: ['old_path', 'new_path'],
};

const [command = '', ...values] = process.argv.slice(2);
const input = Object.fromEntries([['command', command], ...(FIELDS[command] ?? []).map((field, index) => [field, unescape(values[index] ?? '')])]);

const { MEMGIT_STORE: dir = '', MEMGIT_KEY_FILE: keyFile, PASSPHRASE: passphrase, MEMGIT_USER: user = '', TOOL, SESSION, MODEL, ACTOR } = process.env;
const store = await openStore({ dir, ...(keyFile === undefined ? { passphrase } : { key: readFileSync(keyFile, 'utf8') }) });
const vault = await store.vault(user);
const result = await vault.execute(input, { toolUseId: TOOL, session: SESSION, model: MODEL, actor: ACTOR });
await store.close();
if (result.is_error) {
  process.stderr.write(`${JSON.stringify(result.content)}\n`);
  process.exitCode = 1;
}

/** @param {string} argument */
function unescape(argument) {
  /** @type {unknown} */
  const value = JSON.parse(`"${argument.replaceAll('"', '\\"')}"`);
  return String(value);
}
