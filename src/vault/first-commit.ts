/** What a new vault consists of: a keyring, a tree with nothing else in it, and a signed commit. Pure but for the randomness. */
import type { RandomSource } from '../crypto/sodium.ts';
import type { FirstCommit } from '../git/create.ts';
import { oidOf } from '../git/objects.ts';
import { makeCommit } from './commit-info.ts';
import { decodeKeyring } from './keyring.ts';
import { createKeyring, openKeyring, type NewKeyring } from './keys.ts';
import { encodeRoot } from './tree.ts';

/** @param timeMs milliseconds since 1970 */
export function firstCommit(who: NewKeyring, timeMs: number, random: RandomSource): FirstCommit {
  const keyringBytes = createKeyring(who, random);
  const { epoch } = openKeyring(decodeKeyring(keyringBytes), { wrapKey: who.wrapKey });
  const tree = encodeRoot({ keyring: oidOf('blob', keyringBytes), fans: new Map() });
  const record = { op: 'init', paths: [], timeMs, sequence: 0, generation: 0, addedBytes: 0, removedBytes: 0 };
  const { object, info } = makeCommit({ tree: oidOf('tree', tree.body), parents: [], record }, epoch, random);
  return { objects: [{ type: 'blob', body: keyringBytes }, tree, object], head: info.oid };
}
