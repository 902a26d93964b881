import fc from 'fast-check';
import { decodeTree, encodeTree, oidOf, parseOid, type ObjectType, type Oid, type TreeEntry } from '../../../src/git/objects.ts';
import { createSample, git, temporaryFolder } from '../../support/git-repository.ts';
import { join } from 'node:path';

const folder = temporaryFolder();
const gitdir = join(folder, 'objects.git');
beforeAll(async () => (await createSample(gitdir)).close());

const oid = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString('hex') as Oid);
// Few letters around '/', so that names which are a prefix of one another, where git's order is peculiar, are common.
const name = fc.string({ unit: fc.constantFrom('a', 'b', '-', '.', '0', '~', ' '), minLength: 1, maxLength: 4 }).filter((text) => text !== '.' && text !== '..');
const mode = fc.constantFrom<TreeEntry['mode']>('100644', '40000');
const entries = fc.uniqueArray(fc.record({ mode, name, oid }), { selector: (entry) => entry.name, maxLength: 12 });

describe('oids', () => {
  test('are what git hash-object says', () => {
    for (const body of [Buffer.alloc(0), Buffer.from('a\0\r\n'), Buffer.alloc(70_000, 'x')]) {
      expect(`${oidOf('blob', body)}\n`).toBe(git(gitdir, ['hash-object', '-t', 'blob', '--stdin'], body));
    }
  });

  test('are 40 lower-case hexadecimal digits', () => {
    expect(parseOid('0123456789abcdef0123456789abcdef01234567')).toBeDefined();
    for (const text of ['', '0123', '0123456789ABCDEF0123456789abcdef01234567', '0123456789abcdef0123456789abcdef01234567\n']) {
      expect(parseOid(text)).toBeUndefined();
    }
  });
});

describe('trees', () => {
  test('are spelled as git mktree spells them', () => {
    fc.assert(
      fc.property(entries, (list) => {
        const lines = list.map((entry) => `${entry.mode === '40000' ? '040000 tree' : '100644 blob'} ${entry.oid}\t${entry.name}\n`);
        expect(`${oidOf('tree', encodeTree(list))}\n`).toBe(git(gitdir, ['mktree', '--missing'], lines.join('')));
      }),
      { numRuns: 25 },
    );
  });

  test('come back as they went in, in order', () => {
    fc.assert(
      fc.property(entries, (list) => {
        const body = encodeTree(list);
        const back = decodeTree(body);
        expect(new Set(back.map((entry) => JSON.stringify(entry)))).toEqual(new Set(list.map(({ mode, name, oid }) => JSON.stringify({ mode, name, oid }))));
        expect(encodeTree(back)).toEqual(body);
      }),
    );
  });

  test('whatever decodes is encoded to the same bytes', () => {
    const flip = fc.record({ list: entries, at: fc.nat(), to: fc.nat(255) });
    fc.assert(
      fc.property(flip, ({ list, at, to }) => {
        const body = Buffer.from(encodeTree(list));
        if (body.length > 0) body[at % body.length] = to;
        let back: TreeEntry[];
        try {
          back = decodeTree(body);
        } catch (error) {
          expect(error).toMatchObject({ code: 'CORRUPT' });
          return;
        }
        expect(Buffer.from(encodeTree(back)).equals(body)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  const zeros = '\0'.repeat(20);
  test.each([
    ['an executable', `100755 a\0${zeros}`],
    ['a symbolic link', `120000 a\0${zeros}`],
    ['a submodule', `160000 a\0${zeros}`],
    ['a mode with a leading zero', `040000 a\0${zeros}`],
    ['an empty name', `100644 \0${zeros}`],
    ['a name with a slash', `100644 a/b\0${zeros}`],
    ['a name outside ASCII', `100644 \xe4\0${zeros}`],
    ['a control character', `100644 a\nb\0${zeros}`],
    ['..', `100644 ..\0${zeros}`],
    ['.git in capitals', `40000 .GIT\0${zeros}`],
    ['entries out of order', `100644 b\0${zeros}100644 a\0${zeros}`],
    ['a directory sorted as a file', `40000 a\0${zeros}100644 a.b\0${zeros}`],
    ['a name twice', `100644 a\0${zeros}100644 a\0${zeros}`],
    ['a file and a directory of one name', `100644 a\0${zeros}100644 a.\0${zeros}40000 a\0${zeros}`],
    ['a short oid', `100644 a\0${zeros.slice(1)}`],
    ['bytes behind the last entry', `100644 a\0${zeros}1`],
  ])('refuse %s', (_what, text) => {
    expect(() => decodeTree(Buffer.from(text, 'latin1'))).toThrow(expect.objectContaining({ code: 'CORRUPT' }));
  });

  test('a name given twice or not allowed is wrong use', () => {
    const entry: TreeEntry = { mode: '100644', name: 'a', oid: oidOf('blob' satisfies ObjectType, Buffer.alloc(0)) };
    expect(() => encodeTree([entry, { ...entry, mode: '40000' }])).toThrow(TypeError);
    expect(() => encodeTree([{ ...entry, name: 'a/b' }])).toThrow(TypeError);
  });
});
