/**
 * A git host that can misbehave: `git http-backend` behind a small HTTP server, which passes on what it says, or something else.
 * Serves one folder of repositories on a random port of the loopback.
 */
import { spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Misbehaviour =
  | { readonly kind: 'none' }
  | { readonly kind: 'status'; readonly status: number }
  /** Takes the request and says nothing. */
  | { readonly kind: 'hang' }
  /** Cuts the connection after so many bytes of the answer to a POST. */
  | { readonly kind: 'drop'; readonly afterBytes: number }
  /** Answers with something else, as if all were well. */
  | { readonly kind: 'answer'; readonly type: string; readonly text: string }
  /** Sends a pack in pieces of one byte each. */
  | { readonly kind: 'crumbs'; readonly pieces: number }
  /** Answers with one thing again and again, for as long as anyone listens. */
  | { readonly kind: 'flood'; readonly status: number; readonly type: string; readonly begin: Buffer; readonly again: Buffer };

export class StandIn {
  behaviour: Misbehaviour = { kind: 'none' };
  readonly #server: Server;
  readonly #repositories: string;

  private constructor(repositories: string) {
    this.#repositories = repositories;
    this.#server = createServer((request, response) => {
      this.#answer(request, response);
    });
  }

  static async start(repositories: string): Promise<StandIn> {
    const standIn = new StandIn(repositories);
    await new Promise<void>((resolve) => standIn.#server.listen(0, '127.0.0.1', resolve));
    return standIn;
  }

  url(name: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/${name}`;
  }

  /** How many connections are open. */
  async connections(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.getConnections((error, count) => {
        if (error) reject(error);
        else resolve(count);
      });
    });
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { behaviour } = this;
    if (behaviour.kind === 'hang') return;
    if (behaviour.kind === 'status') {
      response.writeHead(behaviour.status, behaviour.status === 401 ? { 'www-authenticate': 'Basic realm="backups"' } : {}).end();
      return;
    }
    if (behaviour.kind === 'answer') {
      response.writeHead(200, { 'content-type': behaviour.type }).end(behaviour.text);
      return;
    }
    if (behaviour.kind === 'crumbs' && request.method === 'POST') {
      response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-result' });
      response.end(Buffer.concat([Buffer.from('0008NAK\n'), Buffer.alloc(6 * behaviour.pieces, '0006\x01x'), Buffer.from('0000')]));
      return;
    }
    if (behaviour.kind === 'flood') {
      const { status, type, begin, again } = behaviour;
      response.writeHead(status, { 'content-type': type }).write(begin);
      const go = (): void => {
        for (let wanted = true; wanted && !response.destroyed; ) wanted = response.write(again);
        response.once('drain', go);
      };
      go();
      return;
    }
    const limit = behaviour.kind === 'drop' && request.method === 'POST' ? behaviour.afterBytes : Infinity;
    this.#runBackend(request, response, limit);
  }

  /** The program speaks CGI: headers, an empty line, the body. */
  #runBackend(request: IncomingMessage, response: ServerResponse, limit: number): void {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const backend = spawn('/usr/bin/git', ['http-backend'], {
      env: {
        GIT_PROJECT_ROOT: this.#repositories,
        GIT_HTTP_EXPORT_ALL: '1',
        GIT_CONFIG_COUNT: '2',
        GIT_CONFIG_KEY_0: 'http.receivepack',
        GIT_CONFIG_VALUE_0: 'true',
        GIT_CONFIG_KEY_1: 'safe.directory',
        GIT_CONFIG_VALUE_1: '*',
        PATH_INFO: decodeURIComponent(url.pathname),
        QUERY_STRING: url.search.slice(1),
        REQUEST_METHOD: request.method ?? 'GET',
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
        HTTP_GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
        ...(request.headers['content-length'] === undefined ? {} : { CONTENT_LENGTH: request.headers['content-length'] }),
      },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    request.pipe(backend.stdin).on('error', () => undefined);
    let head: Buffer | undefined = Buffer.alloc(0);
    let sent = 0;
    backend.stdout.on('data', (chunk: Buffer) => {
      let body = chunk;
      if (head !== undefined) {
        const read: Buffer = Buffer.concat([head, chunk]);
        const end = read.indexOf('\r\n\r\n');
        head = end < 0 ? read : undefined;
        if (end < 0) return;
        writeHead(response, read.toString('latin1', 0, end));
        body = read.subarray(end + 4);
      }
      const allowed = body.subarray(0, limit - sent);
      sent += allowed.length;
      response.write(allowed);
      if (sent >= limit) setTimeout(() => request.socket.destroy(), 20);
    });
    backend.on('close', () => {
      if (sent < limit) response.end();
    });
  }
}

function writeHead(response: ServerResponse, text: string): void {
  const headers = text.split('\r\n').map((line) => line.split(': ') as [string, string]);
  const status = headers.find(([name]) => name === 'Status')?.[1] ?? '200';
  response.writeHead(Number.parseInt(status, 10), Object.fromEntries(headers.filter(([name]) => name !== 'Status')));
}
