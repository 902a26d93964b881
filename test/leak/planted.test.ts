/**
 * What a reader of the disk or of a backup finds: nothing that was planted, in no file of the store, in no object of any
 * repository, in clear, in base64 or in hex. The same search with sealing replaced by the identity finds every plant.
 */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type * as Envelope from '../../src/crypto/envelope.ts';
import type * as Memgit from '../../src/index.ts';
import { git, temporaryFolder } from '../support/git-repository.ts';

const folder = temporaryFolder();
let count = 0;

/** Long enough that chance does not find them, and free of what an encoding would change. */
const plants = {
  'user id': 'user-4711-of-wonderland@example.org',
  session: 'session-of-the-white-rabbit',
  actor: 'actor-with-the-large-hat',
  model: 'model-of-the-cheshire-cat',
  'tool_use id': 'toolu_jabberwocky_0815',
  note: 'note about the painted roses',
  'directory name': 'diagnosis-of-the-queen',
  'file name': 'croquet-with-flamingos.md',
  'name before a rename': 'looking-glass-and-what-was-there.md',
  'name of what was deleted': 'never-mind-the-dormouse.md',
  'empty directory': 'nobody-came-to-tea',
  text: 'The password of the garden door is Drink Me.',
  'text before an edit': 'Six impossible things before breakfast',
  'text after an edit': 'Seven plausible things after supper',
  'text in a large file': 'How puzzling all these changes are',
  'bytes of the host program': 'a portrait of the duchess in oil',
};

/** Leaves each plant somewhere, by every way in which a memory is written. */
async function plantAll({ openStore }: typeof Memgit, compression: 'deflate' | 'none'): Promise<string> {
  const dir = join(folder, `${(count += 1)}`);
  const key = randomBytes(32);
  const store = await openStore({ dir, key, compression });
  const vault = await store.vault(plants['user id']);
  const context = { session: plants.session, actor: plants.actor, model: plants.model, toolUseId: plants['tool_use id'] };
  const execute = async (command: Record<string, unknown>) => expect(await vault.execute(command, context)).toMatchObject({ is_error: false });

  const inside = `/memories/${plants['directory name']}`;
  const file = `${inside}/${plants['file name']}`;
  const before = `${inside}/${plants['name before a rename']}`;
  const deleted = `/memories/${plants['name of what was deleted']}`;
  const filler = Array.from({ length: 2000 }, (_, line) => `Line ${line} of a long story.\n`).join('');
  await execute({ command: 'create', path: before, file_text: `${plants.text}\n${plants['text before an edit']}\n` });
  await execute({ command: 'rename', old_path: before, new_path: file });
  await execute({ command: 'str_replace', path: file, old_str: plants['text before an edit'], new_str: plants['text after an edit'] });
  await execute({ command: 'create', path: deleted, file_text: filler });
  await execute({ command: 'insert', path: deleted, insert_line: 1000, insert_text: plants['text in a large file'] });
  await execute({ command: 'delete', path: deleted });
  await execute({ command: 'create', path: `/memories/${plants['empty directory']}/x`, file_text: '' });
  await execute({ command: 'delete', path: `/memories/${plants['empty directory']}/x` });
  const bytes = Buffer.concat([randomBytes(1000), Buffer.from(plants['bytes of the host program']), randomBytes(1000)]);
  await vault.write('/memories/portrait', bytes, { note: plants.note });
  for (let i = 0; i < 50; i += 1) await vault.write(`/memories/many/${i}`, randomBytes(10));
  await store.close();
  // A process that knows nothing leaves the path list behind.
  const next = await openStore({ dir, key, compression });
  await (await next.vault(plants['user id'])).status();
  await next.close();
  return dir;
}

/** The names of the plants that are found somewhere below the folder. */
function search(dir: string): string[] {
  const paths = readdirSync(dir, { recursive: true, withFileTypes: true });
  const files = paths.filter((path) => path.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const repositories = paths.filter(({ name }) => name.endsWith('.git')).map(({ parentPath, name }) => join(parentPath, name));
  expect(repositories).toHaveLength(1);
  expect(files).toContain(join(repositories[0]!, 'memgit', 'paths'));
  const haystacks = [
    ...files.map((file) => relative(dir, file)),
    ...files.map((file) => readFileSync(file, 'latin1')),
    ...repositories.map((gitdir) => git(gitdir, ['cat-file', '--batch-all-objects', '--batch'])),
  ];
  // Also with its line breaks taken out, and the spaces that continue a header: base64 is wrapped in places.
  const text = haystacks.flatMap((haystack) => [haystack, haystack.replace(/\n ?/g, '')]).join('\n');
  return Object.entries(plants).filter(([, plant]) => spellings(plant).some((spelling) => text.includes(spelling))).map(([name]) => name);
}

function spellings(plant: string): string[] {
  const bytes = Buffer.from(plant);
  const hex = bytes.toString('hex');
  // Where the plant starts inside a group of three bytes decides how it is spelled; the characters at its ends hold other bits too.
  const base64 = [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64').replace(/=+$/, '');
    return encoded.slice(offset === 0 ? 0 : offset + 1, -1);
  });
  return [plant, hex, hex.toUpperCase(), ...base64, ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'))];
}

/** memgit with envelopes that hide nothing. */
async function loadUnsealed(): Promise<typeof Memgit> {
  jest.resetModules();
  jest.doMock('../../src/crypto/envelope.ts', () => {
    const actual = jest.requireActual<typeof Envelope>('../../src/crypto/envelope.ts');
    const start = actual.ENVELOPE_OVERHEAD_BYTES - 16;
    return {
      ...actual,
      seal: (...args: Parameters<typeof actual.seal>) => {
        const sealed = Buffer.from(actual.seal(...args));
        sealed.set(args[0], start);
        return sealed;
      },
      open: (envelope: Uint8Array) => envelope.subarray(start, -16),
    };
  });
  return import('../../src/index.ts');
}

test.each(['deflate', 'none'] as const)('nothing that was planted is found, with compression %s', async (compression) => {
  expect(search(await plantAll(await import('../../src/index.ts'), compression))).toEqual([]);
});

// Compressed text would hide behind its compression here.
test('without sealing the same search finds every plant', async () => {
  expect(search(await plantAll(await loadUnsealed(), 'none'))).toEqual(Object.keys(plants));
});
