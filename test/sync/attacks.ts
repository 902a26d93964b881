/**
 * What a remote can do to a client that has seen it before, and the error that each must end in. Every attack draws what it does:
 * which commit, entry, byte or name, and what stands in its place.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemRandom } from '../../src/crypto/sodium.ts';
import type { ErrorCode } from '../../src/errors.ts';
import type { Oid } from '../../src/git/objects.ts';
import type { VaultRepository } from '../../src/vault/vault-repository.ts';
import type { Forge, Random } from '../support/forge.ts';

export interface Scene {
  readonly vault: VaultRepository;
  readonly forge: Forge;
  /** The commits that the client has seen at the remote, newest first. */
  readonly seen: readonly Oid[];
  /** The repository of another user's vault. */
  readonly stranger: string;
  readonly random: Random;
}

export interface Attack {
  readonly title: string;
  readonly code: ErrorCode | readonly ErrorCode[];
  readonly message?: RegExp;
  readonly attack: (scene: Scene) => void;
}

export const attacks: readonly Attack[] = [
  {
    title: 'an old head',
    code: 'ROLLBACK_DETECTED',
    message: /[1-4] commits? (?:is|are) missing.*memgit fetch origin --accept [0-9a-f]{40}/,
    attack: ({ forge, seen, random }) => {
      forge.moveTo(seen[1 + random(4)]!);
    },
  },
  {
    title: 'a history that goes on from an old head',
    code: 'FORK_DETECTED',
    message: /[1-4] commits? (?:is|are) missing/,
    attack: ({ forge, vault, seen, random }) => {
      // Needs a key: a former writer together with the host.
      const old = seen[1 + random(4)]!;
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
      forge.removeBranch();
    },
  },
  {
    title: 'a shortened history',
    code: 'ALTERED',
    attack: ({ forge, seen, random }) => {
      const parent = seen[2 + random(3)]!;
      forge.commitUnsigned({ parents: random(2) === 0 ? [parent] : [] });
    },
  },
  {
    title: 'a history cut off as a shallow clone is',
    code: ['CORRUPT', 'REMOTE_UNREACHABLE'],
    attack: ({ forge, vault, random }) => {
      // At least two: of one alone nothing would be missing, since the client has its parent.
      for (let i = 2 + random(3); i > 0; i -= 1) forge.commitSigned(vault, forge.commitAt(forge.head).tree);
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
      forge.commitSigned(vault, changeEntry(forge, random, () => forge.write('blob', Buffer.from('plain text\n'.repeat(random(50))))));
    },
  },
  {
    title: "another user's vault",
    code: 'ALTERED',
    message: /another one/,
    attack: ({ forge, stranger }) => {
      forge.becomeCopyOf(stranger);
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
      forge.commitSigned(vault, changeEntry(forge, random, () => forge.write('blob', Buffer.alloc(hugeMib(random) * 1024 * 1024 + random(1000)))));
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

/** Now and then more than any object may have. */
function hugeMib(random: Random): number {
  return random(20) === 7 ? 129 : 20;
}

/** A root tree in which two entries of the head stand in each other's place. */
function swapBlobs(forge: Forge, random: Random): Oid {
  const entries = forge.entries;
  const first = entries[random(entries.length)]!;
  const second = entries.filter(({ oid }) => oid !== first.oid)[random(entries.length - 1)]!;
  const swapped = new Map([[first.oid, second.oid], [second.oid, first.oid]]);
  return forge.withEntries((oid) => swapped.get(oid) ?? oid);
}

function changeEntry(forge: Forge, random: Random, change: (blob: Oid) => Oid): Oid {
  const entries = forge.entries;
  const chosen = entries[random(entries.length)]!.oid;
  const changed = change(chosen);
  return forge.withEntries((oid) => (oid === chosen ? changed : oid));
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
