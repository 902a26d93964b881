/**
 * The code that the command keeps compiled between runs: it saves time and changes nothing else, whatever happens to it. Needs dist/.
 * Seen to fail without the hash of the code (a run crashed), without the hash of the text (an edited program ran as it was before),
 * without the look at the folder or the file (planted code ran), with folders made up to the root or in the home of another user,
 * with a file for every node (code of node 20.19.0 crashed 20.20.2), with old files left there, and with a temporary one.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, existsSync, linkSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, renameSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { deserialize, serialize } from 'node:v8';
import { generateKey, openStore } from '../../src/index.ts';
import { temporaryFolder } from '../support/git-repository.ts';
import { pick, randomFrom, seed } from '../support/random.ts';

const SUMMARY = 'Encrypted, versioned memory for AI agents';
const PLANTED = SUMMARY.toUpperCase();
const SECRET = 'the door opens at midnight';
const slow = process.env['SLOW'] === '1';
const root = process.getuid?.() === 0;
const random = randomFrom(seed);

const folder = realpathSync(temporaryFolder());
const program = join(folder, 'program');
const main = join(program, 'chunks/cli-main.cjs');
const store = join(folder, 'store');
let key: string;

beforeAll(async () => {
  cpSync('dist', program, { recursive: true });
  key = await generateKey();
  const opened = await openStore({ dir: store, key });
  await (await opened.vault('wanda')).write('/memories/secret.txt', SECRET);
  await opened.close();
});

/** A home of its own, and what the program does there. */
class Home {
  readonly path = mkdtempSync(join(folder, 'home-'));
  readonly kept = join(this.path, '.cache/memgit');
  readonly env: NodeJS.ProcessEnv = { PATH: process.env['PATH'], HOME: this.path, MEMGIT_STORE: store, MEMGIT_USER: 'wanda', MEMGIT_KEY: key };

  /** @param before JavaScript that node runs before the program */
  run(args: readonly string[], env: NodeJS.ProcessEnv = {}, { cwd = folder, before = '' } = {}) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [...(before === '' ? [] : ['--import', `data:text/javascript,${encodeURIComponent(before)}`]), join(program, 'cli.cjs'), ...args], { env: { ...this.env, ...env }, encoding: 'utf8', input: '', cwd });
    return { status, stdout, stderr };
  }

  /** The one file that is kept, and nothing beside it. */
  file(): string {
    const names = readdirSync(this.kept);
    expect(names).toEqual([expect.stringMatching(/^[0-9a-f]{16}\.code$/)]);
    return join(this.kept, names[0]!);
  }
}

const CAT = ['cat', '/memories/secret.txt'];
const shown = { status: 0, stdout: SECRET, stderr: '' };
const help = { status: 0, stdout: expect.stringContaining(SUMMARY), stderr: '' };

test('is kept when a command has run for the first time, for this user alone', () => {
  const home = new Home();
  expect(home.run(CAT)).toEqual(shown);
  const file = home.file();
  expect([statSync(file).mode & 0o777, statSync(home.kept).mode & 0o777]).toEqual([0o600, 0o700]);
  const { ino } = statSync(file);
  expect(home.run(CAT)).toEqual(shown);
  expect(statSync(home.file()).ino).toBe(ino);

  // Another command needs other functions, and adds them.
  expect(home.run(['ls'])).toMatchObject({ status: 0 });
  expect(commandsOf(home.file())).toEqual(['cat', 'ls']);
  // Help runs none, and what failed may not have come far.
  expect(home.run(['log', '--help'])).toMatchObject({ status: 0 });
  expect(home.run(['log', 'no-such-revision'])).toMatchObject({ status: 2 });
  expect(commandsOf(home.file())).toEqual(['cat', 'ls']);
});

