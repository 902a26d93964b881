/**
 * An agent with a memory, by hand: for Bedrock, Vertex, another SDK, or a loop of your own. `vault.execute` takes a tool
 * input as Claude sent it and gives the `content` and `is_error` of the tool result. It needs no SDK and never rejects.
 *
 *     node examples/hand-written-loop.mjs 'Remember that I prefer short answers.'
 */
import Anthropic from '@anthropic-ai/sdk';
import { openStore } from 'memgit';

const model = 'claude-opus-5-5';
const client = new Anthropic();
const store = await openStore({ dir: process.env.MEMGIT_STORE ?? './memory', key: process.env.MEMGIT_KEY, onError: console.error });
try {
  const vault = await store.vault('alice');
  /** @type {Anthropic.Beta.BetaMessageParam[]} */
  const messages = [{ role: 'user', content: process.argv[2] ?? 'What do you know about me?' }];
  for (;;) {
    const reply = await client.beta.messages.create({ model, max_tokens: 2048, messages, tools: [{ type: 'memory_20250818', name: 'memory' }] });
    messages.push({ role: 'assistant', content: reply.content });
    for (const block of reply.content) if (block.type === 'text') console.log(block.text);

    const calls = reply.content.filter((block) => block.type === 'tool_use');
    if (calls.length === 0) break;
    messages.push({ role: 'user', content: await Promise.all(calls.map(answer)) });
  }

  /** @param {Anthropic.Beta.BetaToolUseBlock} call @returns {Promise<Anthropic.Beta.BetaToolResultBlockParam>} */
  async function answer({ id, input }) {
    console.log(`  [memory] ${JSON.stringify(input)}`);
    return { type: 'tool_result', tool_use_id: id, ...(await vault.execute(input, { toolUseId: id, model, actor: 'examples/hand-written-loop' })) };
  }
} finally {
  await store.close();
}
