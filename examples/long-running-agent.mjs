/**
 * An agent whose work goes on over many sessions: one feature a session, until the checklist passes. Kill it whenever you
 * like and start it again; the next session is told what the killed one left half done.
 *
 *     export ANTHROPIC_API_KEY=…  MEMGIT_KEY="$(cat alice.key)"
 *     node examples/long-running-agent.mjs 'Build a recipe website.'
 */
import Anthropic from '@anthropic-ai/sdk';
import { openStore } from 'memgit';

const goal = process.argv[2] ?? 'Build a recipe website.';
const maxSessions = Number(process.argv[3] ?? 20);
const model = 'claude-opus-5-5';
const client = new Anthropic();

const store = await openStore({ dir: process.env.MEMGIT_STORE ?? './memory', key: process.env.MEMGIT_KEY, onError: console.error });
try {
  const vault = await store.vault('alice');
  for (let count = 0; count < maxSessions && !(await vault.features.done()); count += 1) await runSession(vault);
  const { passing, total } = await vault.features.summary();
  console.log(`${passing} of ${total} features pass`);
} finally {
  await store.close();
}

/** @param {import('memgit').Vault} vault */
async function runSession(vault) {
  const session = await vault.sessions.start({ agent: 'examples/long-running-agent', model, goal });
  console.log(`session ${session.number}`);
  try {
    const last = await client.beta.messages.toolRunner({
      model,
      max_tokens: 16_000,
      messages: [{ role: 'user', content: `${goal}\n\n${await session.brief()}\n\nAt the end, say in a few sentences what the next session should know.` }],
      tools: [session.memoryTool({ client })],
      // What the conversation loses, the memory keeps: old tool results are cleared first, but never those of the memory,
      // and what is still too long is summarized.
      betas: ['context-management-2025-06-27', 'compact-2026-01-12'],
      context_management: {
        edits: [
          { type: 'clear_tool_uses_20250919', trigger: { type: 'input_tokens', value: 60_000 }, keep: { type: 'tool_uses', value: 5 }, exclude_tools: ['memory'] },
          { type: 'compact_20260112', trigger: { type: 'input_tokens', value: 120_000 } },
        ],
      },
    });
    await session.end({ handoff: last.content.map((block) => (block.type === 'text' ? block.text : '')).join('\n') });
  } catch (error) {
    await session.abandon({ reason: error instanceof Error ? error.message : String(error) });
    throw error;
  }
}