test('is kept where caches are, and nowhere else', () => {
  const home = new Home();
  const caches = join(home.path, 'elsewhere');
  expect(home.run(CAT, { XDG_CACHE_HOME: caches })).toEqual(shown);
  expect(readdirSync(join(caches, 'memgit'))).toHaveLength(1);
  expect(home.run(CAT, { NODE_DISABLE_COMPILE_CACHE: '1' })).toEqual(shown);
  expect(home.run(CAT, { HOME: join(home.path, 'no/such/home') })).toEqual(shown);
  expect(home.run(CAT, { HOME: main })).toEqual(shown);
  expect(readdirSync(home.path)).toEqual(['elsewhere']);
  // A relative path is not one that XDG_CACHE_HOME may hold.
  expect(home.run(CAT, { XDG_CACHE_HOME: 'relative' }, { cwd: home.path })).toEqual(shown);
  expect(readdirSync(home.path).sort()).toEqual(['.cache', 'elsewhere']);
});

test('a long run keeps nothing, one that waits for long does', () => {
  const home = new Home();
  expect(home.run(CAT, {}, { before: 'let n = 0; while (process.cpuUsage().user < 2.1e6) for (let i = 0; i < 1e7; i += 1) n ^= i;' })).toEqual(shown);
  expect(existsSync(home.kept)).toBe(false);
  expect(home.run([...CAT, '--key-command', `sleep 2.1; echo ${key}`], { MEMGIT_KEY: '' })).toEqual(shown);
  expect(commandsOf(home.file())).toEqual(['cat']);
});

test('is not kept where nobody can tell of which node it is', () => {
  const home = new Home();
  expect(home.run(CAT, {}, { before: "process.execPath = '/no/such/node'" })).toEqual(shown);
  expect(readdirSync(home.path)).toEqual([]);
});

test('is that of one node, and old files go', () => {
  const home = new Home();
  const versions = Array.from({ length: 10 }, (_, i) => `v99.0.${i}`);
  // V8 would take the code of another version of node, and can crash on it.
  for (const version of versions) expect(home.run(CAT, {}, { before: `Object.defineProperty(process, 'version', { value: '${version}' })` })).toEqual(shown);
  expect(readdirSync(home.kept)).toHaveLength(8);
  writeFileSync(join(home.kept, 'old.code.0123'), '');
  utimesSync(join(home.kept, 'old.code.0123'), 1, 1);
  expect(home.run(CAT)).toEqual(shown);
  expect(readdirSync(home.kept)).toEqual(Array<unknown>(8).fill(expect.stringMatching(/^[0-9a-f]{16}\.code$/)));
});

(root ? test : test.skip)('no folder is made in the home of another user', () => { // skipped unless root, who alone can be somebody else
  const home = new Home();
  chownSync(home.path, 12345, 12345);
  expect(home.run(CAT)).toEqual(shown);
  expect(readdirSync(home.path)).toEqual([]);
});

test('holds nothing of what a command was given, or read', () => {
  const home = new Home();
  expect(home.run(CAT)).toEqual(shown);
  const bytes = readFileSync(home.file());
  const holds = (words: string) => (['latin1', 'utf16le'] as const).some((encoding) => bytes.includes(Buffer.from(words, encoding)));
  expect(holds(SUMMARY)).toBe(true);
  for (const words of [SECRET, key, key.slice(11, 31), store, 'wanda', 'secret.txt']) expect({ words, holds: holds(words) }).toEqual({ words, holds: false });
});

test('any damage is as if nothing had been kept', () => {
  const home = new Home();
  expect(home.run(CAT)).toEqual(shown);
  const file = home.file();
  const sound = readFileSync(file);
  const flipped = (at: number) => {
    const bytes = Buffer.from(sound);
    bytes[at]! ^= 1 << Math.floor(random() * 8);
    return bytes;
  };
  const anywhere = () => Math.floor(random() * sound.length);
  const kinds = [() => flipped(anywhere()), () => flipped(Math.floor(random() * 300)), () => sound.subarray(0, anywhere()), () => Buffer.concat([sound, Buffer.alloc(3)]), () => Buffer.alloc(anywhere() % 50)];
  for (let i = 0; i < (slow ? 300 : 20); i += 1) {
    writeFileSync(file, pick(random, kinds)());
    expect({ seed, i, ...home.run(CAT) }).toEqual({ seed, i, ...shown });
    expect(commandsOf(home.file())).toEqual(['cat']);
  }
});

