/** A process of its own that adds files to a repository, for tests of several writers: `node git-writer <gitdir> <prefix> <count>`. */
import { Repository } from '../../src/git/repository.ts';
import { addFile } from './git-repository.ts';

async function main(gitdir: string, prefix: string, count: number): Promise<void> {
  const repository = await Repository.open(gitdir);
  for (let i = 0; i < count; i += 1) await addFile(repository, `${prefix}-${i}`, `${prefix} ${i}`);
  await repository.close();
}

const [gitdir = '', prefix = '', count = ''] = process.argv.slice(2);
void main(gitdir, prefix, Number(count));
