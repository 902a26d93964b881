/**
 * A remote that is broken or hostile, and a client that has seen it before: each fault ends in its own error and leaves the vault
 * exactly as it was. `SLOW=1` runs each attack a hundred times with other choices.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { systemRandom } from '../../src/crypto/sodium.ts';
import type { ErrorCode } from '../../src/errors.ts';
import type { Oid, TreeEntry } from '../../src/git/objects.ts';
import { fetchRemote } from '../../src/sync/fetch.ts';
import { pullRemote } from '../../src/sync/pull.ts';
import { pushRemote } from '../../src/sync/push.ts';
import { VaultRepository } from '../../src/vault/vault-repository.ts';
import { Forge, type Random } from '../support/forge.ts';
import { Bench } from '../support/remote-vault.ts';
import { StandIn } from '../support/servers/stand-in.ts';
import { writeFile, type TmpVault } from '../support/tmp-vault.ts';

const SLOW = process.env['SLOW'] === '1';
const RUNS = SLOW ? 100 : 1;
/** The second is more than any object may have; it takes a second to make. */
const HUGE_MIB = SLOW ? [20, 129] : [20];
const bench = new Bench();
const saved = { PATH: process.env['PATH'] };
let standIn: StandIn;

beforeAll(async () => {
  standIn = await StandIn.start(bench.folder);
});
afterEach(() => {
  Object.assign(process.env, saved);
  standIn.behaviour = { kind: 'none' };
});
afterAll(async () => {
  await standIn.stop();
  await bench.close();
});

interface Scene {
  readonly vault: VaultRepository;
  readonly made: TmpVault;
  readonly forge: Forge;
  readonly random: Random;
}

/** A vault with some history that was pushed, and went on from there at the remote by one honest commit that it has not seen. */
async function scene(): Promise<Omit<Scene, 'random'>> {
  const made = await bench.vault();
  const { vault } = made;
  for (const name of ['a', 'b', 'c']) await writeFile(vault, `${name}.txt`, `${name}\n`);
  await writeFile(vault, 'a.txt', 'a, again\n');
  const gitdir = bench.bare();
  await pushRemote(vault, { name: 'origin', url: gitdir });
  return { vault, made, forge: new Forge(gitdir) };
}

/** Everything about a vault that an attack could change. */
async function stateOf(vault: VaultRepository): Promise<unknown> {
  const { gitdir } = vault.repository;
  const files = readdirSync(gitdir, { recursive: true, encoding: 'utf8' }).filter((name) => !/memgit\/lock-|memgit$/.test(name));
  return { head: await vault.repository.head(), seen: await vault.repository.seenAt('origin'), files: files.sort() };
}

interface Attack {
  readonly title: string;
  readonly code: ErrorCode | readonly ErrorCode[];
  readonly message?: RegExp;
  readonly attack: (scene: Scene) => void | Promise<void>;
}

