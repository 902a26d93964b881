/** Reads sealed entries out of a repository: opens them, checks them against their names, and follows deltas to their bases. */
import type { Bytes } from '../bytes.ts';
import { epochOf } from '../crypto/envelope.ts';
import { MemgitError } from '../errors.ts';
import type { GitObject, Oid } from '../git/objects.ts';
import type { VaultCache } from './cache.ts';
import { decodeEntry, type OpenedEntry } from './entry.ts';
import type { VaultKeys } from './keys.ts';
import type { Epoch } from './epoch.ts';
import { decodePayload } from './payload.ts';
import type { EntryInfo } from './path-index.ts';
import type { MemoryPath } from './path.ts';

export class EntryReader {
  readonly #read: (oid: Oid) => Promise<GitObject>;
  readonly #keys: () => VaultKeys;
  readonly #cache: VaultCache;
  /** The name that was worked out last: versions of one file are often opened one after the other. */
  #named: { readonly epoch: Epoch; readonly path: MemoryPath; readonly name: string } | undefined;

  constructor(read: (oid: Oid) => Promise<GitObject>, keys: () => VaultKeys, cache: VaultCache) {
    this.#read = read;
    this.#keys = keys;
    this.#cache = cache;
  }

  /** Opens the entry that stands under a name. @throws CORRUPT, ALTERED when it is not of this vault or not of this name */
  async open(name: string, blob: Oid): Promise<OpenedEntry> {
    const entry = this.#cache.get('entry', blob) ?? (await this.#openFresh(blob));
    if (entry.name !== name) {
      throw new MemgitError('ALTERED', 'an entry stands under a name that is not its own', { details: { oid: blob } });
    }
    return entry;
  }

  async info(name: string, blob: Oid): Promise<EntryInfo> {
    return infoOf(blob, await this.open(name, blob));
  }

  /** As `open`, of an entry that must be of one epoch: a tree belongs to one wholly. @throws ALTERED also when it is of another */
  async openIn(epoch: Epoch, name: string, blob: Oid): Promise<OpenedEntry> {
    const entry = await this.open(name, blob);
    if (entry.epochId !== epoch.id) throw new MemgitError('ALTERED', 'an entry stands in the tree of another epoch than its own', { details: { oid: blob } });
    return entry;
  }

  /** As `openIn`, short of the contents. */
  async infoIn(epoch: Epoch, name: string, blob: Oid): Promise<EntryInfo> {
    return infoOf(blob, await this.openIn(epoch, name, blob));
  }

  /** The plaintext of the file that stands under a name. The bytes are shared with the cache. */
  async content(name: string, blob: Oid): Promise<Bytes> {
    const cached = this.#cache.get('content', blob);
    if (cached) return cached;

    // From the newest delta down to a version that is in full or cached, then up again.
    const chain: OpenedEntry[] = [];
    let content: Bytes | undefined;
    for (let at: Oid | undefined = blob; at !== undefined; ) {
      const entry: OpenedEntry = await this.open(name, at);
      checkBase(chain.at(-1), entry);
      content = this.#cache.get('content', at);
      if (content) break;
      chain.push(entry);
      at = entry.header.base?.blob as Oid | undefined;
    }
    for (const { header, payload } of chain.reverse()) content = decodePayload(header.encoding, payload, header.size, content);
    if (!content) throw new MemgitError('NOT_A_FILE');
    this.#cache.set('content', blob, content, content.length);
    return content;
  }

  /** Takes note of an entry that was just sealed, so that nothing is decrypted to read back what was written. */
  remember(blob: Oid, entry: OpenedEntry, content: Bytes | undefined): void {
    this.#keep(blob, entry);
    if (content) this.#cache.set('content', blob, content, content.length);
  }

  async #openFresh(blob: Oid): Promise<OpenedEntry> {
    const { type, body } = await this.#read(blob);
    if (type !== 'blob') throw new MemgitError('CORRUPT', `expected a blob, got a ${type}`, { details: { oid: blob } });
    const epoch = this.#keys().epochByTag(epochOf(body, 'entry'));
    if (!epoch) throw new MemgitError('ALTERED', 'an entry was sealed in an epoch that is not in the keyring', { details: { oid: blob } });
    const decoded = decodeEntry(epoch.open('entry', body));
    return this.#keep(blob, { ...decoded, epochId: epoch.id, name: this.#nameIn(epoch, decoded.header.path) });
  }

  #keep(blob: Oid, entry: OpenedEntry): OpenedEntry {
    this.#cache.set('entry', blob, entry, entry.payload.length + entry.header.path.length);
    return entry;
  }

  #nameIn(epoch: Epoch, path: MemoryPath): string {
    if (this.#named?.path !== path || this.#named.epoch !== epoch) this.#named = { epoch, path, name: epoch.nameOf(path) };
    return this.#named.name;
  }
}

function infoOf(blob: Oid, { header }: OpenedEntry): EntryInfo {
  return header.kind === 'file'
    ? { kind: 'file', path: header.path, sizeBytes: header.size, blob }
    : { kind: 'directory', path: header.path, sizeBytes: 0, blob };
}

/** A base is of the same epoch, and exactly one delta nearer to a version in full; `open` has checked its name. */
function checkBase(delta: OpenedEntry | undefined, base: OpenedEntry): void {
  if (delta === undefined) return;
  const depth = base.header.base?.depth ?? 0;
  if (base.epochId !== delta.epochId || base.header.kind !== 'file' || delta.header.base?.depth !== depth + 1) {
    throw new MemgitError('CORRUPT', 'a delta does not follow from its base');
  }
}
