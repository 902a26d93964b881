/** Turns what a mutation changes in the tree into sealed objects: entries, the subtrees above them, and the root. */
import type { Bytes } from '../bytes.ts';
import type { RandomSource } from '../crypto/sodium.ts';
import { oidOf, type GitObject, type Oid } from '../git/objects.ts';
import { giveWay } from '../git/turns.ts';
import type { Content, TreeEdit } from './draft.ts';
import type { EncryptedSnapshot } from './encrypted-snapshot.ts';
import type { EntryReader } from './entry-reader.ts';
import { directoryEntry, encodeEntry, fileEntry, type DecodedEntry } from './entry.ts';
import type { Epoch } from './epoch.ts';
import type { EntryInfo } from './path-index.ts';
import type { MemoryPath } from './path.ts';
import { encodePayload, sharedEnds, type Base, type Compression } from './payload.ts';
import type { TreeReader } from './tree-reader.ts';
import { editTree, fanOf, type EditedTree, type Fan } from './tree.ts';

export interface EditTools {
  /** The epoch to seal in: the newest. */
  readonly epoch: Epoch;
  readonly trees: TreeReader;
  readonly entries: EntryReader;
  readonly random: RandomSource;
  readonly compression: Compression;
}

export interface SealedEdit {
  readonly objects: readonly GitObject[];
  readonly tree: EditedTree;
  /** The entries as they stand now, and the paths that have none any more: what turns the old directory shape into the new. */
  readonly put: readonly EntryInfo[];
  readonly removed: readonly MemoryPath[];
  readonly addedBytes: number;
  readonly removedBytes: number;
}

export async function sealEdit(snapshot: EncryptedSnapshot, edit: TreeEdit, tools: EditTools): Promise<SealedEdit> {
  const objects: GitObject[] = [];
  const put: EntryInfo[] = [];
  const names = new Map<string, Oid | undefined>();
  const bytes = { added: 0, removed: 0 };
  const movedFrom = new Set(edit.moved.values());

  for (const [path, content] of edit.put) {
    await giveWay();
    const name = tools.epoch.nameOf(path);
    const base = content === 'directory' ? undefined : await baseOf(snapshot, name, tools);
    const entry = await entryOf(path, content, base, tools.compression);
    const body = tools.epoch.seal('entry', encodeEntry(entry), tools.random);
    const blob = oidOf('blob', body);
    tools.entries.remember(blob, { ...entry, epochId: tools.epoch.id, name }, content === 'directory' ? undefined : content);
    objects.push({ type: 'blob', body });
    names.set(name, blob);
    put.push(content === 'directory' ? { kind: 'directory', path, sizeBytes: 0, blob } : { kind: 'file', path, sizeBytes: content.length, blob });
    if (content !== 'directory' && !edit.moved.has(path)) addDifference(bytes, base?.content ?? new Uint8Array(), content);
  }
  for (const path of edit.removed) {
    const name = tools.epoch.nameOf(path);
    names.set(name, undefined);
    const gone = await snapshot.entry(path);
    if (gone && !movedFrom.has(path)) bytes.removed += gone.sizeBytes;
  }

  const fans = new Map<string, Fan>();
  for (const fan of new Set([...names.keys()].map(fanOf))) {
    const oid = snapshot.root.fans.get(fan);
    if (oid) fans.set(fan, await tools.trees.fan(fan, oid));
  }
  const tree = editTree(snapshot.root, fans, names);
  tools.trees.remember(tree);
  return {
    objects: [...objects, ...tree.objects], tree, put, removed: [...edit.removed],
    addedBytes: bytes.added, removedBytes: bytes.removed,
  };
}

async function entryOf(path: MemoryPath, content: Content, base: Base | undefined, compression: Compression): Promise<DecodedEntry> {
  if (content === 'directory') return directoryEntry(path);
  return fileEntry(path, content.length, await encodePayload(content, compression, base));
}

/** The version that a new one replaces, if it can carry a delta: a file of the epoch that is written in. */
async function baseOf(snapshot: EncryptedSnapshot, name: string, { epoch, entries }: EditTools): Promise<Base | undefined> {
  const blob = await snapshot.blobOf(name);
  if (!blob) return undefined;
  const { header, epochId } = await entries.open(name, blob);
  if (header.kind !== 'file' || epochId !== epoch.id) return undefined;
  return { blob, depth: header.base?.depth ?? 0, content: await entries.content(name, blob) };
}

function addDifference(bytes: { added: number; removed: number }, before: Bytes, after: Bytes): void {
  const { prefix, suffix } = sharedEnds(before, after);
  bytes.added += after.length - prefix - suffix;
  bytes.removed += before.length - prefix - suffix;
}
