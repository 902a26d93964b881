/**
 * One HTTP(S) request at a time, as git's protocol needs them: bounded in time and size, through a proxy where there is one,
 * stopped by the caller's signal. It follows no redirect, so what goes to an origin (a token, a pack) goes nowhere else.
 */
import * as http from 'node:http';
import * as https from 'node:https';
import type { Bytes } from '../bytes.ts';
import { MemgitError } from '../errors.ts';
import { proxyFor } from './environment.ts';
import { describeStatus } from './http-status.ts';
import { Patience, Silence } from './patience.ts';
import { connectThrough, proxyHeaders } from './proxy.ts';

export interface HttpOptions {
  /** Certificates (PEM) to trust instead of the system's. */
  readonly ca: string | undefined;
  /** The address of a proxy. Default: what the environment says. */
  readonly proxy: string | undefined;
  /** How long the server may stay silent, or all but silent, in milliseconds. */
  readonly silenceMs: number;
  readonly signal: AbortSignal | undefined;
}

export interface HttpRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as one body of known length. */
  readonly body?: readonly Bytes[];
  /** How much of an answer is read. */
  readonly maxBytes: number;
}

/** An answer with the status 200. */
export interface HttpResponse {
  readonly headers: Readonly<Record<string, string>>;
  /** Its end is either the whole body or an error: REMOTE_UNREACHABLE, TOO_LARGE, ABORTED. */
  readonly body: AsyncIterable<Bytes>;
  /** Ends the connection, whatever the server still has to say. To be called in the end. */
  readonly close: () => void;
}

/** @throws REMOTE_UNREACHABLE when there is no connection or no answer; what `describeStatus` says of a status; ABORTED */
export async function sendRequest({ url, method, headers, body = [], maxBytes }: HttpRequest, options: HttpOptions): Promise<HttpResponse> {
  const request = await openRequest(new URL(url), method, { ...headers, 'content-length': String(lengthOf(body)) }, options);
  let answer: http.IncomingMessage | undefined;
  // Once there is an answer, only its own end says why it ended.
  const patience = new Patience(options.silenceMs, (reason) => (answer ?? request).destroy(reason));
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    request.once('response', (got) => {
      answer = got;
      patience.renew();
      resolve(got);
    });
    request.on('error', reject);
    request.once('close', () => {
      patience.stop();
      // Node drops a server that goes over to another protocol (101) without a word.
      reject(new Error('closed'));
    });
    const pieces = inPieces(body);
    // One after the other: what is written before there is a connection goes out as one, and is heard of when all of it has gone.
    const sendNext = (): void => {
      const { value: piece, done } = pieces.next();
      if (done === true) request.end();
      else {
        request.write(piece, (error) => {
          if (error) return;
          patience.renew();
          sendNext();
        });
      }
    };
    sendNext();
  }).catch((error: unknown) => {
    throw describeHttpFailure(error, options);
  });
  const close = (): void => void response.destroy();
  const refusal = describeStatus(response.statusCode ?? 0);
  if (refusal) {
    close();
    throw refusal;
  }
  return {
    headers: Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [name, String(value)])),
    body: readBody(response, maxBytes, patience, options),
    close,
  };
}

async function openRequest(target: URL, method: string, headers: Record<string, string>, options: HttpOptions): Promise<http.ClientRequest> {
  const { ca, signal } = options;
  const proxyText = options.proxy ?? proxyFor(target);
  const common = { method, headers, ...(signal ? { signal } : {}), agent: false } as const;
  if (proxyText === undefined) {
    return target.protocol === 'https:' ? https.request(target, { ...common, ...(ca === undefined ? {} : { ca }) }) : http.request(target, common);
  }
  const proxy = new URL(proxyText);
  if (target.protocol === 'http:') {
    const host = { host: proxy.hostname, port: proxy.port || 80, path: target.href };
    return http.request({ ...common, ...host, headers: { ...headers, host: target.host, ...proxyHeaders(proxy) } });
  }
  const socket = await connectThrough(proxy, target, options).catch((error: unknown) => {
    throw describeHttpFailure(error, options);
  });
  return https.request(target, { ...common, ...(ca === undefined ? {} : { ca }), agent: new https.Agent({ socket, keepAlive: false }) });
}

async function* readBody(response: http.IncomingMessage, maxBytes: number, patience: Patience, options: HttpOptions): AsyncGenerator<Bytes> {
  let size = 0;
  try {
    for await (const part of response as AsyncIterable<Buffer>) {
      size += part.length;
      patience.hear(part.length);
      if (size > maxBytes) throw new MemgitError('TOO_LARGE', `expected an answer of at most ${maxBytes} bytes from the remote, got more`, { details: { limit: maxBytes } });
      yield part;
    }
  } catch (error) {
    throw describeHttpFailure(error, options);
  }
  // A body that ends before its declared length is an error above; one without a length that is cut off shows here.
  if (!response.complete) throw describeHttpFailure(new Error('cut off'), options);
}

const PIECE_BYTES = 64 * 1024;
const CERTIFICATE_ERROR = /^(?:CERT_|ERR_TLS_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/;

function describeHttpFailure(error: unknown, { signal, silenceMs }: HttpOptions): MemgitError {
  if (error instanceof MemgitError) return error;
  if (signal?.aborted === true) return new MemgitError('ABORTED', 'expected the remote to answer, but the caller gave up first', { cause: error });
  const fail = (message: string, details: Record<string, string | number | boolean>): MemgitError => new MemgitError('REMOTE_UNREACHABLE', message, { details, cause: error });
  if (error instanceof Silence) return fail(`expected the remote to answer, got nothing for ${silenceMs} ms; try again later`, { timeoutMs: silenceMs });
  const errno = (error as NodeJS.ErrnoException).code ?? '';
  if (CERTIFICATE_ERROR.test(errno)) return fail('expected a remote with a certificate that is trusted here, got another; give the file of its authority', { errno });
  if (/^(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)$/.test(errno)) {
    return fail('expected to reach the remote, but no connection came about; check the address and the network', { errno, passing: true });
  }
  return fail('the connection to the remote broke off in the middle; nothing was changed here', { errno, passing: true });
}

/** What is sent is heard of piece by piece, as the system takes it. */
function* inPieces(parts: readonly Bytes[]): Generator<Bytes, void> {
  for (const part of parts) for (let at = 0; at < part.length; at += PIECE_BYTES) yield part.subarray(at, at + PIECE_BYTES);
}

function lengthOf(parts: readonly Bytes[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}
