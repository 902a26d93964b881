/**
 * A repository of its own for what a remote sent and nobody has checked yet, so that nothing of it is among the trusted objects
 * before it was looked at: it is read here, and then either taken over whole or thrown away. It stands beside what it may
 * become part of, on the same disk.
 */
import { readdirSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { MemgitError } from '../errors.ts';
import { BulkReader } from './bulk-reader.ts';
import { CONFIG_TEXT } from './config.ts';
import { TEMPORARY_PREFIX, writeDurably } from './durable.ts';
import type { FileSystem } from './fs.ts';
import { layoutOf, MAIN, type Layout } from './layout.ts';
import { ObjectStore } from './object-store.ts';
import type { GitObject, Oid } from './objects.ts';
import { describeSelf, type Owner } from './owner.ts';
import type { Pack } from './pack-write.ts';
import { encodeRef, readRef } from './refs.ts';
import { clearUnfinished, makerNote } from './unfinished.ts';

/** What a remote may send at once. Larger memories are cloned by copying their repository. */
const MAX_BYTES = 4 * 1024 ** 3;

/** The repository whose objects need not be sent again, and are trusted. */
export interface Trusted {
  readonly layout: Layout;
  readonly store: ObjectStore;
}

export class Quarantine {
  readonly gitdir: string;
  readonly layout: Layout;
  readonly store: ObjectStore;
  readonly #fs: FileSystem;
  readonly #trusted: Trusted | undefined;
  #sent: BulkReader | undefined;

  private constructor(fs: FileSystem, gitdir: string, trusted: Trusted | undefined) {
    this.#fs = fs;
    this.gitdir = gitdir;
    this.layout = layoutOf(gitdir);
    this.store = new ObjectStore(fs, this.layout);
    this.#trusted = trusted;
  }

  /** Makes an empty one in a folder, which is made if it is missing, and clears away those that dead processes left there. */
  static async create(fs: FileSystem, folder: string, trusted: Trusted | undefined): Promise<Quarantine> {
    await clearUnfinished(fs, folder);
    const owner = describeSelf();
    // In a repository whoever holds the lock clears temporaries away; elsewhere they are what nobody minds.
    const name = `${trusted ? '' : TEMPORARY_PREFIX}incoming-${owner.id}`;
    const quarantine = new Quarantine(fs, join(folder, name), trusted);
    await fs.mkdir(folder);
    try {
      await quarantine.#build(owner);
      return quarantine;
    } catch (error) {
      await quarantine.discard();
      throw error;
    }
  }

  async #build(owner: Owner): Promise<void> {
    const { gitdir, objects, packs, heads, head, config, own } = this.layout;
    // The note comes first: without it nobody clears the rest away.
    for (const path of [gitdir, own]) await this.#fs.mkdir(path);
    await writeDurably(this.#fs, [makerNote(this.layout, owner)]);
    for (const path of [objects, packs, join(objects, 'info'), join(gitdir, 'refs'), heads]) await this.#fs.mkdir(path);
    const files = [
      { path: head, bytes: Buffer.from(`ref: ${MAIN}\n`) },
      { path: config, bytes: Buffer.from(CONFIG_TEXT) },
    ];
    if (this.#trusted) files.push({ path: alternatesOf(this.layout), bytes: Buffer.from(`${resolve(this.#trusted.layout.objects)}\n`) });
    await writeDurably(this.#fs, files);
  }

  /** Tells git which commits need not be sent: it asks the remote for what these do not lead to. */
  async nameKnown(haves: readonly Oid[]): Promise<void> {
    const files = [...new Set(haves)].map((oid, i) => ({ path: join(this.layout.heads, `known-${i}`), bytes: encodeRef(oid) }));
    for (const { path } of files) await this.#fs.unlink(path);
    await writeDurably(this.#fs, files);
  }

  /** Puts a pack into it that was received without git. */
  async addPack({ name, pack, index }: Pack): Promise<void> {
    await writeDurably(this.#fs, [
      { path: this.store.pathOf(name, 'pack'), bytes: pack },
      { path: this.store.pathOf(name, 'idx'), bytes: index },
    ]);
    await this.rescan();
  }

  /** Takes note of the packs that git has put into it. */
  async rescan(): Promise<void> {
    this.#sent = await BulkReader.open(this.store);
  }

  async readRef(name: string): Promise<Oid | undefined> {
    return readRef(this.#fs, this.gitdir, name);
  }

  /** Tells whether the remote sent the object. */
  isNew(oid: Oid): boolean {
    for (const index of this.store.packs.values()) if (index.offsetOf(oid) !== undefined) return true;
    return false;
  }

  /** Every object that the remote sent. */
  *sent(): Generator<Oid> {
    for (const index of this.store.packs.values()) yield* index.oids();
  }

  async isTrusted(oid: Oid): Promise<boolean> {
    return (await this.#trusted?.store.has(oid)) ?? false;
  }

  /** Reads what the remote sent, else what is trusted. @throws CORRUPT with `oid` in its details when it is in neither */
  read(oid: Oid): Promise<GitObject> {
    return this.#trusted === undefined || this.isNew(oid) ? (this.#sent ?? this.store).read(oid) : this.#trusted.store.read(oid);
  }

  /** @throws TOO_LARGE when a remote has sent more than anyone wants. */
  checkSize(): void {
    const sent = sizeOf(this.layout.packs);
    if (sent > MAX_BYTES) throw new MemgitError('TOO_LARGE', `expected at most ${MAX_BYTES} bytes from the remote, got more; nothing was taken in`, { details: { limit: MAX_BYTES } });
  }

  /** Makes it an ordinary repository, but for the note of its maker: what ties it to a trusted one goes. */
  async release(): Promise<void> {
    await this.#fs.unlink(alternatesOf(this.layout));
    await this.#fs.rmdir(join(this.layout.objects, 'info')).catch(() => undefined);
    for (const name of (await this.#fs.readdir(this.layout.heads)) ?? []) await this.#fs.unlink(join(this.layout.heads, name));
    await rm(join(this.gitdir, 'refs', 'memgit', 'incoming'), { recursive: true, force: true });
  }

  /** Throws away what is left of it. */
  async discard(): Promise<void> {
    await this.store.close();
    await rm(this.gitdir, { recursive: true, force: true });
  }
}

function alternatesOf({ objects }: Layout): string {
  return join(objects, 'info', 'alternates');
}

/** git writes packs that it is receiving under temporary names in the same folder, and moves them while this looks. */
function sizeOf(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0), 0);
}
