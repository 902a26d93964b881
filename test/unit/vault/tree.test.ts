import fc from 'fast-check';
import { encodeTree, oidOf, type GitObject, type Oid, type TreeEntry } from '../../../src/git/objects.ts';
import { decodeFan, decodeRoot, editTree, encodeRoot, fanOf, MAX_ROOT_BYTES, type Fan, type TreeRoot } from '../../../src/vault/tree.ts';
import { matching } from '../../support/codes.ts';

const oid = (n: number) => n.toString(16).padStart(40, '0') as Oid;
const name = fc.string({ unit: fc.constantFrom('a', 'b', '2'), minLength: 32, maxLength: 32 });
const keyring = oid(1);

test('any edits, one after the other, leave the tree that their sum would have made at once', () => {
  const edits = fc.array(fc.uniqueArray(fc.tuple(name, fc.option(fc.integer({ min: 1, max: 1000 }), { nil: undefined })), { selector: ([key]) => key, maxLength: 6 }), { maxLength: 6 });
  fc.assert(
    fc.property(edits, (all) => {
      const objects = new Map<string, GitObject>();
      const keep = (made: readonly GitObject[]) => { for (const object of made) objects.set(oidOf(object.type, object.body), object); };
      const fansOf = (root: TreeRoot) => new Map([...root.fans].map(([fan, at]): [string, Fan] => [fan, decodeFan(fan, objects.get(at)!.body)]));
      const sum = new Map<string, Oid>();
      let root: TreeRoot = { keyring, fans: new Map() };
      for (const edit of all) {
        const change = new Map(edit.map(([key, value]) => [key, value === undefined ? undefined : oid(value)]));
        for (const [key, value] of change) if (value) sum.set(key, value); else sum.delete(key);
        const edited = editTree(root, fansOf(root), change);
        keep(edited.objects);
        ({ root } = edited);
        expect(decodeRoot(objects.get(edited.oid)!.body)).toEqual(root);
      }
      const atOnce = editTree({ keyring, fans: new Map() }, new Map(), sum);
      expect(oidOf('tree', encodeRoot(root).body)).toBe(atOnce.oid);
      expect(new Map([...fansOf(root).values()].flatMap((fan) => [...fan]))).toEqual(sum);
    }),
  );
});

test('names are spread by their first character', () => {
  expect(fanOf('a2'.repeat(16))).toBe('a');
  expect(() => fanOf('a')).toThrow(RangeError);
});

const entry = (mode: TreeEntry['mode'], entryName: string): TreeEntry => ({ mode, name: entryName, oid: oid(7) });

test('the fullest root is read, and nothing larger', () => {
  const fans = Array.from('abcdefghijklmnopqrstuvwxyz234567', (name) => entry('40000', name));
  const body = encodeTree([entry('100644', 'memgit.json'), ...fans]);
  expect(body.length).toBe(MAX_ROOT_BYTES);
  expect(decodeRoot(body).fans.size).toBe(32);
  expect(() => decodeRoot(Buffer.concat([body, body]))).toThrow(/at most 935 bytes/);
});

test.each<[string, TreeEntry[]]>([
  ['no keyring', [entry('40000', 'a')]],
  ['a keyring that is a folder', [entry('40000', 'memgit.json')]],
  ['another file', [entry('100644', 'memgit.json'), entry('100644', 'README.md')]],
  ['a file where a subtree belongs', [entry('100644', 'memgit.json'), entry('100644', 'a')]],
  ['a subtree of another name', [entry('100644', 'memgit.json'), entry('40000', 'ab')]],
  ['a subtree outside base32', [entry('100644', 'memgit.json'), entry('40000', '1')]],
])('a root with %s is CORRUPT', (_, entries) => expect(() => decodeRoot(encodeTree(entries))).toThrow(matching('CORRUPT')));

test.each<[string, TreeEntry[]]>([
  ['nothing in it', []],
  ['a name that is too short', [entry('100644', 'a'.repeat(30))]],
  ['a name in upper case', [entry('100644', 'A'.repeat(31))]],
  ['a name that is too long', [entry('100644', 'a'.repeat(32))]],
  ['a folder in it', [entry('40000', 'a'.repeat(31))]],
])('a subtree with %s is CORRUPT', (_, entries) => expect(() => decodeFan('a', encodeTree(entries))).toThrow(matching('CORRUPT')));
