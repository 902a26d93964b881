/** The context with which the SDK's runner calls a tool. */
import type { BetaToolRunContext } from '@anthropic-ai/sdk/lib/tools/BetaRunnableTool';

export function toolUse(id: string, input: unknown = {}, signal?: AbortSignal): BetaToolRunContext {
  return { toolUse: { type: 'tool_use', id, name: 'memory', input }, signal } as BetaToolRunContext;
}