test('many first runs at once', async () => {
  const home = new Home();
  const children = Array.from({ length: 6 }, () => spawn(process.execPath, [join(program, 'cli.cjs'), ...CAT], { env: home.env, stdio: ['ignore', 'pipe', 'inherit'] }));
  const ended = children.map(async (child): Promise<unknown> => Promise.all([text(child.stdout), once(child, 'close')]));
  expect(await Promise.all(ended)).toEqual(children.map(() => [SECRET, [0, null]]));
  expect(commandsOf(home.file())).toEqual(['cat']);
});

describe('code of another program', () => {
  /** Makes the program say something else in as many characters while `during` runs. */
  function edited<T>(during: () => T): T {
    const original = readFileSync(main, 'utf8');
    writeFileSync(main, original.replace(SUMMARY, PLANTED));
    try {
      return during();
    } finally {
      writeFileSync(main, original);
    }
  }

  test('is not run for a program that was edited', () => {
    const home = new Home();
    expect(home.run(CAT)).toEqual(shown);
    edited(() => expect(home.run(['--help']).stdout).toContain(PLANTED));
    expect(home.run(['--help'])).toEqual(help);
  });

  /** A home with code that is sound in all but what it was made from. */
  function planted(): Home {
    const home = new Home();
    edited(() => home.run(CAT));
    const file = home.file();
    const kept = deserialize(readFileSync(file).subarray(32)) as { scripts: Map<string, { source: string }> };
    kept.scripts.get(main)!.source = hashOf(readFileSync(main)).toString('hex');
    const contents = serialize(kept);
    writeFileSync(file, Buffer.concat([hashOf(contents), contents]));
    return home;
  }

  test('would be run, planted by the user', () => {
    expect(planted().run(['--help']).stdout).toContain(PLANTED);
  });

  test.each([0o770, 0o707, 0o777])('is not run from a folder of mode %o', (mode) => {
    const home = planted();
    const { ino } = statSync(home.file());
    chmodSync(home.kept, mode);
    expect(home.run(['--help'])).toEqual(help);
    expect(statSync(home.file()).ino).toBe(ino);
  });

  test('is not run from behind a link', () => {
    const home = planted();
    const elsewhere = join(home.path, 'elsewhere');
    renameSync(home.kept, elsewhere);
    symlinkSync(elsewhere, home.kept);
    expect(home.run(['--help'])).toEqual(help);
  });

  (root ? test : test.skip)('is not run from the folder of another user', () => { // skipped unless root, who alone can give a folder away
    const home = planted();
    chownSync(home.kept, 12345, 12345);
    expect(home.run(['--help'])).toEqual(help);
  });

  const plants: [what: string, plant: (file: string) => void][] = [
    ['that others can write', (file) => { chmodSync(file, 0o666); }],
    ['that is a link', (file) => { renameSync(file, `${file}-elsewhere`); symlinkSync(`${file}-elsewhere`, file); }],
    ['that has another name', (file) => { linkSync(file, `${file}-elsewhere`); }],
  ];
  if (root) plants.push(['of another user', (file) => { chownSync(file, 12345, 12345); }]);
  test.each(plants)('is not run from a file %s', (_, plant) => {
    const home = planted();
    plant(home.file());
    expect(home.run(['--help'])).toEqual(help);
  });

  test('a file where the folder would be', () => {
    const home = new Home();
    mkdirSync(join(home.path, '.cache'));
    writeFileSync(home.kept, 'mine');
    expect(home.run(CAT)).toEqual(shown);
    expect(readFileSync(home.kept, 'utf8')).toBe('mine');
  });
});

/** Those whose code a kept file says that it has. */
function commandsOf(file: string): string[] {
  return [...(deserialize(readFileSync(file).subarray(32)) as { commands: Set<string> }).commands];
}

function hashOf(bytes: Uint8Array): Buffer {
  return createHash('sha256').update('memgit compiled program 1\n').update(bytes).digest();
}