const attacks: readonly Attack[] = [
  {
    title: 'an old head',
    code: 'ROLLBACK_DETECTED',
    message: /[1-4] commits? (?:is|are) missing.*memgit fetch origin --accept [0-9a-f]{40}/,
    attack: ({ forge, random }) => {
      forge.moveTo(forge.history[1 + random(4)]!);
    },
  },
  {
    title: 'a history that goes on from an old head',
    code: 'FORK_DETECTED',
    message: /[1-4] commits? (?:is|are) missing/,
    attack: ({ forge, vault, random }) => {
      // Needs a key: a former writer together with the host.
      const old = forge.history[1 + random(4)]!;
      const { tree } = forge.commitAt(old);
      forge.moveTo(old);
      forge.commitSigned(vault, tree);
    },
  },
  {
    title: 'nothing at all',
    code: 'ROLLBACK_DETECTED',
    message: /5 commits are missing.*--accept empty/,
    attack: ({ forge }) => {
      forge.git('update-ref', '-d', 'refs/heads/main');
    },
  },
  {
    title: 'a shortened history',
    code: 'ALTERED',
    attack: ({ forge, random }) => {
      const parent = forge.history[2 + random(3)]!;
      forge.commitUnsigned({ parents: random(2) === 0 ? [parent] : [] });
    },
  },
  {
    title: 'a history cut off as a shallow clone is',
    code: ['CORRUPT', 'REMOTE_UNREACHABLE'],
    attack: ({ forge, vault }) => {
      for (let i = 0; i < 2; i += 1) forge.commitSigned(vault, forge.commitAt(forge.head).tree);
      writeFileSync(join(forge.gitdir, 'shallow'), `${forge.head}\n`);
    },
  },
  {
    title: 'a swapped blob, by someone who can sign',
    code: 'ALTERED',
    message: /name/,
    attack: ({ forge, vault, random }) => {
      forge.commitSigned(vault, swapBlobs(forge, random));
    },
  },
  {
    title: 'a swapped blob, by someone who cannot',
    code: 'ALTERED',
    attack: ({ forge, random }) => {
      forge.commitUnsigned({ tree: swapBlobs(forge, random) });
    },
  },
  {
    title: 'an altered blob',
    code: 'ALTERED',
    attack: ({ forge, vault, random }) => {
      forge.commitSigned(vault, changeEntry(forge, random, (blob) => {
        const bytes = forge.read('blob', blob);
        // Behind the header, which says what it is.
        bytes[18 + random(bytes.length - 18)]! ^= 1 << random(8);
        return forge.write('blob', bytes);
      }));
    },
  },
  {
    title: 'plaintext in place of a blob',
    code: 'CORRUPT',
    attack: ({ forge, vault, random }) => {
      forge.commitSigned(vault, changeEntry(forge, random, () => forge.write('blob', Buffer.from('plain text\n'))));
    },
  },
  {
    title: "another user's vault",
    code: 'ALTERED',
    message: /another one/,
    attack: async ({ forge }) => {
      const other = await bench.vault('mallory');
      forge.git('fetch', '--quiet', other.gitdir, '+refs/heads/main:refs/heads/main');
    },
  },
  {
    title: 'a keyring with an injected slot',
    code: ['ALTERED', 'CORRUPT'],
    message: /keyring/,
    attack: ({ forge, vault, random }) => {
      const root = forge.treeAt(forge.commitAt(forge.head).tree);
      const tree = forge.writeTree(root.map((entry) => (entry.name === 'memgit.json' ? { ...entry, oid: forge.write('blob', injectSlot(forge.read('blob', entry.oid), random)) } : entry)));
      if (random(2) === 0) forge.commitSigned(vault, tree);
      else forge.commitUnsigned({ tree });
    },
  },
  {
    title: 'a commit signed by a reader',
    code: 'ALTERED',
    message: /signature/,
    attack: ({ forge, vault }) => {
      forge.commitSigned(vault, forge.commitAt(forge.head).tree, { seed: systemRandom(32) });
    },
  },
  {
    title: 'an honest commit above one signed by a reader',
    code: 'ALTERED',
    attack: ({ forge, vault }) => {
      forge.commitSigned(vault, forge.commitAt(forge.head).tree, { seed: systemRandom(32) });
      forge.commitSigned(vault, forge.commitAt(forge.head).tree);
    },
  },
  {
    title: 'a re-wrapped signature',
    code: ['ALTERED', 'CORRUPT'],
    attack: ({ forge, vault, random }) => {
      forge.commitSigned(vault, forge.commitAt(forge.head).tree);
      const commit = forge.commitAt(forge.head);
      const [begin = '', ...lines] = commit.signature!.trimEnd().split('\n');
      const end = lines.pop()!;
      const base64 = lines.join('');
      const width = 20 + random(40);
      const wrapped = base64.match(new RegExp(`.{1,${width}}`, 'g'))!;
      forge.commitUnsigned({ ...commit, signature: `${[begin, ...wrapped, end].join('\n')}\n` });
    },
  },
  {
    title: 'a pack that unpacks to something huge',
    code: 'CORRUPT',
    attack: ({ forge, vault, random }) => {
      forge.commitSigned(vault, changeEntry(forge, random, () => forge.write('blob', Buffer.alloc(HUGE_MIB[random(HUGE_MIB.length)]! * 1024 * 1024 + random(1000)))));
    },
  },
  {
    title: 'a tree of another shape',
    code: 'CORRUPT',
    attack: ({ forge, vault, random }) => {
      const root = forge.treeAt(forge.commitAt(forge.head).tree);
      const names = ['README.md', '.gitattributes', 'aa', 'A'];
      const name = names[random(names.length)]!;
      forge.commitSigned(vault, forge.writeTree([...root, { mode: '100644', name, oid: root.find((entry) => entry.name === 'memgit.json')!.oid }]));
    },
  },
  {
    title: 'a missing object',
    code: ['CORRUPT', 'REMOTE_UNREACHABLE'],
    attack: ({ forge, vault, random }) => {
      forge.commitSigned(vault, changeEntry(forge, random, () => `${'0'.repeat(39)}${random(9) + 1}` as Oid));
    },
  },
];

