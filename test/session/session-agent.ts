/**
 * One session of an agent, driven by the SDK's tool runner: what the test of five sessions runs, in its own process or, to
 * be killed, in another: `session-agent.ts <store> <key> <url of the Messages API> <goal>`.
 */
import Anthropic from '@anthropic-ai/sdk';
import { openStore } from '../../src/store.ts';

export interface Run {
  readonly dir: string;
  readonly key: string;
  readonly url: string;
  readonly goal: string;
}

/** Works until Claude has nothing more to call; what it says last is its handoff. */
export async function runSession({ dir, key, url, goal }: Run): Promise<void> {
  const store = await openStore({ dir, key });
  const vault = await store.vault('someone');
  const session = await vault.sessions.start({ agent: 'coder', model: 'a-model', goal });
  const client = new Anthropic({ apiKey: 'none', baseURL: url, maxRetries: 0 });
  const last = await client.beta.messages.toolRunner({
    model: 'a-model',
    max_tokens: 1024,
    messages: [{ role: 'user', content: await session.brief() }],
    tools: [session.memoryTool({ client })],
  });
  await session.end({ handoff: last.content.map((block) => (block.type === 'text' ? block.text : '')).join('') });
  await store.close();
}

if (process.argv[1]?.endsWith('session-agent.ts') === true) {
  const [dir, key, url, goal] = process.argv.slice(2) as [string, string, string, string];
  runSession({ dir, key, url, goal }).catch((error: unknown) => {
    process.stderr.write(`${String(error)}\n`);
    process.exitCode = 1;
  });
}
