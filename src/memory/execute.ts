/**
 * Runs one tool call from its raw input to the result that Claude reads. Needs no SDK. A refusal becomes its sentence;
 * whatever else goes wrong becomes one neutral sentence, and goes to `onError`.
 */
import { isMemgitError } from '../errors.ts';
import type { Snapshot } from '../vault/snapshot.ts';
import { parseCommand } from './arguments.ts';
import { runCommand, type Outcome } from './commands.ts';
import { CommandRefusal, refusals, UNEXPECTED } from './messages.ts';
import type { Reply } from './view.ts';

/** What the record of a mutation says of the call that made it. */
export interface CallContext {
  readonly toolUseId?: string | undefined;
  readonly model?: string | undefined;
  readonly actor?: string | undefined;
  readonly session?: string | undefined;
  /** Stops a mutation that still waits for its turn. */
  readonly signal?: AbortSignal | undefined;
}

/** A memory that commands can run on. */
export interface Memory {
  /** Calls `build` with the present snapshot. */
  view(build: (snapshot: Snapshot) => Promise<Outcome>): Promise<Outcome>;
  /**
   * Calls `build` with the present snapshot and commits its changes if there are any; calls it again when the memory moved
   * meanwhile. What `build` throws is thrown, and nothing is changed. `op` is the command, also of one that comes to nothing.
   */
  mutate(build: (snapshot: Snapshot) => Promise<Outcome>, context: CallContext & { readonly op: string }): Promise<Outcome>;
}

export interface ExecuteOptions extends CallContext {
  /** Lets `create` replace a file that exists. */
  readonly overwrite?: boolean | undefined;
  /** Refuses every command but `view`. */
  readonly readOnly?: boolean | undefined;
  /** Told of every failure that is not Claude's doing; what it throws is ignored. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** The fields of a `tool_result` block that a tool decides. */
export type ToolResult = { content: Reply; is_error: false } | { content: string; is_error: true };

/** Runs a tool input of the memory tool. Never rejects. */
export async function execute(memory: Memory, input: unknown, options: ExecuteOptions = {}): Promise<ToolResult> {
  try {
    const { reply } = await perform(memory, input, options);
    return { content: reply, is_error: false };
  } catch (error) {
    return { content: explain(error, options), is_error: true };
  }
}

async function perform(memory: Memory, input: unknown, options: ExecuteOptions): Promise<Outcome> {
  const { overwrite, readOnly, toolUseId, model, actor, session, signal } = options;
  if (signal?.aborted === true) throw refusals.aborted();
  const command = parseCommand(input);
  const build = (snapshot: Snapshot) => runCommand(snapshot, command, { overwrite });
  if (command.op === 'view') return memory.view(build);
  if (readOnly === true) throw refusals.readOnly();
  return memory.mutate(build, { op: command.op, toolUseId, model, actor, session, signal });
}

function explain(error: unknown, { onError }: ExecuteOptions): string {
  if (error instanceof CommandRefusal) return error.sentence;
  if (isMemgitError(error, 'ABORTED')) return refusals.aborted().sentence;
  if (isMemgitError(error, 'READ_ONLY')) return refusals.readOnly().sentence;
  try {
    onError?.(error);
  } catch {
    // Claude must not read this error either, and there is nobody else to tell.
  }
  return UNEXPECTED;
}
