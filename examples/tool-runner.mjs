/**
 * An agent with a memory, through the SDK's tool runner.
 *
 *     export ANTHROPIC_API_KEY=…  MEMGIT_KEY="$(cat alice.key)"
 *     node examples/tool-runner.mjs 'Remember that I prefer short answers.'
 *     node examples/tool-runner.mjs 'What do you know about me?'
 */
import Anthropic from '@anthropic-ai/sdk';
import { openStore } from 'memgit';

const prompt = process.argv[2] ?? 'What do you know about me?';
const model = 'claude-opus-5-5';
const client = new Anthropic();

const store = await openStore({ dir: process.env.MEMGIT_STORE ?? './memory', key: process.env.MEMGIT_KEY, onError: console.error });
try {
  const vault = await store.vault('alice'); // made on first use
  const runner = client.beta.messages.toolRunner({
    model,
    max_tokens: 2048,
    messages: [{ role: 'user', content: prompt }],
    tools: [vault.memoryTool({ client, model, actor: 'examples/tool-runner' })],
  });
  for await (const message of runner) {
    for (const block of message.content) {
      if (block.type === 'text') console.log(block.text);
      if (block.type === 'tool_use') console.log(`  [${block.name}] ${JSON.stringify(block.input)}`);
    }
  }
} finally {
  await store.close();
}
