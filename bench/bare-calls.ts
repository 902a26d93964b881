/**
 * The floor under a mutation: the system calls of memgit's write path with as many syncs, and nothing else. No git, no cipher,
 * no checks. What a mutation takes beyond this is memgit's own work.
 */
import * as fs from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const fsync = promisify(fs.fsync);
/** About what the pack and the index of a mutation hold. */
const PACK_BYTES = 2_000;
const INDEX_BYTES = 1_240;
const REF_BYTES = 41;

export function makeBareMutation(dir: string): () => Promise<void> {
  const [packs, refs, own] = ['packs', 'refs', 'own'].map((name) => join(dir, name));
  for (const folder of [packs!, refs!, own!]) fs.mkdirSync(folder, { recursive: true });
  const [owner, lock] = [join(own!, 'owner'), join(refs!, 'main.lock')];
  fs.writeFileSync(owner, 'x');
  let count = 0;
  return async () => {
    count += 1;
    fs.linkSync(owner, lock);
    const [pack, index, ref] = [join(packs!, 'tmp-a'), join(packs!, 'tmp-b'), join(own!, 'tmp-c')];
    await Promise.all([writeSynced(pack, PACK_BYTES), writeSynced(index, INDEX_BYTES), writeSynced(ref, REF_BYTES)]);
    fs.renameSync(pack, join(packs!, `${count}.pack`));
    fs.renameSync(index, join(packs!, `${count}.idx`));
    await syncFolder(packs!);
    fs.renameSync(ref, join(refs!, 'main'));
    await syncFolder(refs!);
    fs.unlinkSync(lock);
  };
}

async function writeSynced(path: string, bytes: number): Promise<void> {
  const fd = fs.openSync(path, 'wx', 0o600);
  fs.writeSync(fd, Buffer.alloc(bytes, 1));
  await fsync(fd);
  fs.closeSync(fd);
}

async function syncFolder(path: string): Promise<void> {
  const fd = fs.openSync(path, 'r');
  await fsync(fd);
  fs.closeSync(fd);
}
