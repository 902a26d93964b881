/** docs/FORMAT.md says what the code does: its tables are the code's, and its example reads a golden repository. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BOX_OVERHEAD_BYTES } from '../../src/crypto/box.ts';
import { ENVELOPE_OVERHEAD_BYTES, HEADER_BYTES, KINDS } from '../../src/crypto/envelope.ts';
import { LABELS } from '../../src/crypto/labels.ts';
import { SCRYPT_DEFAULTS } from '../../src/crypto/passphrase.ts';
import { WRAPPED_BYTES } from '../../src/crypto/wrap.ts';
import { CONFIG_TEXT } from '../../src/git/config.ts';
import { BOX_BYTES } from '../../src/vault/keyring.ts';
import { ENTRY_FLOOR_BYTES, RECORD_STEP_BYTES } from '../../src/vault/padding.ts';
import { PATH_BYTES_MAX, SEGMENT_BYTES_MAX } from '../../src/vault/path.ts';
import { ENCODINGS, MAX_DELTA_DEPTH, MAX_FILE_BYTES } from '../../src/vault/payload.ts';
import type { GoldenRepository } from '../../scripts/fixtures/repositories.ts';
import { temporaryFolder } from '../support/git-repository.ts';

const folder = temporaryFolder();
const root = join(__dirname, '../..');
const text = readFileSync(join(root, 'docs/FORMAT.md'), 'utf8');

/** Sums the lengths in brackets of a line of `||` notation, but for `n`. */
const lengthOf = (line: string) => [...line.matchAll(/\((\d+)\)/g)].reduce((sum, [, bytes]) => sum + Number(bytes), 0);
const lineWith = (part: string) => text.split('\n').find((line) => line.startsWith('    ') && line.includes(part))!;

test('the table of labels is the one of the code', () => {
  const rows = [...text.matchAll(/^\| `(memgit[^`]*)` \| [^|]+ \|/gm)].map(([, label]) => label);
  expect(rows).toEqual(Object.values(LABELS));
});

test('layouts have the lengths of the code', () => {
  expect(lengthOf(lineWith('"mgit"'))).toBe(ENVELOPE_OVERHEAD_BYTES);
  expect(lengthOf(lineWith('"mgit"').split('|| nonce')[0]!)).toBe(HEADER_BYTES);
  expect(lengthOf(lineWith('checksum(8)'))).toBe(WRAPPED_BYTES);
  expect(lengthOf(lineWith('|| signing seed(32)')) + BOX_OVERHEAD_BYTES).toBe(BOX_BYTES);
});

test.each([
  [`\`box\`, base64(${BOX_BYTES})`],
  [`\`previousKey\` | base64(${WRAPPED_BYTES})`],
  [`N = 2^${Math.log2(SCRYPT_DEFAULTS.n)}, r = ${SCRYPT_DEFAULTS.r}, p = ${SCRYPT_DEFAULTS.p}`],
  [`at least ${ENTRY_FLOOR_BYTES} bytes`],
  [`the next multiple of ${RECORD_STEP_BYTES} bytes`],
  [`A segment has 1 to ${SEGMENT_BYTES_MAX} bytes`],
  [`at most ${PATH_BYTES_MAX.toLocaleString('en')} bytes`],
  [`at most ${MAX_FILE_BYTES.toLocaleString('en')}`],
  [`depth, 1 to ${MAX_DELTA_DEPTH}`],
  [`Kinds are ${Object.entries(KINDS).map(([kind, number]) => `${number} ${kind}`).join(', ')}`],
  [Object.entries(ENCODINGS).map(([encoding, number]) => `${number} ${encoding}`).join(', ')],
  [CONFIG_TEXT.replaceAll('\t', '        ').replaceAll(/^(?=.)/gm, '    ')],
])('it says %j', (said) => expect(text).toContain(said));

test('the example reads a file of a golden repository', () => {
  const [, script] = /```js\n([^]*?)```/.exec(text)!;
  // Inside node_modules, where its imports are found.
  const place = join(root, 'node_modules/.cache/memgit');
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, 'format-example.mjs'), script!);
  execFileSync('tar', ['-xzf', join(root, 'fixtures/v1/repositories/clean.tar.gz'), '-C', folder]);
  const [clean] = JSON.parse(readFileSync(join(root, 'fixtures/v1/repositories.json'), 'utf8')) as [GoldenRepository];
  const read = (path: string) => execFileSync('node', [join(place, 'format-example.mjs'), join(folder, 'clean.git'), clean.storeKey, path]).toString();
  expect(read('notes/a.txt')).toBe('hello\n');
});
