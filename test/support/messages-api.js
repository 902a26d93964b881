/**
 * A stand-in for the Messages API on loopback: plays Claude's part, so that the SDK's real tool runner is driven without a
 * network. It answers POST /v1/messages with what a function makes of the conversation, or with a written transcript, and
 * holds message threads as the API does: the SDK's runner then sends only what is new.
 *
 * Plain JavaScript, unlike its neighbours, because the demo runs it as it stands.
 */
import { createServer } from 'node:http';
import { once } from 'node:events';
import { json } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';

/**
 * @typedef {import('@anthropic-ai/sdk/resources/beta/messages').MessageCreateParamsNonStreaming} Request
 * @typedef {import('@anthropic-ai/sdk/resources/beta/messages').BetaContentBlockParam} Block
 * @typedef {import('@anthropic-ai/sdk/resources/beta/messages').BetaToolResultBlockParam} ToolResult
 * @typedef {{ content: ToolResult['content'], is_error: boolean }} Result what one tool call came back with
 * @typedef {(request: Request) => Block[] | Promise<Block[]>} Reply the blocks that Claude says next; what it throws the caller gets as a refusal
 * @typedef {{ url: string, requests: Request[], close: () => Promise<void> }} MessagesApi
 *
 * @typedef {{ says: Block[], results?: Record<string, Result> }} Turn what Claude says, and what each of its tool calls must come back with
 * @typedef {{ prompt: string, turns: Turn[] }} Run a conversation that starts with this prompt
 * @typedef {{ about: string, runs: Run[] }} Transcript
 */

/**
 * Starts it on a free port. `requests` are kept whole: a turn that continues a thread has its earlier messages in front.
 * @param {Reply} reply @returns {Promise<MessagesApi>}
 */
export async function startMessagesApi(reply) {
  /** @type {Request[]} */
  const requests = [];
  /** What a thread continues from, by the id of its last reply. @type {Map<string, Request>} */
  const threads = new Map();
  const server = createServer((request, response) => {
    /** @param {number} status @param {unknown} body */
    const send = (status, body) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    /** @param {unknown} error */
    const refuse = (error) => send(400, { type: 'error', error: { type: 'invalid_request_error', message: String(error) } });
    answer(request).then((message) => send(200, message), refuse);
  });

  /** @param {import('node:http').IncomingMessage} request */
  async function answer(request) {
    if (request.method !== 'POST' || request.url?.split('?')[0] !== '/v1/messages') throw new Error(`no such endpoint: ${request.method} ${request.url}`);
    const params = inFull(/** @type {Request} */ (await json(request)));
    const id = `msg_${requests.push(params)}`;
    const content = await reply(params);
    threads.set(id, { ...params, messages: [...params.messages, { role: 'assistant', content }] });
    return {
      id,
      type: 'message',
      role: 'assistant',
      model: params.model,
      content,
      stop_reason: content.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    };
  }

  /** @param {Request} params @returns {Request} */
  function inFull({ thread, ...params }) {
    if (thread?.type !== 'continue') return params;
    const before = threads.get(thread.previous_message_id);
    if (before === undefined) throw new Error(`no such message to continue from: ${thread.previous_message_id}`);
    return { ...before, ...params, messages: [...before.messages, ...params.messages] };
  }

  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: async () => {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}

/**
 * A reply that follows a transcript. It keeps no state: the prompt tells the run and the length of the conversation the turn,
 * so that runs may be played in any order and from several processes. A tool result that is not the one written down is refused.
 *
 * @param {Transcript} transcript @returns {Reply}
 */
export function playTranscript({ runs }) {
  return ({ messages }) => {
    const prompt = messages[0]?.content;
    const run = runs.find((candidate) => candidate.prompt === prompt);
    if (run === undefined) throw new Error(`no run of the transcript starts with ${JSON.stringify(prompt)}`);
    const spoken = messages.filter(({ role }) => role === 'assistant').length;
    const expected = run.turns[spoken - 1]?.results ?? {};
    const got = Object.fromEntries(toolResultsOf(messages));
    if (!isDeepStrictEqual(got, expected)) throw new Error(`expected the tool results ${JSON.stringify(expected)}, got ${JSON.stringify(got)}`);
    const turn = run.turns[spoken];
    if (turn === undefined) throw new Error(`the transcript of this run ends after ${run.turns.length} turns`);
    return turn.says;
  };
}

/**
 * The results in the last message of a conversation, with the ids of the calls that they answer.
 * @param {Request['messages']} messages @returns {[id: string, result: Result][]}
 */
export function toolResultsOf(messages) {
  const last = messages.at(-1)?.content;
  if (!Array.isArray(last)) return [];
  return last.flatMap((block) => (block.type === 'tool_result' ? [[block.tool_use_id, { content: block.content, is_error: block.is_error ?? false }]] : []));
}
