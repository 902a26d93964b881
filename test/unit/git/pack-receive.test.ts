/** A pack from the network: what git makes, and what git would never make. */
import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { deflateSync, inflateSync } from 'node:zlib';
import { join } from 'node:path';
import fc from 'fast-check';
import { concat, utf8, type Bytes } from '../../../src/bytes.ts';
import { oidOf, oidToBytes, type GitObject, type Oid } from '../../../src/git/objects.ts';
import { PackIndex } from '../../../src/git/pack-index.ts';
import { receivePack } from '../../../src/git/pack-receive.ts';
import { git, temporaryFolder } from '../../support/git-repository.ts';
import { flipped } from '../../support/codes.ts';

const folder = temporaryFolder();
const anything = (): void => undefined;
const BLOB = 3;

/** Entries behind a right header and before a right checksum. */
function packOf(entries: readonly Bytes[], count = entries.length): Bytes {
  const header = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1');
  header.writeUInt32BE(count, 8);
  const content = concat(header, ...entries);
  return concat(content, createHash('sha1').update(content).digest());
}

function entry(type: number, size: number, body: Bytes, base: Bytes = new Uint8Array()): Bytes {
  const bytes: number[] = [];
  let byte = (type << 4) | (size & 15);
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.push(byte | 0x80);
    byte = rest & 0x7f;
  }
  return concat(Uint8Array.from([...bytes, byte]), base, deflateSync(body));
}

/** A repository with versions of a text that are worth deltas, and a pack of it as git sends one. */
function packFromGit(...options: string[]): { gitdir: string; pack: Bytes } {
  const gitdir = join(folder, `${options.join('')}.git`);
  execFileSync('git', ['init', '--quiet', '--bare', gitdir]);
  const lines = Array.from({ length: 300 }, (_, i) => `line ${i} of many\n`);
  const blobs = Array.from({ length: 30 }, (_, i) => git(gitdir, ['hash-object', '-w', '--stdin'], [...lines.slice(0, i * 9), `${i}\n`, ...lines.slice(i * 9)].join('')).trim());
  blobs.push(git(gitdir, ['hash-object', '-w', '--stdin'], '').trim());
  return { gitdir, pack: Buffer.from(git(gitdir, ['pack-objects', '--stdout', '--window=50', ...options], `${blobs.join('\n')}\n`), 'latin1') };
}

test.each([['deltas by oid', []], ['deltas by offset', ['--delta-base-offset']]] as const)('holds what git packed, with %s', async (_, options) => {
  const { gitdir, pack } = packFromGit(...options);
  const seen = new Map<Oid, GitObject>();
  const received = await receivePack(pack, (object) => seen.set(oidOf(object.type, object.body), object));
  const index = new PackIndex(received!.index);
  expect(index.count).toBe(31);
  expect(pack.length).toBeLessThan(received!.pack.length);
  for (const { oid } of index.entries()) expect(Buffer.from(seen.get(oid)!.body).toString('latin1')).toBe(git(gitdir, ['cat-file', 'blob', oid]));
  // What was made of it is a pack to git as well.
  expect(() => git(gitdir, ['index-pack', '--stdin', '--strict'], received!.pack)).not.toThrow();
});

/** Seen to fail with the bound left out: some megabytes become as many gigabytes. */
test('a pack that unpacks to more than there is room for is refused', async () => {
  const base = randomBytes(65_000);
  const oid = oidToBytes(oidOf('blob', base));
  const size = [0xe8, 0xfb, 0x03];
  // Copies all but the first four bytes, behind four of its own.
  const deltas = Array.from({ length: 17_000 }, (_, i) => Buffer.from([...size, ...size, 4, ...Buffer.from(i.toString(16).padStart(4, '0')), 0xb1, 4, 0xe4, 0xfd]));
  const pack = packOf([entry(BLOB, base.length, base), ...deltas.map((delta) => entry(7, delta.length, delta, oid))]);
  expect(pack.length).toBeLessThan(2_000_000);
  await expect(receivePack(pack, anything)).rejects.toMatchObject({ code: 'TOO_LARGE' });
});

/** Deltas by oid, each upon the next one of the pack: the order that is worst for whoever goes through them one by one. */
function chainOfDeltas(length: number): Bytes {
  const texts = Array.from({ length }, (_, i) => utf8(`version ${i}`));
  const entries = texts.map((text, i) => {
    const base = texts[i + 1];
    if (base === undefined) return entry(BLOB, text.length, text);
    const delta = concat(Uint8Array.of(base.length, text.length, text.length), text);
    return entry(7, delta.length, delta, oidToBytes(oidOf('blob', base)));
  });
  return packOf(entries);
}

// Where each round went through all that were left, 2,000 took 23 s, and this many would take minutes.
test('a chain of deltas by oid costs each of them once', async () => {
  expect(new PackIndex((await receivePack(chainOfDeltas(4_000), anything))!.index).count).toBe(4_000);
});

