import fc from 'fast-check';
import { PathIndex, type EntryInfo } from '../../../src/vault/path-index.ts';
import { ROOT, type MemoryPath } from '../../../src/vault/path.ts';

const file = (path: string, sizeBytes = 1): EntryInfo => ({ kind: 'file', path: path as MemoryPath, sizeBytes, blob: path });
const marker = (path: string): EntryInfo => ({ kind: 'directory', path: path as MemoryPath, sizeBytes: 0, blob: path });
const paths = (index: PathIndex) => [...index.walk(ROOT)].map(({ path }) => path as string);

test('an index grown by steps is the one built at once, and the earlier ones stay as they were', () => {
  const name = fc.constantFrom('a/b', 'a/c', 'a/d/e', 'f', 'g/h/i', 'g/h/j', 'g/k', '\u{1F600}', '\uFF5E');
  fc.assert(
    fc.property(fc.array(fc.tuple(name, fc.option(fc.nat(9), { nil: undefined })), { maxLength: 20 }), (steps) => {
      const current = new Map<string, EntryInfo>();
      let index = PathIndex.empty;
      const history: [PathIndex, unknown[]][] = [];
      for (const [path, size] of steps) {
        index = size === undefined ? index.with([], [path as MemoryPath]) : index.with([file(path, size)], []);
        if (size === undefined) current.delete(path);
        else current.set(path, file(path, size));
        history.push([index, [...PathIndex.of(current.values()).walk(ROOT)]]);
      }
      for (const [then, expected] of history) expect([...then.walk(ROOT)]).toEqual(expected);
      expect(index.stat(ROOT)?.sizeBytes).toBe([...current.values()].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0));
      for (const [path, entry] of current) expect(index.stat(path as MemoryPath)).toEqual(entry);
    }),
  );
});

test('removing what is not there changes nothing', () => {
  const index = PathIndex.of([file('y'), file('a/b')]);
  for (const absent of ['x', 'x/y', 'a/y', 'y/y', 'a/b/y', 'x/a/b']) expect(paths(index.with([], [absent as MemoryPath]))).toEqual(['a/b', 'y']);
});

test('an empty directory stands until something comes into it, and what is listed is in code point order', () => {
  const index = PathIndex.of([marker('d'), file('b'), file('\u{1F600}'), file('\uFF5E'), file('a b'), file('a/c')]);
  expect(paths(index)).toEqual(['a/c', 'a b', 'b', 'd', '\uFF5E', '\u{1F600}']);
  expect(paths(index.with([file('d/e')], ['d' as MemoryPath]))).toEqual(['a/c', 'a b', 'b', 'd/e', '\uFF5E', '\u{1F600}']);
  expect(index.children('d' as MemoryPath)).toEqual([]);
  expect(index.stat('d' as MemoryPath)).toEqual({ kind: 'directory', path: 'd', sizeBytes: 0 });
  expect(index.stat('b/c' as MemoryPath)).toBeUndefined();
  expect([...index.walk('none' as MemoryPath)]).toEqual([]);
});
