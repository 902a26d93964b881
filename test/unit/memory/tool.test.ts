/**
 * The tool as the SDK runs it: what Claude reads, and what only the host program does. Seen to fail with the text of an unexpected
 * error added to its sentence.
 */
import { betaMemoryTool } from '@anthropic-ai/sdk/helpers/beta/memory';
import { runRunnableTool } from '@anthropic-ai/sdk/lib/tools/BetaRunnableTool';
import { ToolError } from '@anthropic-ai/sdk/lib/tools/ToolError';
import { MemgitError, type ErrorCode } from '../../../src/errors.ts';
import { execute, type CallContext, type Memory } from '../../../src/memory/execute.ts';
import { UNEXPECTED } from '../../../src/memory/messages.ts';
import { handlers, memoryTool, type ToolOptions } from '../../../src/memory/tool.ts';
import { MemoryModel } from '../../support/memory-model.ts';
import { toolUse } from '../../support/tool-use.ts';

const create = { command: 'create', path: '/memories/a', file_text: 'x' };
const view = { command: 'view', path: '/memories' };

/** A memory that fails, and one that remembers what it was told. */
function failing(error: unknown): Memory {
  const fail = async () => {
    throw error;
  };
  return { view: fail, mutate: fail };
}

class Recording extends MemoryModel {
  readonly contexts: CallContext[] = [];
  override mutate: Memory['mutate'] = async (build, context) => {
    this.contexts.push(context);
    const outcome = await build(this.snapshot());
    this.apply(outcome.changes);
    return outcome;
  };
}

describe('execute', () => {
  test('views without the lock and mutates with what is known of the call', async () => {
    const memory = new Recording();
    const { signal } = new AbortController();
    const options = { toolUseId: 'toolu_1', model: 'a-model', actor: 'an-actor', session: 's', signal };
    await execute(memory, view, options);
    expect(memory.contexts).toEqual([]);
    await execute(memory, create, options);
    expect(memory.contexts).toEqual([{ op: 'create', ...options }]);
  });

  test('arguments are refused before the lock is taken', async () => {
    const memory = new Recording();
    expect(await execute(memory, { ...create, path: '/elsewhere' })).toMatchObject({ is_error: true });
    expect(memory.contexts).toEqual([]);
  });

  test('readOnly refuses everything but view', async () => {
    const memory = new Recording();
    expect(await execute(memory, create, { readOnly: true })).toEqual({
      content: 'Error: This memory is read-only: it can be viewed but not changed',
      is_error: true,
    });
    expect(memory.contexts).toEqual([]);
    expect(await execute(memory, view, { readOnly: true })).toMatchObject({ is_error: false });
  });

  test('overwrite reaches create', async () => {
    const memory = new MemoryModel();
    await execute(memory, create);
    expect(await execute(memory, create)).toMatchObject({ is_error: true });
    expect(await execute(memory, { ...create, file_text: 'y' }, { overwrite: true })).toMatchObject({ is_error: false });
    expect(memory.mutations).toBe(2);
  });

  test('an aborted call does nothing', async () => {
    const memory = new Recording();
    const signal = AbortSignal.abort(new Error('secret'));
    expect(await execute(memory, create, { signal })).toEqual({
      content: 'Error: The memory command was stopped before it was done',
      is_error: true,
    });
    expect(memory.contexts).toEqual([]);
  });

  test.each<[ErrorCode, RegExp]>([
    ['ABORTED', /was stopped/],
    ['READ_ONLY', /read-only/],
  ])('%s of the memory itself has its sentence', async (code, sentence) => {
    const onError = jest.fn();
    const { content } = await execute(failing(new MemgitError(code)), create, { onError });
    expect(content).toMatch(sentence);
    expect(onError).not.toHaveBeenCalled();
  });

  test.each([new MemgitError('LOCKED', 'secret'), new TypeError('secret'), 'secret', undefined])(
    'any other failure is one sentence to Claude and the error to onError: %p',
    async (error) => {
      const onError = jest.fn(() => {
        throw new Error('secret');
      });
      expect(await execute(failing(error), create, { onError })).toEqual({ content: UNEXPECTED, is_error: true });
      expect(onError).toHaveBeenCalledWith(error);
      expect(await execute(failing(error), view)).toEqual({ content: UNEXPECTED, is_error: true });
    },
  );
});

