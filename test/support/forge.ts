/** What a hostile host, or someone inside with some of the keys, can put into the repository that a vault is backed up to. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { signSsh } from '../../src/crypto/sshsig.ts';
import { signingKeyFromSeed } from '../../src/crypto/signature.ts';
import { systemRandom } from '../../src/crypto/sodium.ts';
import { decodeCommit, encodeCommit, signedPayload, type Commit } from '../../src/git/commit.ts';
import { decodeTree, encodeTree, type GitObject, type Oid, type TreeEntry } from '../../src/git/objects.ts';
import { encodeRecord } from '../../src/vault/record.ts';
import { toBase64 } from '../../src/bytes.ts';
import type { VaultRepository } from '../../src/vault/vault-repository.ts';

export type Random = (below: number) => number;

/** A remote, seen by whoever runs it, and the vault of which it knows nothing but what was pushed. */
export class Forge {
  readonly gitdir: string;

  constructor(gitdir: string) {
    this.gitdir = gitdir;
  }

  get head(): Oid {
    return this.git('rev-parse', 'refs/heads/main').trim() as Oid;
  }

  /** First parents of the head, newest first. */
  get history(): Oid[] {
    return this.git('rev-list', '--first-parent', 'refs/heads/main').trim().split('\n') as Oid[];
  }

  moveTo(oid: Oid): void {
    writeFileSync(join(this.gitdir, 'refs/heads/main'), `${oid}\n`);
  }

  commitAt(oid: Oid): Commit {
    return decodeCommit(this.read('commit', oid));
  }

  treeAt(oid: Oid): TreeEntry[] {
    return decodeTree(this.read('tree', oid));
  }

  read(type: GitObject['type'], oid: Oid): Buffer {
    return execFileSync('git', [`--git-dir=${this.gitdir}`, 'cat-file', type, oid], { maxBuffer: 2 ** 30 });
  }

  write(type: GitObject['type'], body: Uint8Array): Oid {
    return execFileSync('git', [`--git-dir=${this.gitdir}`, 'hash-object', '-w', '--literally', '-t', type, '--stdin'], { input: body }).toString().trim() as Oid;
  }

  writeTree(entries: readonly TreeEntry[]): Oid {
    return this.write('tree', encodeTree(entries));
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

  git(...args: string[]): string {
    return execFileSync('git', [`--git-dir=${this.gitdir}`, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  }
}
