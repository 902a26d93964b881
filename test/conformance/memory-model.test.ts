/** The commands over the model in memory: without a vault, and over the SDK's own way of running a tool. */
import { runRunnableTool } from '@anthropic-ai/sdk/lib/tools/BetaRunnableTool';
import { execute } from '../../src/memory/execute.ts';
import { memoryTool } from '../../src/memory/tool.ts';
import { MemoryModel } from '../support/memory-model.ts';
import { toolUse } from '../support/tool-use.ts';
import { memorySuite } from './memory-suite.ts';

memorySuite('execute on the model', async () => {
  const memory = new MemoryModel();
  return { execute: (input) => execute(memory, input), close: async () => {} };
});

memorySuite("the SDK's runner on the model", async () => {
  const tool = memoryTool(new MemoryModel());
  return {
    execute: async (input) => {
      const { content, isError } = await runRunnableTool(tool, input, toolUse('toolu_1', input));
      return { content, is_error: isError } as Awaited<ReturnType<typeof execute>>;
    },
    close: async () => {},
  };
});
