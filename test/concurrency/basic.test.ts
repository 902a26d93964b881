/**
 * Many mutations at once on one vault, from one turn of the tool runner and from two processes: none is lost, and git agrees. Seen to
 * fail with the lock ignored, and with the queue of a process ignored.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import Anthropic from '@anthropic-ai/sdk';
import { generateKey, openStore } from '../../src/index.ts';
import { git, temporaryFolder } from '../support/git-repository.ts';
import { startMessagesApi, toolResultsOf } from '../support/messages-api.js';

const folder = temporaryFolder();

test('20 inserts in one turn of the tool runner all survive', async () => {
  const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`);
  const api = await startMessagesApi(({ messages }) => {
    const results = toolResultsOf(messages);
    if (results.length > 0) return [{ type: 'text', text: JSON.stringify(results) }];
    return lines.map((insert_text, index) => {
      const input = { command: 'insert', path: '/memories/log.txt', insert_line: 0, insert_text };
      return { type: 'tool_use', id: `toolu_${index}`, name: 'memory', input };
    });
  });
  const store = await openStore({ dir: join(folder, 'turn'), key: await generateKey() });
  try {
    const vault = await store.vault('alice');
    await vault.write('/memories/log.txt', 'the end\n');
    const client = new Anthropic({ baseURL: api.url, apiKey: 'none', maxRetries: 0 });
    const { content } = await client.beta.messages.toolRunner({
      model: 'claude-opus-5-5',
      max_tokens: 64,
      messages: [{ role: 'user', content: 'Write.' }],
      tools: [vault.memoryTool({ client })],
    });
    const done = { content: 'The file /memories/log.txt has been edited.', is_error: false };
    expect(JSON.parse((content[0] as { text: string }).text)).toEqual(lines.map((_, index) => [`toolu_${index}`, done]));

    const written = (await vault.readText('/memories/log.txt'))!.trimEnd().split('\n');
    expect(written.at(-1)).toBe('the end');
    expect(written.slice(0, -1).sort()).toEqual([...lines].sort());
    // The vault's first commit, the file, and one commit for each insert.
    expect(git(vault.gitdir, ['rev-list', '--count', 'main'])).toBe('22\n');
  } finally {
    await store.close();
    await api.close();
  }
});

test('two processes with 200 mutations each lose none; fsck and verify-commit are content', async () => {
  const dir = join(folder, 'processes');
  const key = await generateKey();
  const each = 200;
  const code = `
    import { openStore } from 'memgit';
    const store = await openStore({ dir: process.env.STORE, key: process.env.MEMGIT_KEY });
    const vault = await store.vault('alice');
    for (let i = 0; i < ${each}; i += 1) {
      const insert_text = process.env.WHO + ' ' + i;
      const { is_error } = i % 2 === 0
        ? await vault.execute({ command: 'insert', path: '/memories/shared.txt', insert_line: 0, insert_text })
        : await vault.execute({ command: 'create', path: '/memories/' + process.env.WHO + '/' + i, file_text: insert_text });
      if (is_error) process.exitCode = 1;
    }
    await store.close();
  `;
  const store = await openStore({ dir, key });
  const vault = await store.vault('alice');
  await vault.write('/memories/shared.txt', '');

  const run = async (who: string) => {
    const env = { ...process.env, STORE: dir, MEMGIT_KEY: key, WHO: who };
    const child = spawn(process.execPath, ['--input-type=module', '--eval', code], { env, stdio: ['ignore', 'inherit', 'pipe'] });
    const [stderr, [exit]] = await Promise.all([text(child.stderr), once(child, 'close')]);
    return { exit, stderr };
  };
  expect(await Promise.all([run('one'), run('two')])).toEqual(Array(2).fill({ exit: 0, stderr: '' }));

  const inserted = (await vault.readText('/memories/shared.txt'))!.trimEnd().split('\n');
  const even = Array.from({ length: each / 2 }, (_, index) => 2 * index);
  expect(inserted.sort()).toEqual(['one', 'two'].flatMap((who) => even.map((index) => `${who} ${index}`)).sort());
  expect(await vault.list('/memories/one')).toHaveLength(each / 2);
  expect(await vault.list('/memories/two')).toHaveLength(each / 2);

  const commits = git(vault.gitdir, ['rev-list', 'main']).trim().split('\n');
  // The vault's first, the shared file, and one for each mutation.
  expect(commits).toHaveLength(1 + 1 + 2 * each);
  expect(git(vault.gitdir, ['fsck', '--strict', '--full', '--no-dangling'])).toBe('');

  const signers = join(folder, 'allowed-signers');
  writeFileSync(signers, await vault.allowedSigners());
  const verify = ['-c', `gpg.ssh.allowedSignersFile=${signers}`, 'verify-commit', ...commits];
  expect(() => git(vault.gitdir, verify)).not.toThrow();
  writeFileSync(signers, await (await store.vault('bob')).allowedSigners());
  expect(() => git(vault.gitdir, verify)).toThrow();
  await store.close();
});
