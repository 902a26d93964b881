/**
 * Writes a mutation as one pack: the objects that are missing, and with them the entries of many small packs when it is time to
 * fold these. Nothing is written twice but for a copy that is damaged. To be called under the lock.
 */
import type { PackFolder } from './fold.ts';
import type { GitObject, Oid } from './objects.ts';
import { assemblePack, encodePackEntry, type PackEntry } from './pack-write.ts';
import { publishHead, type Place } from './publish.ts';

/** What an update wants written: new objects, and the commit that the branch is to point to. */
export interface Mutation<T> {
  readonly objects: readonly GitObject[];
  readonly head: Oid;
  readonly result: T;
  /** Called once the branch has moved, before the lock is released and anyone can move it again. */
  readonly onPublished?: () => void;
}

/** @throws TypeError when the new head is nowhere; as `publishHead` */
export async function writeMutation(place: Place, folder: PackFolder, from: Oid, { objects, head }: Mutation<unknown>): Promise<void> {
  const entries = new Map((await Promise.all(objects.map(encodePackEntry))).map((entry) => [entry.oid, entry]));
  if (!entries.has(head) && !(await place.store.has(head))) {
    throw new TypeError('expected the new head to be among the objects or in the repository');
  }
  // A damaged copy does not count: what is written now is what will be read.
  for (const oid of entries.keys()) if (await place.store.holdsWhole(oid)) entries.delete(oid);
  if (entries.size === 0) await publishHead(place, undefined, from, head);
  else await publishWith(place, folder, entries, from, head);
}

async function publishWith(place: Place, folder: PackFolder, entries: ReadonlyMap<Oid, PackEntry>, from: Oid, to: Oid): Promise<void> {
  const small = await folder.gather();
  const pack = assemblePack([...small.entries.filter(({ oid }) => !entries.has(oid)), ...entries.values()]);
  // Meanwhile what earlier folds have replaced goes. It never fails, and must be over before the lock is released.
  const removing = folder.removeReplaced();
  try {
    await publishHead(place, pack, from, to);
  } finally {
    await removing;
  }
  folder.replace(small.packs, pack.name);
}
