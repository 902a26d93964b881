/**
 * The declarations that users compile against say what the built library has. Seen to fail with the classes declared as values that
 * nobody exports, and with a type in a signature that could not be named.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const dist = join(__dirname, '../../dist');
const text = readFileSync(join(dist, 'index.d.mts'), 'utf8');
const [values, types] = [namesIn(/^export \{(.*)\};$/gm), namesIn(/^export type \{(.*)\};$/gm)];

function namesIn(lists: RegExp): string[] {
  return [...text.matchAll(lists)].flatMap(([, names]) => names!.split(',')).map((name) => name.trim().replace(/^.* as /, ''));
}

test('what is declared as a value is there', async () => {
  const library = await import(join(dist, 'index.cjs')) as Record<string, unknown>;
  expect(values.sort()).toEqual(Object.keys(library).sort());
});

test('both module systems get the same text', () => {
  expect(readFileSync(join(dist, 'index.d.cts'), 'utf8')).toBe(text);
});

test('what a signature speaks of can be named, but for what only builds others', () => {
  const declared = [...text.matchAll(/^(?:declare (?:class|const|function)|interface|type) ([\w$]+)/gm)].map(([, name]) => name!);
  const inside = declared.filter((name) => !values.includes(name) && !types.includes(name));
  expect(inside.filter((name) => !/\$\d$/.test(name)).sort()).toEqual([
    'Bound', 'MemoryPath', 'MemoryStatus', 'ROLES', 'STRATEGIES', 'VERIFY_STEPS', 'VaultBase', 'VaultHistory', 'VaultSync', 'WithInto', 'WithPath', 'brand', 'oidBrand',
  ]);
});

test('nothing of how it is made is declared', () => {
  expect(text).not.toMatch(/VaultRepository|ObjectStore|lru-cache|constructor\(gitdir/);
});