describe('memoryTool', () => {
  test('is a definition that the API takes, with the extra properties passed on and ours kept back', () => {
    const tool = memoryTool(new MemoryModel(), {
      cache_control: { type: 'ephemeral' },
      actor: 'an-actor',
      overwrite: true,
      onError: () => {},
    });
    expect(JSON.parse(JSON.stringify(tool))).toEqual({
      type: 'memory_20250818',
      name: 'memory',
      cache_control: { type: 'ephemeral' },
    });
  });

  test('takes the tool_use id and the signal from the run context', async () => {
    const memory = new Recording();
    const tool = memoryTool(memory, { actor: 'an-actor', model: 'a-model', session: 's' });
    const { signal } = new AbortController();
    await runRunnableTool(tool, create, toolUse('toolu_7', create, signal));
    await tool.run({ ...create, path: '/memories/b' });
    expect(memory.contexts).toEqual([
      { op: 'create', toolUseId: 'toolu_7', signal, actor: 'an-actor', model: 'a-model', session: 's' },
      { op: 'create', actor: 'an-actor', model: 'a-model', session: 's' },
    ]);

    const aborted = toolUse('toolu_8', create, AbortSignal.abort());
    expect(await runRunnableTool(tool, { ...create, path: '/memories/c' }, aborted)).toMatchObject({ isError: true });
    expect(memory.contexts).toHaveLength(2);
  });

  test('throws the ToolError it is given, else the one of the client, with the exact sentence', async () => {
    class Given extends Error {
      readonly content: unknown;
      constructor(content: unknown) {
        super();
        this.content = content;
      }
    }
    class OfClient extends Given {}
    const client = { beta: { messages: { constructor: { ToolError: OfClient } } } };

    const thrown = async (options: ToolOptions) => {
      try {
        return await memoryTool(new MemoryModel(), options).run({ command: 'view', path: '/memories/none' });
      } catch (error) {
        const { constructor, content } = error as Given;
        return [constructor, content];
      }
    };
    const content = 'The path /memories/none does not exist. Please provide a valid path.';
    expect(await thrown({ ToolError: Given, client })).toEqual([Given, content]);
    expect(await thrown({ client })).toEqual([OfClient, content]);
    // A client of some other making says nothing of its class.
    expect(await thrown({ client: { beta: { messages: {} } } })).toEqual([ToolError, content]);
  });
});

describe('handlers', () => {
  const tool = (memory: Memory) => betaMemoryTool(handlers(memory, { actor: 'an-actor' }));

  test("run under the SDK's betaMemoryTool", async () => {
    const memory = new Recording();
    expect(await runRunnableTool(tool(memory), create, toolUse('toolu_1'))).toEqual({
      content: 'File created successfully at: /memories/a',
      isError: false,
    });
    expect(memory.contexts).toEqual([{ op: 'create', actor: 'an-actor' }]);
    expect(await runRunnableTool(tool(memory), { command: 'view', path: '/memories/b' }, toolUse('toolu_2'))).toEqual({
      content: 'The path /memories/b does not exist. Please provide a valid path.',
      isError: true,
    });
  });

  test.each(['toString', 'constructor', '__proto__', 'hasOwnProperty'])('%s is not one of them', async (command) => {
    expect(await runRunnableTool(tool(new MemoryModel()), { command }, toolUse('toolu_1'))).toEqual({
      content: expect.stringMatching(/not implemented$/) as string,
      isError: true,
    });
  });
});
