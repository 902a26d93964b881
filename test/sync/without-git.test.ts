/** What it costs to push without git: neither the history nor most of the repository is read for one commit. */
import { basename } from 'node:path';
import { nodeFileSystem, type FileSystem } from '../../src/git/fs.ts';
import { pushRemote } from '../../src/sync/push.ts';
import { VaultRepository } from '../../src/vault/vault-repository.ts';
import { Bench } from '../support/remote-vault.ts';
import { StandIn } from '../support/servers/stand-in.ts';
import { writeFile } from '../support/tmp-vault.ts';

const bench = new Bench();
const saved = { PATH: process.env['PATH'] };
afterEach(() => {
  Object.assign(process.env, saved);
});
afterAll(async () => bench.close());

test('a push of one commit on a long history reads few files and sends few objects', async () => {
  const commits = process.env['SLOW'] === '1' ? 10_000 : 600;
  const made = await bench.vault();
  for (let i = 1; i < commits; i += 1) await writeFile(made.vault, `note-${i % 20}.md`, `version ${i}\n`);
  const standIn = await StandIn.start(bench.folder);
  const gitdir = bench.bare();
  const remote = { name: 'origin', url: standIn.url(basename(gitdir)) };
  process.env['PATH'] = '/nonexistent';
  try {
    expect(await pushRemote(made.vault, remote)).toMatchObject({ commits });
    await writeFile(made.vault, 'note-1.md', 'one more\n');
    await made.vault.close();

    let opened = 0;
    const counting: FileSystem = {
      ...nodeFileSystem,
      open: async (path) => {
        opened += 1;
        return nodeFileSystem.open(path);
      },
    };
    const vault = await VaultRepository.open(made.gitdir, { wrapKey: made.wrapKey }, { fs: counting });
    let objects = 0;
    expect(await pushRemote(vault, remote, { onProgress: ({ phase, done }) => (objects = phase === 'checking objects' ? done : objects) })).toMatchObject({ commits: 1 });
    await vault.close();
    // Commit, root, one subtree, one entry.
    expect(objects).toBe(4);
    expect(opened).toBeLessThan(200);
  } finally {
    await standIn.stop();
  }
});