/** A root tree in which two entries of the head stand in each other's place. */
function swapBlobs(forge: Forge, random: Random): Oid {
  const entries = listEntries(forge);
  const first = entries[random(entries.length)]!;
  const second = entries.filter(({ oid }) => oid !== first.oid)[random(entries.length - 1)]!;
  const swapped = new Map([[first.oid, second.oid], [second.oid, first.oid]]);
  return rewriteEntries(forge, (oid) => swapped.get(oid) ?? oid);
}

function changeEntry(forge: Forge, random: Random, change: (blob: Oid) => Oid): Oid {
  const entries = listEntries(forge);
  const chosen = entries[random(entries.length)]!.oid;
  const changed = change(chosen);
  return rewriteEntries(forge, (oid) => (oid === chosen ? changed : oid));
}

function listEntries(forge: Forge): TreeEntry[] {
  return forge.treeAt(forge.commitAt(forge.head).tree).flatMap(({ mode, oid }) => (mode === '40000' ? forge.treeAt(oid) : []));
}

function rewriteEntries(forge: Forge, change: (blob: Oid) => Oid): Oid {
  const root = forge.treeAt(forge.commitAt(forge.head).tree);
  return forge.writeTree(
    root.map((entry) => (entry.mode === '40000' ? { ...entry, oid: forge.writeTree(forge.treeAt(entry.oid).map((inner) => ({ ...inner, oid: change(inner.oid) }))) } : entry)),
  );
}

/** Adds a slot and a box for it, keeping to the grammar; without the vault's key the keyed hash cannot be right. */
function injectSlot(keyring: Buffer, random: Random): Buffer {
  const fields = JSON.parse(keyring.toString()) as { slots: Record<string, string>[]; epochs: { boxes: Record<string, string>[] }[]; counter: number };
  const id = Buffer.from(systemRandom(8)).toString('hex');
  fields.slots.push({ id, kind: 'recipient', publicKey: Buffer.from(systemRandom(32)).toString('base64'), data: '' });
  fields.epochs.at(-1)!.boxes.push({ slot: id, box: fields.epochs.at(-1)!.boxes[0]!['box']! });
  if (random(2) === 0) fields.counter += 1;
  return Buffer.from(`${JSON.stringify(fields, undefined, 1)}\n`);
}

describe.each([['over a path', 'path', saved.PATH], ['over HTTP without git', 'http', '/nonexistent']] as const)('a hostile remote %s', (_, way, path) => {
  test.each(attacks)('$title', async ({ code, message, attack }) => {
    await fc.assert(
      fc.asyncProperty(fc.infiniteStream(fc.nat()), async (numbers) => {
        const random: Random = (below) => Number(numbers.next().value) % below;
        const { vault, made, forge } = await scene();
        await attack({ vault, made, forge, random });
        const url = way === 'path' ? forge.gitdir : standIn.url(basename(forge.gitdir));
        const before = await stateOf(vault);
        process.env['PATH'] = path;
        for (const act of [fetchRemote, pullRemote]) {
          const failure: unknown = await act(vault, { name: 'origin', url }, { retries: 0 }).then(() => 'nothing was noticed', (error: unknown) => error);
          expect(failure).toMatchObject({ name: 'MemgitError' });
          expect([code].flat()).toContain((failure as { code: ErrorCode }).code);
          if (message) expect((failure as Error).message).toMatch(message);
        }
        process.env['PATH'] = saved.PATH;
        expect(await stateOf(vault)).toEqual(before);
      }),
      { numRuns: RUNS },
    );
  });

  test('what is honest passes', async () => {
    const { vault, forge } = await scene();
    forge.commitSigned(vault, forge.commitAt(forge.head).tree);
    const url = way === 'path' ? forge.gitdir : standIn.url(basename(forge.gitdir));
    process.env['PATH'] = path;
    expect(await pullRemote(vault, { name: 'origin', url })).toMatchObject({ outcome: 'forward', commits: 1 });
  });
});

