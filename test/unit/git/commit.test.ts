import fc from 'fast-check';
import { join } from 'node:path';
import { decodeCommit, encodeCommit, signedPayload, type Commit } from '../../../src/git/commit.ts';
import { oidOf, type Oid } from '../../../src/git/objects.ts';
import { createSample, git, temporaryFolder } from '../../support/git-repository.ts';

const oid = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString('hex') as Oid);
const armour = fc
  .array(fc.base64String({ minLength: 4, maxLength: 76 }), { minLength: 1, maxLength: 5 })
  .map((lines) => ['-----BEGIN SSH SIGNATURE-----', ...lines, '-----END SSH SIGNATURE-----', ''].join('\n'));
const commit: fc.Arbitrary<Commit> = fc.record(
  {
    tree: oid,
    parents: fc.array(oid, { maxLength: 2 }),
    timeSec: fc.nat(),
    signature: armour,
    message: fc.string({ unit: fc.constantFrom('a', ' ', '\n', '~', 'gpgsig ', 'tree '), maxLength: 20 }),
  },
  { requiredKeys: ['tree', 'parents', 'timeSec', 'message'] },
);

const TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904' as Oid;
const WHO = 'memgit <memgit@localhost> 86400 +0000';
const SIGNATURE = '-----BEGIN SSH SIGNATURE-----\nU1NIU0lH\n-----END SSH SIGNATURE-----\n';

test('a commit comes back as it went in', () => {
  fc.assert(fc.property(commit, (value) => {
    expect(decodeCommit(encodeCommit(value))).toEqual(value);
  }));
});

test('whatever decodes is encoded to the same bytes', () => {
  const edit = fc.record({ value: commit, at: fc.nat(), remove: fc.nat(3), insert: fc.uint8Array({ maxLength: 3 }) });
  fc.assert(
    fc.property(edit, ({ value, at, remove, insert }) => {
      const body = Buffer.from(encodeCommit(value));
      const place = at % body.length;
      const edited = Buffer.concat([body.subarray(0, place), insert, body.subarray(place + remove)]);
      let back: Commit;
      try {
        back = decodeCommit(edited);
      } catch (error) {
        expect(error).toMatchObject({ code: 'CORRUPT' });
        return;
      }
      expect(Buffer.from(encodeCommit(back)).equals(edited)).toBe(true);
    }),
    { numRuns: 1000 },
  );
});

const gitdir = join(temporaryFolder(), 'commit.git');

test('git reads the same fields', async () => {
  await (await createSample(gitdir)).close();
  const parent = git(gitdir, ['rev-parse', 'main']).trim() as Oid;
  const body = encodeCommit({ tree: TREE, parents: [parent], timeSec: 1_700_000_000, signature: SIGNATURE, message: 'memgit\n\nAAAA\n' });
  expect(git(gitdir, ['hash-object', '-t', 'commit', '--stdin'], body).trim()).toBe(oidOf('commit', body));
  git(gitdir, ['hash-object', '-t', 'commit', '-w', '--stdin'], body);
  expect(git(gitdir, ['cat-file', 'commit', oidOf('commit', body)])).toBe(Buffer.from(body).toString('latin1'));
  expect(git(gitdir, ['log', '-1', '--format=%T %P %an <%ae> %at|%cn <%ce> %ct|%B', '--no-walk', oidOf('commit', body)])).toBe(
    `${TREE} ${parent} memgit <memgit@localhost> 1700000000|memgit <memgit@localhost> 1700000000|memgit\n\nAAAA\n\n`,
  );
});

test('the signed payload is the commit without its signature', () => {
  const unsigned: Commit = { tree: TREE, parents: [], timeSec: 86_400, message: 'm' };
  expect(signedPayload({ ...unsigned, signature: SIGNATURE })).toEqual(encodeCommit(unsigned));
  expect(Buffer.from(encodeCommit({ ...unsigned, signature: SIGNATURE })).toString()).toBe(
    `tree ${TREE}\nauthor ${WHO}\ncommitter ${WHO}\ngpgsig -----BEGIN SSH SIGNATURE-----\n U1NIU0lH\n -----END SSH SIGNATURE-----\n\nm`,
  );
});

const plain = `tree ${TREE}\nauthor ${WHO}\ncommitter ${WHO}\n`;
test.each([
  ['an encoding header', `${plain}encoding UTF-8\n\nm`],
  ['a mergetag or any other header', `${plain}mergetag object\n\nm`],
  ['a header behind the signature', `${plain}gpgsig ${SIGNATURE.replaceAll('\n', '\n ').slice(0, -1)}extra x\n\nm`],
  ['an OpenPGP signature', `${plain}gpgsig -----BEGIN PGP SIGNATURE-----\n AAAA\n -----END PGP SIGNATURE-----\n\nm`],
  ['another author', `tree ${TREE}\nauthor a <a@localhost> 86400 +0000\ncommitter ${WHO}\n\nm`],
  ['another committer', `tree ${TREE}\nauthor ${WHO}\ncommitter a <a@localhost> 86400 +0000\n\nm`],
  ['two times', `tree ${TREE}\nauthor ${WHO}\ncommitter ${WHO.replace('86400', '86401')}\n\nm`],
  ['a time zone', `${plain.replaceAll('+0000', '+0100')}\nm`],
  ['-0000', `${plain.replaceAll('+0000', '-0000')}\nm`],
  ['a time with a leading zero', `${plain.replaceAll('86400', '086400')}\nm`],
  ['three parents', `tree ${TREE}\n${`parent ${TREE}\n`.repeat(3)}${plain.slice(46)}\nm`],
  ['an oid in capitals', `${plain.replace(TREE, TREE.toUpperCase())}\nm`],
  ['a message outside ASCII', `${plain}\n\xe4`],
  ['a NUL in the message', `${plain}\nm\0`],
  ['no empty line', `${plain}m`],
  ['nothing', ''],
])('a commit with %s is refused', (_what, text) => {
  expect(() => decodeCommit(Buffer.from(text, 'latin1'))).toThrow(expect.objectContaining({ code: 'CORRUPT' }));
});

test('fields of the wrong shape are wrong use', () => {
  const good: Commit = { tree: TREE, parents: [], timeSec: 0, message: '' };
  for (const bad of [{ timeSec: -1 }, { timeSec: 0.5 }, { message: '\xe4' }, { parents: [TREE, TREE, TREE] }, { signature: SIGNATURE.trim() }]) {
    expect(() => encodeCommit({ ...good, ...bad })).toThrow(TypeError);
  }
});
