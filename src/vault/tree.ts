/**
 * The shape of a vault's tree (docs/FORMAT.md, "Tree"): `memgit.json` and sealed entries spread over 32 subtrees by the first
 * character of their names. Names here are opaque; paths are the business of others. Pure: objects in, objects out.
 */
import { MemgitError } from '../errors.ts';
import { decodeTree, encodeTree, oidOf, type GitObject, type Oid, type TreeEntry } from '../git/objects.ts';
import { KEYRING_NAME } from './keyring.ts';

const NAME_CHARS = 32;
const FAN_NAME = /^[a-z2-7]$/;
const ENTRY_NAME = /^[a-z2-7]{31}$/;
/** Mode, name and oid as git writes them, with a space and a zero byte between. */
const treeEntryBytes = (mode: string, name: string): number => mode.length + 1 + name.length + 1 + 20;
const FAN_ENTRY_BYTES = treeEntryBytes('100644', 'x'.repeat(NAME_CHARS - 1));

/** The fullest root: the keyring and all subtrees. What is larger is not decoded: a root is read before its signature is checked. */
export const MAX_ROOT_BYTES = treeEntryBytes('100644', KEYRING_NAME) + 32 * treeEntryBytes('40000', 'x');

/** Full names (32 characters) to blobs, all of one subtree. */
export type Fan = ReadonlyMap<string, Oid>;

export interface TreeRoot {
  readonly keyring: Oid;
  /** First characters of names to their subtrees. */
  readonly fans: ReadonlyMap<string, Oid>;
}

/** @throws CORRUPT when the tree has any other shape */
export function decodeRoot(body: Uint8Array): TreeRoot {
  if (body.length > MAX_ROOT_BYTES) throw new MemgitError('CORRUPT', `expected a tree of at most ${MAX_ROOT_BYTES} bytes, got ${body.length}`);
  let keyring: Oid | undefined;
  const fans = new Map<string, Oid>();
  for (const { mode, name, oid } of decodeTree(body)) {
    if (mode === '100644' && name === KEYRING_NAME) keyring = oid;
    else if (mode === '40000' && FAN_NAME.test(name)) fans.set(name, oid);
    else throw new MemgitError('CORRUPT', 'expected a tree of memgit entries, got another name in it');
  }
  if (keyring === undefined) throw new MemgitError('CORRUPT', `expected ${KEYRING_NAME} in the tree, got none`);
  return { keyring, fans };
}

/** @throws CORRUPT when the subtree has any other shape, or is empty */
export function decodeFan(fan: string, body: Uint8Array): Fan {
  if (body.length === 0) throw new MemgitError('CORRUPT', 'expected entries in a subtree, got none');
  if (body.length % FAN_ENTRY_BYTES !== 0) throw new MemgitError('CORRUPT', 'expected sealed entries in a subtree, got something of another length');
  const entries = decodeTree(body);
  return new Map(
    entries.map(({ mode, name, oid }) => {
      if (mode !== '100644' || !ENTRY_NAME.test(name)) throw new MemgitError('CORRUPT', 'expected a sealed entry in a subtree, got another name');
      return [fan + name, oid];
    }),
  );
}

export function fanOf(name: string): string {
  if (name.length !== NAME_CHARS) throw new RangeError(`expected a name of ${NAME_CHARS} characters, got ${name.length}`);
  return name.charAt(0);
}

/** Names to their new blobs, or to `undefined` where an entry goes. */
export type NameEdit = ReadonlyMap<string, Oid | undefined>;

export interface EditedTree {
  readonly oid: Oid;
  readonly root: TreeRoot;
  /** The subtrees that changed, decoded, by their oids. */
  readonly fans: ReadonlyMap<Oid, Fan>;
  /** The subtrees that changed, and the root: what has to be written. */
  readonly objects: readonly GitObject[];
}

/** Applies an edit. `fans` holds every subtree that the edit touches and that exists. */
export function editTree(root: TreeRoot, fans: ReadonlyMap<string, Fan>, edit: NameEdit): EditedTree {
  const objects: GitObject[] = [];
  const nextFans = new Map(root.fans);
  const changed = new Map<Oid, Fan>();
  for (const fan of new Set([...edit.keys()].map(fanOf))) {
    const entries = new Map(fans.get(fan));
    for (const [name, blob] of edit) {
      if (fanOf(name) !== fan) continue;
      if (blob === undefined) entries.delete(name);
      else entries.set(name, blob);
    }
    if (entries.size === 0) {
      nextFans.delete(fan);
      continue;
    }
    const object = treeObject([...entries].map(([name, oid]) => ({ mode: '100644', name: name.slice(1), oid })));
    objects.push(object);
    const oid = oidOf('tree', object.body);
    nextFans.set(fan, oid);
    changed.set(oid, entries);
  }
  const next: TreeRoot = { keyring: root.keyring, fans: nextFans };
  const object = encodeRoot(next);
  return { oid: oidOf('tree', object.body), root: next, fans: changed, objects: [...objects, object] };
}

export function encodeRoot({ keyring, fans }: TreeRoot): GitObject {
  return treeObject([
    { mode: '100644', name: KEYRING_NAME, oid: keyring },
    ...[...fans].map(([name, oid]): TreeEntry => ({ mode: '40000', name, oid })),
  ]);
}

function treeObject(entries: readonly TreeEntry[]): GitObject {
  return { type: 'tree', body: encodeTree(entries) };
}
