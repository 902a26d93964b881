/**
 * What a hostile host, or someone inside with some of the keys, can put into the repository that a vault is backed up to. Works on
 * loose objects by itself: starting git for each would take most of the time of a hundred attacks.
 */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { deflateSync, inflateSync } from 'node:zlib';
import { signSsh } from '../../src/crypto/sshsig.ts';
import { signingKeyFromSeed } from '../../src/crypto/signature.ts';
import { systemRandom } from '../../src/crypto/sodium.ts';
import { decodeCommit, encodeCommit, signedPayload, type Commit } from '../../src/git/commit.ts';
import { decodeTree, encodeTree, oidOf, type GitObject, type Oid, type TreeEntry } from '../../src/git/objects.ts';
import { encodeRecord } from '../../src/vault/record.ts';
import { toBase64 } from '../../src/bytes.ts';
import type { VaultRepository } from '../../src/vault/vault-repository.ts';

export type Random = (below: number) => number;

/** A remote whose objects are loose, seen by whoever runs it, and the vault of which it knows nothing but what was pushed. */
export class Forge {
  readonly gitdir: string;

  constructor(gitdir: string) {
    this.gitdir = gitdir;
  }

  get head(): Oid {
    return readFileSync(this.#branch, 'latin1').trim() as Oid;
  }

  /** First parents of the head, newest first. */
  get history(): Oid[] {
    const commits: Oid[] = [];
    for (let oid: Oid | undefined = this.head; oid !== undefined; oid = this.commitAt(oid).parents[0]) commits.push(oid);
    return commits;
  }

  moveTo(oid: Oid): void {
    writeFileSync(this.#branch, `${oid}\n`);
  }

  removeBranch(): void {
    rmSync(this.#branch);
  }

  /** Shows another vault, which has its objects in packs, under this one's address. */
  becomeCopyOf(gitdir: string): void {
    cpSync(join(gitdir, 'objects', 'pack'), join(this.gitdir, 'objects', 'pack'), { recursive: true });
    cpSync(join(gitdir, 'refs', 'heads', 'main'), this.#branch);
  }

  commitAt(oid: Oid): Commit {
    return decodeCommit(this.read('commit', oid));
  }

  treeAt(oid: Oid): TreeEntry[] {
    return decodeTree(this.read('tree', oid));
  }

  read(type: GitObject['type'], oid: Oid): Buffer {
    const whole = inflateSync(readFileSync(this.#pathOf(oid)));
    const body = whole.subarray(whole.indexOf(0) + 1);
    if (oidOf(type, body) !== oid) throw new Error(`expected ${oid} to be a ${type}`);
    return body;
  }

  write(type: GitObject['type'], body: Uint8Array): Oid {
    const oid = oidOf(type, body);
    const path = this.#pathOf(oid);
    mkdirSync(dirname(path), { recursive: true });
    rmSync(path, { force: true });
    writeFileSync(path, deflateSync(Buffer.concat([Buffer.from(`${type} ${body.length}\0`), body]), { level: 1 }));
    return oid;
  }

  writeTree(entries: readonly TreeEntry[]): Oid {
    return this.write('tree', encodeTree(entries));
  }

  /** The entries of the head, of all subtrees. */
  get entries(): TreeEntry[] {
    return this.treeAt(this.commitAt(this.head).tree).flatMap(({ mode, oid }) => (mode === '40000' ? this.treeAt(oid) : []));
  }

  /** Writes the head's tree with other blobs for its entries. */
  withEntries(change: (blob: Oid) => Oid): Oid {
    const subtree = (oid: Oid): Oid => this.writeTree(this.treeAt(oid).map((entry) => ({ ...entry, oid: change(entry.oid) })));
    return this.writeTree(this.treeAt(this.commitAt(this.head).tree).map((entry) => (entry.mode === '40000' ? { ...entry, oid: subtree(entry.oid) } : entry)));
  }

  /** Puts a commit on top that its maker signs, with a record that opens. */
  commitSigned(vault: VaultRepository, tree: Oid, { seed, parents = [this.head] }: { seed?: Uint8Array; parents?: readonly Oid[] } = {}): void {
    const { epoch } = vault.keys;
    const parent = this.commitAt(parents[0]!);
    const record = { op: 'write', paths: [], timeMs: parent.timeSec * 1000, sequence: this.history.length, generation: 0, addedBytes: 0, removedBytes: 0 };
    const message = `memgit\n\n${toBase64(epoch.seal('record', encodeRecord(record), systemRandom))}\n`;
    const unsigned: Commit = { tree, parents, timeSec: parent.timeSec, message };
    const signature = signSsh(signedPayload(unsigned), seed ? signingKeyFromSeed(seed) : epoch.signingKey!);
    this.moveTo(this.write('commit', encodeCommit({ ...unsigned, signature })));
  }

  /** Puts a commit on top whose signature was made for another one: what a host without any key can do. */
  commitUnsigned(change: Partial<Commit>): void {
    this.moveTo(this.write('commit', encodeCommit({ ...this.commitAt(this.head), parents: [this.head], ...change })));
  }

  get #branch(): string {
    return join(this.gitdir, 'refs', 'heads', 'main');
  }

  #pathOf(oid: Oid): string {
    return join(this.gitdir, 'objects', oid.slice(0, 2), oid.slice(2));
  }
}
