/**
 * A memory as plain data: which paths hold files and which are empty directories, with contents that are read when they are
 * needed. What the history compares, merges and puts back is listings, wherever they come from: a commit, the memory as it
 * stands, or a memory that is only being tried out.
 */
import { equalBytes, type Bytes } from '../bytes.ts';
import type { Oid } from '../git/objects.ts';
import type { EntryInfo } from '../vault/path-index.ts';
import { ROOT, type MemoryPath } from '../vault/path.ts';
import type { Snapshot } from '../vault/snapshot.ts';
import type { NameChange } from '../vault/tree-reader.ts';
import type { TreeRoot } from '../vault/tree.ts';
import type { VaultRepository } from '../vault/vault-repository.ts';

export interface FileNode {
  readonly kind: 'file';
  readonly sizeBytes: number;
  /** The oid of the sealed entry, where there is one: equal oids mean equal bytes, others mean nothing. */
  readonly blob?: string;
  readonly read: () => Promise<Bytes>;
}

export type ListingNode = FileNode | { readonly kind: 'directory' };

/** Files and empty directories by path. */
export type Listing = ReadonlyMap<MemoryPath, ListingNode>;

const EMPTY_DIRECTORY: ListingNode = { kind: 'directory' };

export function fileOf(content: Bytes): FileNode {
  return { kind: 'file', sizeBytes: content.length, read: () => Promise.resolve(content) };
}

/** Everything of a snapshot at or below a path. */
export async function listSnapshot(snapshot: Snapshot, path: MemoryPath = ROOT): Promise<Map<MemoryPath, ListingNode>> {
  const listing = new Map<MemoryPath, ListingNode>();
  for await (const node of snapshot.walk(path)) {
    listing.set(
      node.path,
      node.kind === 'directory'
        ? EMPTY_DIRECTORY
        : { kind: 'file', sizeBytes: node.sizeBytes, blob: node.blob, read: () => snapshot.read(node.path) },
    );
  }
  return listing;
}

/** Of two trees only what differs, found by comparing oids; entries are opened where these do, and nothing else is. */
export async function listDifference(vault: VaultRepository, before: TreeRoot | undefined, after: TreeRoot): Promise<{ before: Listing; after: Listing }> {
  return listChanges(vault, await vault.trees.changes(before, after));
}

/** As `listDifference`, where it is known already under which names the trees differ. */
export async function listChanges(vault: VaultRepository, names: readonly NameChange[]): Promise<{ before: Listing; after: Listing }> {
  const listings = { before: new Map<MemoryPath, ListingNode>(), after: new Map<MemoryPath, ListingNode>() };
  for (const change of names) {
    for (const side of ['before', 'after'] as const) {
      const blob = change[side];
      if (blob === undefined) continue;
      const info = await vault.entries.info(change.name, blob);
      listings[side].set(info.path, nodeOf(vault, change.name, blob, info));
    }
  }
  return listings;
}

function nodeOf(vault: VaultRepository, name: string, blob: Oid, info: EntryInfo): ListingNode {
  if (info.kind === 'directory') return EMPTY_DIRECTORY;
  return { kind: 'file', sizeBytes: info.sizeBytes, blob, read: () => vault.entries.content(name, blob) };
}

export async function isSameNode(a: ListingNode | undefined, b: ListingNode | undefined): Promise<boolean> {
  if (a?.kind !== 'file' || b?.kind !== 'file') return a?.kind === b?.kind;
  if (a.blob !== undefined && a.blob === b.blob) return true;
  return a.sizeBytes === b.sizeBytes && equalBytes(await a.read(), await b.read());
}
