/** An HTTP proxy that asks for credentials and notes whom it was asked for: it opens tunnels, and passes plain requests on. */
import { createServer, request as send, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

export class Proxy {
  /** Hosts and ports, a tunnel with `CONNECT` before it. */
  readonly asked: string[] = [];
  /** What came with the last request as the credentials for the proxy. */
  authorization: string | undefined;
  readonly #server: Server;
  readonly #tunnels: Duplex[] = [];

  private constructor() {
    this.#server = createServer((request, response) => {
      const url = new URL(request.url!);
      this.asked.push(url.host);
      this.authorization = request.headers['proxy-authorization'];
      if (this.authorization === undefined) {
        response.writeHead(407, { 'proxy-authenticate': 'Basic realm="proxy"' }).end();
        return;
      }
      const onward = send(url, { method: request.method, headers: { ...request.headers, connection: 'close' } }, (answer) => {
        response.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(response);
      });
      request.pipe(onward);
    });
    this.#server.on('connect', (request, socket) => {
      this.#tunnels.push(socket);
      socket.on('error', () => undefined);
      this.asked.push(`CONNECT ${request.url!}`);
      this.authorization = request.headers['proxy-authorization'];
      if (this.authorization === undefined) {
        socket.end('HTTP/1.1 407 Who are you\r\nProxy-Authenticate: Basic realm="proxy"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
        return;
      }
      const { hostname, port } = new URL(`http://${request.url!}`);
      const onward = connect(Number(port), hostname, () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        onward.pipe(socket).pipe(onward);
      });
      this.#tunnels.push(onward);
      onward.on('error', () => undefined);
    });
  }

  static async start(): Promise<Proxy> {
    const proxy = new Proxy();
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    for (const end of this.#tunnels) end.destroy();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