test('the caller may give up in the middle', async () => {
  const controller = new AbortController();
  let seen = 0;
  const check = (): void => {
    seen += 1;
    if (seen === 20) controller.abort();
  };
  await expect(receivePack(chainOfDeltas(100), check, controller.signal)).rejects.toMatchObject({ code: 'ABORTED' });
  expect(seen).toBe(20);
});

test('more objects than memory should hold are refused before they are looked at', async () => {
  const claims = packOf([new Uint8Array(2_000_001 * 9)], 2_000_001);
  await expect(receivePack(claims, anything)).rejects.toMatchObject({ code: 'TOO_LARGE', details: { limit: 2_000_000 } });
});

test('a pack of nothing is nothing', async () => {
  expect(await receivePack(packOf([]), anything)).toBeUndefined();
});

test('what the check refuses ends it', async () => {
  let seen = 0;
  const refuse = (): void => {
    seen += 1;
    throw new RangeError('no');
  };
  await expect(receivePack(packFromGit('--delta-base-offset', '--depth=2').pack, refuse)).rejects.toThrow(RangeError);
  expect(seen).toBe(1);
});

const body = utf8('some bytes');
const whole = entry(BLOB, body.length, body);

test.each<[string, Bytes]>([
  ['an empty answer', new Uint8Array()],
  ['another file', packOf([whole]).fill(0, 0, 4)],
  ['fewer entries than it says', packOf([whole], 2)],
  ['more entries than it says', packOf([whole, whole], 1)],
  ['billions of entries', packOf([whole], 0xffffffff)],
  ['an entry longer than it says', packOf([entry(BLOB, 3, body)])],
  ['an entry shorter than it says', packOf([entry(BLOB, 300, body)])],
  ['an entry that unpacks to much more than it says', packOf([entry(BLOB, 10, new Uint8Array(10_000_000))])],
  ['an entry that is larger than any', packOf([entry(BLOB, 2 ** 30, body)])],
  ['an entry whose header goes on and on', packOf([concat(Uint8Array.of(0xb0, ...Array<number>(20).fill(0x80), 0), deflateSync(new Uint8Array()))])],
  ['a tag', packOf([entry(4, body.length, body)])],
  ['a delta without its base', packOf([entry(7, body.length, body, new Uint8Array(20))])],
  ['a delta before the pack', packOf([entry(6, body.length, body, Uint8Array.of(100))])],
  ['deltas by oid that lead nowhere', packOf([whole, entry(7, 3, Uint8Array.of(1, 1, 1), new Uint8Array(20))])],
  ['a delta on itself', packOf([entry(6, body.length, body, Uint8Array.of(0))])],
  ['a delta that says it makes a gigabyte', packOf([whole, entry(6, 7, Uint8Array.of(10, 0x80, 0x80, 0x80, 0x80, 4, 1), Uint8Array.of(whole.length))])],
])('%s is refused', async (_, pack) => {
  await expect(receivePack(pack, anything)).rejects.toMatchObject({ code: 'CORRUPT' });
});

test('any change of a byte is noticed', async () => {
  const { pack } = packFromGit('--delta-base-offset', '--depth=3');
  await fc.assert(
    fc.asyncProperty(fc.nat(pack.length - 1), fc.integer({ min: 1, max: 255 }), async (at, xor) => {
      await expect(receivePack(flipped(pack, at, xor), anything)).rejects.toMatchObject({ code: 'CORRUPT' });
    }),
  );
});

/** Bodies that do not compress stand in their streams as they are, and are taken from there: seen to fail with either check of `storedBody` left out. */
test('zlib reads whatever is taken', async () => {
  const noise = fc.uint8Array({ minLength: 40, maxLength: 300 });
  await fc.assert(
    fc.asyncProperty(noise, fc.nat(), fc.integer({ min: 1, max: 255 }), async (bytes, where, xor) => {
      const good = entry(BLOB, bytes.length, bytes);
      // The ends of an entry are where a body is not: the header of the stream, and its checksum.
      const at = 2 + (where % 11);
      const received = await receivePack(packOf([flipped(good, at < 9 ? at : good.length + 8 - at, xor)]), anything).catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'CORRUPT' });
      });
      if (received) expect(inflateSync(received.pack.subarray(14, -20))).toHaveLength(bytes.length);
    }),
    { numRuns: 2000 },
  );
});

test('a pack that was cut off is noticed', async () => {
  const { pack } = packFromGit('--delta-base-offset', '--depth=4');
  await fc.assert(fc.asyncProperty(fc.nat(pack.length - 1), async (length) => expect(receivePack(pack.subarray(0, length), anything)).rejects.toMatchObject({ code: 'CORRUPT' })));
});