describe.each([['with git', saved.PATH], ['without git', '/nonexistent']] as const)('a broken server, %s', (_, path) => {
  const faults: [title: string, behaviour: StandIn['behaviour'], code: ErrorCode, message: RegExp][] = [
    ['401', { kind: 'status', status: 401 }, 'REMOTE_REFUSED', /credentials/],
    ['403', { kind: 'status', status: 403 }, 'REMOTE_REFUSED', /may not do this/],
    ['404', { kind: 'status', status: 404 }, 'REMOTE_UNREACHABLE', /found none/],
    ['500', { kind: 'status', status: 500 }, 'REMOTE_UNREACHABLE', /error of its own/],
    ['silence', { kind: 'hang' }, 'REMOTE_UNREACHABLE', /nothing for 1000 ms/],
    ['a dropped connection', { kind: 'drop', afterBytes: 300 }, 'REMOTE_UNREACHABLE', /broke off/],
    ['a page for people', { kind: 'page' }, 'REMOTE_UNREACHABLE', /as a git server does/],
  ];

  test.each(faults)('%s', async (_title, behaviour, code, message) => {
    const { vault, forge } = await scene();
    forge.commitSigned(vault, forge.commitAt(forge.head).tree);
    const remote = { name: 'origin', url: standIn.url(basename(forge.gitdir)) };
    const before = await stateOf(vault);
    process.env['PATH'] = path;
    standIn.behaviour = behaviour;
    const options = { retries: 1, timeoutMs: 1000 };
    await expect(fetchRemote(vault, remote, options)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
    await expect(pushRemote(vault, remote, options)).rejects.toMatchObject({ code: expect.stringMatching(/^(?:REMOTE_\w+|PUSH_REJECTED)$/) });
    standIn.behaviour = { kind: 'none' };
    process.env['PATH'] = saved.PATH;
    expect(await stateOf(vault)).toEqual(before);
  });

  test('no connection at all', async () => {
    const { vault } = await scene();
    process.env['PATH'] = path;
    await expect(fetchRemote(vault, { name: 'origin', url: 'http://127.0.0.1:1/x.git' }, { retries: 0 })).rejects.toMatchObject({ code: 'REMOTE_UNREACHABLE', message: expect.stringMatching(/no connection/) });
  });

  test('an abort', async () => {
    const { vault, forge } = await scene();
    standIn.behaviour = { kind: 'hang' };
    process.env['PATH'] = path;
    const controller = new AbortController();
    setTimeout(() => {
      controller.abort();
    }, 200);
    await expect(fetchRemote(vault, { name: 'origin', url: standIn.url(basename(forge.gitdir)) }, { signal: controller.signal })).rejects.toMatchObject({ code: 'ABORTED' });
  });
});

describe('a remote that went back', () => {
  test('is taken as it is when the operator says so, and can be filled up again', async () => {
    const { vault, forge } = await scene();
    const [head, old] = [forge.head, forge.history[2]!];
    const remote = { name: 'origin', url: forge.gitdir };
    forge.moveTo(old);
    await expect(pushRemote(vault, remote)).rejects.toMatchObject({ code: 'ROLLBACK_DETECTED', details: { missing: 2, got: old, seen: head } });
    await expect(fetchRemote(vault, remote, { accept: head })).rejects.toMatchObject({ code: 'ROLLBACK_DETECTED' });
    expect(await fetchRemote(vault, remote, { accept: old })).toMatchObject({ head: old });
    expect(await pushRemote(vault, remote)).toMatchObject({ from: old, head, commits: 2 });
  });

  test('is noticed by a push that has news', async () => {
    const { vault, forge } = await scene();
    await writeFile(vault, 'news.txt', 'news\n');
    forge.moveTo(forge.history[1]!);
    await expect(pushRemote(vault, { name: 'origin', url: forge.gitdir })).rejects.toMatchObject({ code: 'ROLLBACK_DETECTED', details: { missing: 1 } });
  });
});

test('plaintext in the repository does not leave it', async () => {
  const { vault, made, forge } = await scene();
  const local = new Forge(vault.repository.gitdir);
  local.commitSigned(vault, rewriteEntries(local, () => local.write('blob', Buffer.from('a secret\n'))));
  // Opened anew, it knows nothing of its entries yet.
  const opened = await VaultRepository.open(made.gitdir, { wrapKey: made.wrapKey });
  await expect(pushRemote(opened, { name: 'origin', url: forge.gitdir })).rejects.toMatchObject({ code: 'CORRUPT' });
  await opened.close();
  expect(forge.git('rev-list', '--all', '--objects')).not.toContain(local.head);
  expect(execFileSync('git', [`--git-dir=${forge.gitdir}`, 'count-objects', '-v']).toString()).toContain('garbage: 0');
});
