import fc from 'fast-check';
import { asidePath } from '../../../src/sync/aside.ts';
import { PATH_BYTES_MAX, SEGMENT_BYTES_MAX, type MemoryPath } from '../../../src/vault/path.ts';
import { at } from '../../support/tmp-vault.ts';

const never = (): boolean => false;

test.each([
  ['plan.md', 'plan.conflict-1a2b3c4d.md'],
  ['a/b/plan.tar.gz', 'a/b/plan.tar.conflict-1a2b3c4d.gz'],
  ['plan', 'plan.conflict-1a2b3c4d'],
  ['.hidden', '.hidden.conflict-1a2b3c4d'],
  ['version 1.2 of everything that we know', 'version 1.2 of everything that we know.conflict-1a2b3c4d'],
])('%s', (path, aside) => {
  expect(asidePath(at(path), '1a2b3c4d', never)).toBe(aside);
});

test('a taken name gets a number', () => {
  const taken = new Set<MemoryPath>([at('a.conflict-1.md'), at('a.conflict-1-2.md')]);
  expect(asidePath(at('a.md'), '1', (path) => taken.has(path))).toBe('a.conflict-1-3.md');
});

test('is a path for every path', () => {
  const segment = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 250 });
  fc.assert(
    fc.property(fc.array(segment, { minLength: 1, maxLength: 12 }), (segments) => {
      let path: MemoryPath;
      try {
        path = at(segments.join('/'));
      } catch {
        fc.pre(false);
        return;
      }
      fc.pre(path !== '');
      const aside = asidePath(path, '1a2b3c4d', never);
      expect(at(aside)).toBe(aside);
      expect(Buffer.byteLength(`/memories/${aside}`)).toBeLessThanOrEqual(PATH_BYTES_MAX);
      expect(Buffer.byteLength(aside.split('/').at(-1)!)).toBeLessThanOrEqual(SEGMENT_BYTES_MAX);
    }),
  );
});

test('a long name and a deep place leave room', () => {
  const long = at(`${'x'.repeat(250)}.md`);
  expect(Buffer.byteLength(asidePath(long, '1a2b3c4d', never))).toBeLessThanOrEqual(SEGMENT_BYTES_MAX);
  const deep = at(Array.from({ length: 4 }, () => 'd'.repeat(250)).join('/'));
  expect(Buffer.byteLength(asidePath(deep, '1a2b3c4d', never))).toBeLessThan(PATH_BYTES_MAX);
});
