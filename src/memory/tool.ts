/**
 * A memory as the Anthropic SDK's tool, in two shapes: a runnable tool of its own, and handlers for the SDK's
 * `betaMemoryTool`, which drops the `tool_use` id and the abort signal. The only room that loads the SDK, and only when
 * Claude is first told no and the caller has not said which copy of the SDK is in use.
 */
import type { MemoryToolHandlers } from '@anthropic-ai/sdk/helpers/beta/memory';
import type { BetaRunnableTool } from '@anthropic-ai/sdk/lib/tools/BetaRunnableTool';
import type { BetaMemoryTool20250818, BetaMemoryTool20250818Command } from '@anthropic-ai/sdk/resources/beta/messages';

import { execute, type ExecuteOptions, type Memory, type ToolResult } from './execute.ts';
import type { Reply } from './view.ts';

/** The SDK's `ToolError`. Its runner knows it by class, and its ES and CommonJS builds hold different ones. */
export type ToolErrorClass = new (content: Reply) => Error;

/** Options of a tool that serves many calls. */
export interface HandlerOptions extends Omit<ExecuteOptions, 'toolUseId' | 'signal'> {
  /** The client whose tool runner will run the tool: gives the right `ToolError`. */
  readonly client?: { readonly beta: { readonly messages: object } } | undefined;
  /** The `ToolError` of the SDK in use; goes before the client's. */
  readonly ToolError?: ToolErrorClass | undefined;
}

/** With the SDK's own properties of a tool definition, such as `cache_control`, which are passed on. */
export type ToolOptions = HandlerOptions & Omit<BetaMemoryTool20250818, 'type' | 'name'>;

/** What the SDK's tool runners take among their `tools`. */
export type MemoryTool = BetaRunnableTool<unknown>;

/** What the SDK's `betaMemoryTool` takes. */
export type MemoryHandlers = MemoryToolHandlers;

/** Makes a tool for the SDK's tool runners. */
export function memoryTool(memory: Memory, options: ToolOptions = {}): MemoryTool {
  const { client, ToolError, model, actor, session, overwrite, readOnly, onError, ...definition } = options;
  const calls = { model, actor, session, overwrite, readOnly, onError };
  return {
    ...definition,
    type: 'memory_20250818',
    name: 'memory',
    parse: (input) => input,
    run: async (input, context) => {
      const call = { toolUseId: context?.toolUse.id, signal: context?.signal ?? undefined };
      return unwrap(await execute(memory, input, { ...calls, ...call }), { client, ToolError });
    },
  };
}

/** Makes the handlers that the SDK's `betaMemoryTool` takes. */
export function handlers(memory: Memory, options: HandlerOptions = {}): MemoryHandlers {
  const handle = async (command: BetaMemoryTool20250818Command) => unwrap(await execute(memory, command, options), options);
  const own: MemoryToolHandlers = {
    view: handle,
    create: handle,
    str_replace: handle,
    insert: handle,
    delete: handle,
    rename: handle,
  };
  // `betaMemoryTool` looks commands up by whatever name Claude sends: `toString` must not be found.
  return Object.setPrototypeOf(own, null) as MemoryToolHandlers;
}

async function unwrap(result: ToolResult, sdk: Pick<HandlerOptions, 'client' | 'ToolError'>): Promise<Reply> {
  if (!result.is_error) return result.content;
  const ToolError = sdk.ToolError ?? toolErrorOf(sdk.client) ?? (await loadToolError());
  if (ToolError !== undefined) throw new ToolError(result.content);
  // A runner that came without the SDK's package, in a bundle, puts this prefix before every message.
  throw new Error(result.content.replace(/^Error: /, ''));
}

function toolErrorOf(client: HandlerOptions['client']): ToolErrorClass | undefined {
  return (client?.beta.messages.constructor as { ToolError?: ToolErrorClass } | undefined)?.ToolError;
}

/** The class of the SDK build that this build of memgit would itself import; `undefined` when the SDK is not installed. */
async function loadToolError(): Promise<ToolErrorClass | undefined> {
  try {
    return (await import('@anthropic-ai/sdk/lib/tools/ToolError')).ToolError;
  } catch {
    return undefined;
  }
}
